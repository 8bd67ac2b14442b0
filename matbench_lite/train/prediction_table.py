"""One table of predictions, whoever made them: runs, local tests, evaluations, judging, events; compared row by row.

| column | what |
|---|---|
| model, task, protocol, piece | who predicted what, in which fold, inner fold, run or group |
| part, row | "train", "valid", "test" or "beyond", and the position of the row in it or in the task |
| prediction, std, truth | numbers, of classes 0, 1, …; text in evaluations of answers that are no numbers |
| loss | the absolute error, 1 for a wrong class, the score of an evaluation; smaller is better |
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.errors import RunError
from matbench_lite.metrics import DECISION_THRESHOLD
from matbench_lite.stats import Interval, bootstrap_mean, paired_test
from matbench_lite.train.bagging import RowPredictions
from matbench_lite.train.journal import Journal, Kept

if TYPE_CHECKING:
    import pandas as pd

_JOURNALS = (".", "journal", ".run/folds", ".run/runs", ".run/try/*/*/*")
_WHICH = ["model", "task", "protocol", "piece", "part", "row"]


def predictions_table(folder: Path) -> pd.DataFrame:
    """All predictions that are in the output folder of `mbl run`, `try`, `evaluate` or `judge run`, or of a submission.

    Raises:
        RunError: If there is none.

    Examples:
        >>> import tempfile
        >>> from matbench_lite.train import Plan, load_model, run_model
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     plan = Plan(model=load_model("dummy"), benchmark="mini", output=Path(folder))
        ...     _ = run_model(plan, unit="mini_gap:0")
        ...     table = predictions_table(Path(folder))
        >>> table.columns.tolist()
        ['model', 'task', 'protocol', 'piece', 'part', 'row', 'prediction', 'std', 'truth', 'loss']
        >>> len(table), f"{table['loss'].mean():.2f}"
        (100, '1.26')
    """
    import pandas as pd

    frames = [_frame(kept, part, one) for kept in _kept(folder) for part, one in kept.outcome.predictions.items()]
    if (folder / "results.parquet").is_file():
        frames.append(_evaluated(folder))
    if not frames:
        raise RunError(f"there are no predictions in {folder}", fix="give the output folder of a run")
    # What was done again, with another seed or code, stands after what it replaces.
    return pd.concat(frames, ignore_index=True).drop_duplicates(_WHICH, keep="last", ignore_index=True)


def _kept(folder: Path) -> Iterator[Kept]:
    for pattern in _JOURNALS:
        for path in sorted(folder.glob(pattern)) if "*" in pattern else [folder / pattern]:
            if path.is_dir():
                yield from Journal(path).read()


def _frame(kept: Kept, part: str, predicted: RowPredictions) -> pd.DataFrame:
    import pandas as pd

    truth = np.full(len(predicted.rows), np.nan) if predicted.truth is None else predicted.truth
    values = predicted.scorable().prediction if predicted.prediction.ndim == 2 else predicted.prediction
    if predicted.type == "value":
        loss = np.abs(values - truth)
    else:
        said = values if predicted.prediction.ndim == 2 else values > DECISION_THRESHOLD
        loss = np.where(np.isnan(truth), np.nan, said != truth)
    about = {"model": kept.model, "task": kept.task, "protocol": kept.protocol, "piece": str(kept.piece), "part": part}
    std = np.nan if predicted.std is None else predicted.std
    columns = {"row": predicted.rows, "prediction": values, "std": std, "truth": truth, "loss": loss}
    return pd.DataFrame(about | columns)


def _evaluated(folder: Path) -> pd.DataFrame:
    """The table of an evaluation: pieces are groups, and what is small is good as its comparator says."""
    import pandas as pd

    try:
        found, document = pd.read_parquet(folder / "results.parquet"), json.loads((folder / "scores.json").read_bytes())
        sign = 1.0 if document["lower_is_better"] else -1.0
        first = found[found["evaluation"] == found["evaluation"].iloc[0]]
        about = {"model": first["model"], "task": document["evaluation"], "protocol": document["type"]}
        about |= {"piece": first["id"].astype(str), "part": "test", "row": first["place"]}
        numbers = {"prediction": first["prediction"], "std": np.nan, "truth": first["truth"]}
        return pd.DataFrame(about | numbers | {"loss": sign * first["score"]})
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise RunError(f"{folder} has no results of an evaluation: {error}", fix="run `mbl evaluate` again") from error


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two models on one task and part, on the rows that both predicted in the same pieces.

    Args:
        task: The task.
        part: The part.
        first: The model of the first table.
        second: The model of the second.
        pieces: In how many pieces.
        rows: On how many rows.
        losses: Mean over pieces of the mean loss, of each.
        interval: 95 % interval of the first minus the second, by a bootstrap over rows.
        p: That the order would be another with other pieces, by the paired test over pieces; None for one piece.
    """

    task: str
    part: str
    first: str
    second: str
    pieces: int
    rows: int
    losses: tuple[float, float]
    interval: Interval
    p: float | None

    @property
    def difference(self) -> float:
        """The loss of the first minus that of the second: below 0 the first is better."""
        return self.losses[0] - self.losses[1]


def compare_tables(first: pd.DataFrame, second: pd.DataFrame) -> list[Comparison]:
    """Compare the models of two tables, paired by piece and row.

    Models of one name are compared where there are some, else each of the first with each of the second. Training rows
    are left out.

    Args:
        first: A table of `predictions_table`.
        second: Another.

    Raises:
        RunError: If they have no row in common.

    Examples:
        >>> import pandas as pd
        >>> about = {"model": "a", "task": "t", "protocol": "folds", "part": "test"}
        >>> rows = {"piece": ["0", "0", "1", "1"], "row": [0, 1, 2, 3], "loss": [1.0, 2.0, 3.0, 5.0]}
        >>> one = pd.DataFrame(about | rows)
        >>> (found,) = compare_tables(one, one.assign(model="b", loss=one["loss"] + 1))
        >>> found.rows, found.difference, found.p
        (4, -1.0, 0.0)
    """
    on = ["task", "protocol", "piece", "part", "row"]
    if set(first["model"]) & set(second["model"]) and len(set(first["model"])) > 1:
        on.append("model")
        first, second = (table.assign(name=table["model"]) for table in (first, second))
    else:
        first, second = (table.rename(columns={"model": "name"}) for table in (first, second))
    wanted = first["part"] != "train"
    both = first[wanted].merge(second, on=on, suffixes=("_a", "_b")).dropna(subset=["loss_a", "loss_b"])
    if both.empty:
        raise RunError("the two have no row of one piece in common", fix="give results on the same task and protocol")
    found = []
    for (task, _, part, one, other), rows in both.groupby(["task", "protocol", "part", "name_a", "name_b"]):
        pieces = [piece for _, piece in rows.groupby("piece", sort=False)]
        means = np.array([[piece["loss_a"].mean(), piece["loss_b"].mean()] for piece in pieces])
        found.append(
            Comparison(
                task=str(task),
                part=str(part),
                first=str(one),
                second=str(other),
                pieces=len(pieces),
                rows=len(rows),
                losses=(float(means[:, 0].mean()), float(means[:, 1].mean())),
                interval=bootstrap_mean([(piece["loss_a"] - piece["loss_b"]).to_numpy(float) for piece in pieces]),
                p=paired_test(means[:, 0], means[:, 1]).p if len(pieces) > 1 else None,
            )
        )
    return found
