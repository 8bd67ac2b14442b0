"""Every number for download: boards, folds, references, schemas."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

import matbench_lite
from matbench_lite._version import __version__
from matbench_lite.board import flat_rows, history, to_csv
from matbench_lite.site import addresses
from matbench_lite.site.page_files import File, page_file
from matbench_lite.site.site import Site
from matbench_lite.view import all_columns, board_document, csv, records, task_columns

_JSON = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS


def publish(site: Site) -> Iterator[File]:
    """The data files, and the page that lists them."""
    boards = board_rows(site)
    folds = list(fold_rows(site))
    yield File("data/leaderboard.json", orjson.dumps(_document(site), option=_JSON))
    for name, rows in (("leaderboard", boards), ("folds", folds)):
        yield File(f"data/{name}.csv", to_csv(rows))
        yield File(f"data/{name}.parquet", _parquet(rows))
    yield File(addresses.GENERAL_CSV, csv(all_columns(site.general, site.benchmark)))
    for task in site.benchmark:
        yield File(addresses.task_csv(task.name), csv(task_columns(site.boards[task.name])))
    yield File("data/references.bib", _references(site))
    for path in schemas():
        yield File(f"data/{path.name}", path)
    yield site.bibtex
    yield page_file(
        "site/downloads.md.j2",
        address=addresses.DOWNLOADS,
        title="Downloads",
        hide=("navigation", "toc"),
        site=site,
        boards=len(boards),
        folds=len(folds),
        schemas=[path.name for path in schemas()],
    )


def schemas() -> list[Path]:
    """The JSON Schemas of all files that this package reads."""
    return sorted(Path(matbench_lite.__file__).parent.rglob("*.schema.json"))


def board_rows(site: Site) -> list[dict[str, Any]]:
    """One flat row per entry and task, of all boards."""
    return flat_rows(
        {"benchmark": site.benchmark.name, "task": board.task, "metric": board.metric, "unit": board.unit, **row}
        for board in site.boards.values()
        for row in records(task_columns(board), "csv")
    )


def fold_rows(site: Site) -> Iterator[dict[str, Any]]:
    """One row per entry, task, fold and metric."""
    for task in site.benchmark:
        for slug, result in site.results.on(task).items():
            for fold, scores in result.scores.folds.items():
                for metric, value in scores.items():
                    yield {
                        "benchmark": site.benchmark.name,
                        "slug": slug,
                        "task": task.name,
                        "fold": fold,
                        "metric": metric,
                        "value": value,
                        "verified": result.verified,
                    }


def _document(site: Site) -> dict[str, Any]:
    return {
        "benchmark": site.benchmark.name,
        "matbench_lite": __version__,
        "date": site.date,
        "general": board_document(site.general, site.benchmark),
        "tasks": {name: board_document(board, site.benchmark) for name, board in site.boards.items()},
        "history": {task.name: history(site.results, task) for task in site.benchmark},
        "entries": {
            slug: {
                "algorithm": entry.algorithm,
                "authors": entry.authors,
                "category": str(site.results.categories[slug]),
                "reason": site.results.categories[slug].reason,
                "created": entry.created,
                "single_configuration": entry.single_configuration,
                "external_data": entry.external_data,
            }
            for slug, entry in site.results.entries.items()
        },
        "with_errors": {slug: checked.as_dict() for slug, checked in site.with_errors.items()},
    }


def _parquet(rows: Sequence[dict[str, Any]]) -> bytes:
    """Rows as Parquet. By way of JSON: lists would go through pandas, whose import costs more than all of this."""
    import pyarrow as pa
    import pyarrow.json
    import pyarrow.parquet as pq

    if not rows:
        table = pa.table({})
    else:
        lines = b"\n".join(orjson.dumps(row) for row in rows)
        options = pyarrow.json.ReadOptions(use_threads=False, block_size=len(lines) + 1)
        table = pyarrow.json.read_json(pa.BufferReader(lines), read_options=options)
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def _references(site: Site) -> str:
    """The benchmark, its data, and every entry; each reference once."""
    texts = [*site.benchmark.references]
    texts += [reference for task in site.benchmark for reference in task.references]
    texts += [reference for entry in site.results.entries.values() for reference in entry.references]
    return "\n\n".join(dict.fromkeys(text.strip() for text in texts)) + "\n"
