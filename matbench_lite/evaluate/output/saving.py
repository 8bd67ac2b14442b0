"""Results on disk: the table, the figures, the models' log, and a page to read."""

from __future__ import annotations

import json
from pathlib import Path

from matbench_lite.atomic import replacing, write_bytes
from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.output.document import as_document
from matbench_lite.evaluate.output.page import as_page
from matbench_lite.evaluate.results.figures import Results


def save_results(results: Results, output: str | Path) -> Path:
    """Write all that came out of an evaluation.

    `results.csv` and `results.parquet` are one table, with one row per model, row and column; `scores.json` has the
    figures; `model_log.json` what the models noted; `report.html` is one page that needs nothing else.

    Args:
        results: What came out.
        output: The folder; files in it are replaced.

    Returns:
        The path of the page.

    Raises:
        EvaluationError: If the folder cannot be written.

    Examples:
        >>> import tempfile
        >>> from matbench_lite.evaluate import evaluate, parse_evaluation
        >>> data = {"task": "mini_gap", "group_by": "anion", "limit": 20}
        >>> document = {"type": "coverage", "data.test": data, "models": ["dummy"]}
        >>> results = evaluate(parse_evaluation(document, name="example", folder=Path()))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = save_results(results, folder)
        ...     sorted(path.name for path in page.parent.iterdir())
        ['model_log.json', 'report.html', 'results.csv', 'results.parquet', 'scores.json']
    """
    folder = Path(output)
    document = as_document(results)
    log = {name: model.log for name, model in results.models.items() if model.log}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_bytes(folder / "scores.json", json.dumps(document, indent=2, allow_nan=False).encode() + b"\n")
        write_bytes(folder / "model_log.json", json.dumps(log, indent=2).encode() + b"\n")
        with replacing(folder / "results.csv") as temporary:
            results.table.to_csv(temporary, index=False)
        with replacing(folder / "results.parquet") as temporary:
            # Parquet has one type per column: identifiers of several kinds become texts.
            table = results.table
            mixed = [name for name in ("id", "sequence") if name in table and table[name].map(type).nunique() > 1]
            table.astype(dict.fromkeys(mixed, str)).to_parquet(temporary, index=False)
        write_bytes(folder / "report.html", as_page(results).encode())
    except OSError as error:
        raise EvaluationError(f"{folder} cannot be written: {error.strerror}", fix="choose another --output") from error
    return folder / "report.html"
