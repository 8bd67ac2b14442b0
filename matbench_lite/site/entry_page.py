"""The page of an entry: can I trust it, and where does it fail?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from matbench_lite import view
from matbench_lite.board import EntryBoard, EntryTask, TaskRow, entry_board, targets_state
from matbench_lite.metrics import METRICS
from matbench_lite.site import addresses
from matbench_lite.site.page_files import File, page
from matbench_lite.site.site import Site, code_version
from matbench_lite.submission import DOCUMENT, PREDICTIONS
from matbench_lite.tasks import Task
from matbench_lite.text import count, number, place_range, spread
from matbench_lite.view import (
    EMPTY,
    Cell,
    Column,
    Plot,
    Table,
    entry_columns,
    linked,
    reproduced_words,
    shown_in,
    unit_of,
    with_unit,
)

README = "README.md"
_CODE = (".py", ".ipynb")
"""Files that are published beside the page; anything else of an entry, e.g. HTML, could run in a reader's browser."""
_LONGEST = 5000
"""Characters of a JSON text that are shown; all of it is in `submission.json`."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """One task on the page of an entry."""

    task: Task
    row: EntryTask
    place: TaskRow | None
    uncertainty: str
    plots: tuple[Plot, ...]
    worst: Table | None
    folds: Table


def publish(site: Site) -> Iterator[File]:
    """The page of every entry, and its files."""
    for slug in site.results.entries:
        address = addresses.entry_page(slug)
        key = _key(site, slug)
        yield File(addresses.source(address), partial(_page, site, slug, key), key=key)
        yield from _files(site, slug)


def _key(site: Site, slug: str) -> str:
    """All that the page follows from but the day: the entry, its place on the boards, the findings, our code."""
    entry = site.results.entries[slug]
    folder = site.checked[slug].folder
    parts = [
        code_version(),
        site.benchmark.name,
        slug,
        [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in (DOCUMENT, *_texts(folder))],
        [state.digest if (state := targets_state(task)) else "" for task in entry.tasks],
        [repr(site.places[task.name].get(slug)) for task in entry.tasks],
        [len(site.boards[task.name].rows) for task in entry.tasks],
        repr(site.ranks.get(slug)),
        repr(site.results.reproduced.get(slug)),
        len(site.general.ranked),
        [finding.as_dict() for finding in site.checked[slug].findings],
        sorted(site.guides),
    ]
    return hashlib.sha256(orjson.dumps(parts, default=str)).hexdigest()


def _page(site: Site, slug: str, key: str) -> str:
    board = entry_board(site.results, slug)
    address = addresses.entry_page(slug)
    sections = [_section(site, slug, row) for row in board.rows]
    checked = site.checked[slug]
    return page(
        "site/entry.md.j2",
        address=address,
        title=board.entry.algorithm,
        hide=("navigation", "toc"),
        made_from=key,
        site=site,
        board=board,
        findings=[finding for finding in checked.findings if finding.severity != "error"],
        general=site.ranks.get(slug),
        reproduced=site.results.reproduced.get(slug),
        reproduced_words=reproduced_words,
        scores=_score_table(site, board, address),
        sections=sections,
        first=_telling(sections),
        code=_code(checked.folder),
        readme=_readme(checked.folder),
        provenance=_json(board.entry.provenance),
        metadata=_json(board.entry.metadata),
        url=_web_address(board.entry.imported),
        count=count,
        spread=spread,
        metrics=METRICS,
        with_unit=with_unit,
        place_range=place_range,
    )


def _section(site: Site, slug: str, row: EntryTask) -> Section:
    task = site.benchmark[row.task]
    return Section(
        task=task,
        row=row,
        place=site.places[task.name].get(slug),
        uncertainty=view.uncertainty_words(row),
        plots=tuple(_plots(site, slug, task, row)),
        worst=_worst_table(task, row),
        folds=_fold_table(task, row),
    )


def _score_table(site: Site, board: EntryBoard, page: str) -> Table:
    """All tasks of the entry."""
    names = [row.task for row in board.rows]
    columns = linked(
        shown_in("html", entry_columns(board, site.boards)),
        task=[f"#{addresses.file_name(name)}" for name in names],
        rank=[
            addresses.relative(addresses.task_page(name), page) if board.slug in site.places[name] else None
            for name in names
        ],
    )
    return Table(id="scores", label=f"Scores of {board.slug}", columns=columns, empty="No task is recorded.")


def _worst_table(task: Task, row: EntryTask) -> Table | None:
    """The rows with the largest errors; None where nothing is known, or nothing is wrong."""
    if row.anatomy is None or not row.anatomy.worst:
        return None
    worst = row.anatomy.worst
    unit = unit_of("mae", task.unit) if task.kind == "regression" else ""
    columns = [
        Column("formula", "formula", [Cell(text=item.formula) for item in worst], kind="name"),
        Column("id", "row", [Cell(text=item.id) for item in worst]),
        Column("fold", "fold", [Cell(text=str(item.fold)) for item in worst], right=True),
        *(
            Column(key, header, [_cell(getattr(item, key)) for item in worst], unit=unit, right=True)
            for key, header in (("target", "true"), ("prediction", "predicted"), ("error", "error"))
        ),
    ]
    return Table(
        id=f"worst-{addresses.file_name(task.name)}",
        label=f"Largest errors on {task.name}",
        columns=columns,
        tools=False,
    )


def _fold_table(task: Task, row: EntryTask) -> Table:
    """Every metric of every fold."""
    folds = row.folds
    columns = [Column("fold", "fold", [Cell(text=str(fold.fold)) for fold in folds], kind="name")]
    for metric in (name for name in METRICS if METRICS[name].shown and any(name in fold.metrics for fold in folds)):
        cells = [_cell(fold.metrics.get(metric)) for fold in folds]
        columns.append(Column(metric, METRICS[metric].label, cells, unit=unit_of(metric, task.unit), right=True))
    for key, header, unit in (("seconds", "training", "s"), ("peak_memory_mb", "memory", "MB")):
        values = [getattr(fold, key) for fold in folds]
        if any(value is not None for value in values):
            cells = [Cell(text=number(value, None), value=value) for value in values]
            columns.append(Column(key, header, cells, unit=unit, right=True))
    return Table(
        id=f"folds-{addresses.file_name(task.name)}", label=f"Folds of {task.name}", columns=columns, tools=False
    )


def _cell(value: float | None) -> Cell:
    return EMPTY if value is None else Cell(text=f"{value:.4g}")


def _plots(site: Site, slug: str, task: Task, row: EntryTask) -> Iterator[Plot]:
    predicted = view.read_predicted(task, site.results.entries[slug].recorded(task.name))
    if predicted is None or row.anatomy is None:
        return
    drawn = (
        view.parity(task, predicted, score=row.score, worst=row.anatomy.worst),
        view.residuals(task, predicted),
        view.confusion_matrix(task, predicted),
        view.roc_curve(task, predicted, score=row.metrics.get("rocauc")),
        view.calibration(task, predicted),
        view.element_errors(task, row.anatomy),
        view.error_by_distance(task, [(site.results.entries[slug].algorithm, row.anatomy.distances)]),
        *(view.error_by_group(task, row.anatomy, by) for by in ("target", "number of elements", "crystal system")),
    )
    yield from (plot for plot in drawn if plot is not None)


def _telling(sections: list[Section]) -> Section | None:
    """The task whose plot says most at a glance: a property, the one on which it does best, the largest of those."""

    def key(section: Section) -> tuple[bool, int, int]:
        rank = section.place.rank if section.place else 0
        return section.task.kind != "regression", rank, -section.task.rows

    return min((section for section in sections if section.plots and section.place), key=key, default=None)


def _files(site: Site, slug: str) -> Iterator[File]:
    folder = site.checked[slug].folder
    entry = site.results.entries[slug]
    yield File(addresses.entry_file(slug, DOCUMENT), folder / DOCUMENT)
    yield File(addresses.entry_file(slug, PREDICTIONS), folder / PREDICTIONS)
    for name in _code(folder):
        yield File(addresses.entry_file(slug, name), folder / name)
    if entry.references:
        yield File(addresses.entry_file(slug, "references.bib"), "\n\n".join(entry.references) + "\n")
    yield File(addresses.entry_file(slug, "badge.svg"), str(_badge(site, slug)))


def _badge(site: Site, slug: str) -> str:
    general = site.ranks.get(slug)
    verified = [row.verified for board in site.places.values() if (row := board.get(slug)) is not None]
    message = site.results.categories[slug].name
    if general is not None and general.rank is not None:
        message += f", rank {general.rank} of {len(site.general.ranked)}"
    return view.badge(site.benchmark.name, message, good=bool(verified) and all(verified))


def _texts(folder: Path) -> list[str]:
    """The code of an entry and its README, with plain names. All files of a checked entry are regular files."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file() and not path.is_symlink())
    return [name for name in names if name == README or (name.endswith(_CODE) and name == addresses.file_name(name))]


def _code(folder: Path) -> list[str]:
    return [name for name in _texts(folder) if name != README]


def _readme(folder: Path) -> str | None:
    listed = README in _texts(folder)
    return (folder / README).read_text(encoding="utf-8", errors="replace") if listed else None


def _json(content: Any) -> str | None:
    """JSON for people; cut where nobody reads on."""
    if not content:
        return None
    text = orjson.dumps(content, option=orjson.OPT_INDENT_2, default=str).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n… the rest is in submission.json"


def _web_address(imported: Any) -> str | None:
    """Where an imported entry is published, if that is a web page."""
    url = (imported or {}).get("url")
    return url if isinstance(url, str) and url.startswith(("https://", "http://")) else None
