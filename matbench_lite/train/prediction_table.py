"""One table of predictions, whoever made them: runs, local tests, evaluations, judging, events; compared row by row.

| column | what |
|---|---|
| model, task, protocol, piece | who predicted what, in which fold, inner fold, run or group |
| part, row | "train", "valid", "hidden", "test" or "beyond", and the position of the row in it or in the task |
| type | "value", "label" or "probability"; "score" of an evaluation |
| prediction, std, truth | numbers, of classes 0, 1, …; text in evaluations of answers that are no numbers |
| loss | the absolute error, 1 for a wrong class, the score of an evaluation; smaller is better |
| cluster | rows of one cluster are no independent witnesses: those of a task's cluster, else each row by itself |
| fold_scatter | by how much folds of the task scatter beyond their rows; empty where the pieces are groups, no folds |
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.errors import DataError, MatbenchLiteError, RunError, raising
from matbench_lite.metrics import DECISION_THRESHOLD
from matbench_lite.stats import ONE_SPLIT, Design, Pair, Place, TaskPairs, class_losses, moments, order
from matbench_lite.tasks import BUILT_IN, Task, load_benchmark
from matbench_lite.train.bagging import RowPredictions
from matbench_lite.train.journal import Journal, Kept

if TYPE_CHECKING:
    import pandas as pd

_JOURNALS = ("journal", "private/received/*/journal", ".run/folds", ".run/runs", ".run/try/*/*/*")
_WHICH = ["model", "task", "protocol", "piece", "part", "row"]
ONLY_GROUPS = "what training again would change is not in the intervals"
"""What is said beside statements about pieces that are groups, in `Comparison.note`."""


def predictions_table(folder: Path, benchmark: str | None = None) -> pd.DataFrame:
    """All predictions that are in the output folder of `mbl run`, `try`, `evaluate` or `judge run`, or of an event.

    Which rows belong together is known of the tasks of a `benchmark`, by name or file; without one, of that which the
    folder names, or of the built-in ones.

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
        ['model', 'task', 'protocol', 'piece', 'part', 'row', 'type', 'prediction', 'std', 'truth', 'loss', 'cluster',
        'fold_scatter']
        >>> len(table), f"{table['loss'].mean():.2f}"
        (100, '1.26')
    """
    import pandas as pd

    journals = [Journal(path) for path in (folder, *(path for each in _JOURNALS for path in sorted(folder.glob(each))))]
    frames = []
    for journal in journals:
        every = journal.read()
        names = {kept.task for kept in every if kept.protocol != "event"}  # which counts rows in data of its own
        tasks = {name: _task(journal, name, benchmark) for name in names}
        frames += [
            _frame(kept, part, one, tasks.get(kept.task))
            for kept in every
            for part, one in kept.outcome.predictions.items()
        ]
    if (folder / "results.parquet").is_file():
        frames.append(_evaluated(folder))
    if not frames:
        fix = "give the output folder of a run, or an event whose submissions were scored"
        raise RunError(f"there are no predictions in {folder}", fix=fix)
    # What was done again, with another seed or code, stands after what it replaces.
    return pd.concat(frames, ignore_index=True).drop_duplicates(_WHICH, keep="last", ignore_index=True)


def _task(journal: Journal, name: str, benchmark: str | None) -> Task | None:
    """The task that was predicted; None if it is not known, or its data is not on this machine any more."""
    header = {} if benchmark else journal.header() or {}
    stated = benchmark or header.get("benchmark_file") or header.get("benchmark")
    for each in BUILT_IN if stated is None else (stated,):
        try:
            found = load_benchmark(each)
        except MatbenchLiteError:
            if benchmark:
                raise
            continue  # a file that has been moved: `benchmark` says where to
        if name in found:
            try:
                return found[name] if len(found[name].clusters) else None
            except DataError:
                return None
    return None


def _frame(kept: Kept, part: str, predicted: RowPredictions, task: Task | None) -> pd.DataFrame:
    import pandas as pd

    rows = predicted.rows
    truth = np.full(len(rows), np.nan) if predicted.truth is None else predicted.truth
    values = predicted.scorable().prediction if predicted.prediction.ndim == 2 else predicted.prediction
    if predicted.type == "value":
        loss = np.abs(values - truth)
    else:
        said = values if predicted.prediction.ndim == 2 else values > DECISION_THRESHOLD
        loss = np.where(np.isnan(truth), np.nan, said != truth)
    about = {"model": kept.model, "task": kept.task, "protocol": kept.protocol, "piece": str(kept.piece), "part": part}
    std = np.nan if predicted.std is None else predicted.std
    columns = {"row": rows, "type": predicted.type, "prediction": values, "std": std, "truth": truth, "loss": loss}
    columns |= {"cluster": rows if task is None else task.clusters[rows]}
    # Of a task of which nothing is known, what all tasks have that do not say.
    return pd.DataFrame(about | columns | {"fold_scatter": task.fold_scatter if task else Design.scatter})


def _evaluated(folder: Path) -> pd.DataFrame:
    """The table of an evaluation: pieces are groups, and what is small is good as its comparator says."""
    import pandas as pd

    message, wrong = f"{folder} has no results of an evaluation", (OSError, ValueError, KeyError, IndexError)
    with raising(RunError, message, fix="run `mbl evaluate` again", on=wrong):
        found, document = pd.read_parquet(folder / "results.parquet"), json.loads((folder / "scores.json").read_bytes())
        first = found[found["evaluation"] == found["evaluation"].iloc[0]]
        loss = first["score"] if document["lower_is_better"] else document["perfect"] - first["score"]
        about = {"model": first["model"], "task": document["evaluation"], "protocol": document["type"]}
        about |= {"piece": first["id"].astype(str), "part": "test", "row": first["place"], "type": "score"}
        numbers = {"prediction": first["prediction"], "std": np.nan, "truth": first["truth"], "loss": loss}
        scatter = np.nan if document["fold_scatter"] is None else document["fold_scatter"]
        return pd.DataFrame(about | numbers | {"cluster": first["cluster"], "fold_scatter": scatter})


@dataclass(frozen=True, kw_only=True)
class RankedModel:
    """A model by its mean loss on one task and part; of classes, that is one less the balanced accuracy.

    The `place` has its name and rank, and what is said of it beside the best where all models predicted the same rows
    in the same pieces; without a loss, the rank is 0.
    """

    task: str
    protocol: str
    part: str
    loss: float
    rows: int
    place: Place


def ranking(table: pd.DataFrame) -> list[RankedModel]:
    """The models of a table by task, protocol and part, the best first.

    Examples:
        >>> import pandas as pd
        >>> about = {"task": "t", "protocol": "folds", "part": "test", "piece": "0", "type": "value"}
        >>> about |= {"cluster": [0, 1, 0, 1], "fold_scatter": 2.0}
        >>> rows = {"model": ["a", "a", "b", "b"], "row": [0, 1, 0, 1], "truth": 0.0, "loss": [3.0, 4.0, 1.0, 2.0]}
        >>> [(one.place.slug, one.loss, one.place.word) for one in ranking(pd.DataFrame(about | rows))]
        [('b', 1.5, None), ('a', 3.5, 'worse')]
    """
    import pandas as pd

    found = []
    for (task, protocol, part), rows in table.groupby(["task", "protocol", "part"]):
        sizes, scores, pairs = rows["model"].value_counts(), rows.groupby("model")["loss"].mean(), _all_pairs(rows)
        if pairs is not None:
            scores = pd.Series(pairs.differences.errors, index=pairs.slugs)
        # What models learnt by heart says nothing of them.
        places = order(scores.dropna().to_dict(), None if part == "train" else pairs, higher_is_better=False)
        for place in [*places, *(Place(slug=name, rank=0) for name in scores.index[scores.isna()])]:
            loss, number = float(scores[place.slug]), int(sizes[place.slug])
            found.append(RankedModel(task=task, protocol=protocol, part=part, loss=loss, rows=number, place=place))
    return found


def _all_pairs(rows: pd.DataFrame) -> TaskPairs | None:
    """Every two models of a task and part; None where their rows are not the same, or all one cluster."""
    losses = rows.pivot_table(index=["piece", "row"], columns="model", values="loss")
    about = rows.drop_duplicates(["piece", "row"]).set_index(["piece", "row"]).loc[losses.index].reset_index()
    if losses.isna().to_numpy().any() or about["cluster"].nunique() < 2:
        return None
    return _pairs(losses.to_numpy().T, list(losses.columns), about)


def _pairs(losses: NDArray[np.float64], names: Sequence[str], rows: pd.DataFrame) -> TaskPairs:
    """Every two models, by the model of variance of all boards; losses of rows with piece, cluster, type and truth."""
    import pandas as pd

    scatter = float(rows["fold_scatter"].iloc[0])
    # Pieces that are groups are no folds: each is a cluster, and nothing is known of training again.
    is_group = np.isnan(scatter)
    folds = np.zeros(len(rows), dtype=np.intp) if is_group else pd.factorize(rows["piece"])[0]
    if rows["type"].iloc[0] in ("label", "probability"):
        truth = rows["truth"].to_numpy()
        losses = losses * class_losses(truth, truth + 1, folds)  # what each wrong row costs the balanced accuracy
    design = Design(folds=folds, clusters=pd.factorize(rows["cluster"])[0], scatter=1.0 if is_group else scatter)
    return TaskPairs(slugs=tuple(names), higher=False, moments=moments(losses, design))


@dataclass(frozen=True, kw_only=True)
class Comparison(Pair):
    """Two models on one task and part, on the rows that both predicted in the same pieces.

    `losses` are the mean over pieces of the mean loss, of each; of classes, one less the balanced accuracy. `note` is
    what limits what is said of the two.
    """

    task: str
    part: str
    first: str
    second: str
    pieces: int
    rows: int
    clusters: int
    losses: tuple[float, float]
    note: str

    @property
    def winner(self) -> str | None:
        """The model that is better; None if neither is."""
        return {"better": self.first, "worse": self.second}.get(self.word)


def compare_tables(first: pd.DataFrame, second: pd.DataFrame) -> list[Comparison]:
    """Compare the models of two tables, paired by piece and row, by the model of variance of all boards.

    Pieces are folds, unless they are groups; a row that is tested in several pieces belongs to one cluster. Models of
    one name are compared where there are some, else each of the first with each of the second. Training rows are left
    out. Two evaluations are of one task if all their rows are the same.

    Raises:
        RunError: If they have no row in common.

    Examples:
        >>> import pandas as pd
        >>> about = {"model": "a", "task": "t", "protocol": "folds", "part": "test", "type": "value", "truth": 0.0}
        >>> rows = {"piece": ["0", "0", "1", "1"], "row": [0, 1, 2, 3], "loss": [1.0, 2.0, 3.0, 5.0]}
        >>> one = pd.DataFrame(about | rows | {"cluster": [0, 1, 2, 3], "fold_scatter": 2.0})
        >>> (found,) = compare_tables(one, one.assign(model="b", loss=one["loss"] + 1))
        >>> found.rows, found.difference, found.p, found.word
        (4, -1.0, 0.0, 'better')
    """
    on = ["task", "protocol", "piece", "part", "row"]
    if set(first["type"]) == {"score"} and _evaluated_rows(first) == _evaluated_rows(second):
        second = second.assign(task=first["task"].iloc[0])  # whatever the evaluation files are called
    if set(first["model"]) & set(second["model"]) and len(set(first["model"])) > 1:
        on.append("model")
    first, second = (table.assign(name=table["model"]) for table in (first, second))
    wanted = first["part"] != "train"
    both = first[wanted].merge(second, on=on, suffixes=("_a", "_b")).dropna(subset=["loss_a", "loss_b"])
    if both.empty:
        raise RunError("the two have no row of one piece in common", fix="give results on the same task and protocol")
    groups = both.groupby(["task", "protocol", "part", "name_a", "name_b"])
    found = [_comparison(*map(str, names), rows=rows) for names, rows in groups if len(set(rows["cluster_a"])) > 1]
    if not found:
        raise RunError("the rows that both predicted are one cluster", fix="give results on rows that differ more")
    return found


def _evaluated_rows(table: pd.DataFrame) -> set[tuple[Any, ...]]:
    """The setting and the data of an evaluation."""
    return set(table[["protocol", "piece", "row", "truth"]].itertuples(index=False, name=None))


def _comparison(task: str, _: str, part: str, first: str, second: str, *, rows: pd.DataFrame) -> Comparison:
    # Where one folder knows more of the task than the other, both are judged by what is known.
    known = min(("_a", "_b"), key=lambda side: rows[f"cluster{side}"].nunique())
    own = {name: rows[f"{name}{known}"] for name in ("cluster", "fold_scatter", "type", "truth")}
    losses = rows[["loss_a", "loss_b"]].to_numpy(float).T
    pairs = _pairs(losses, ("first", "second"), rows.assign(**own))
    pair, errors = pairs.pair("first", "second"), pairs.differences.errors
    pieces, is_group = int(rows["piece"].nunique()), bool(own["fold_scatter"].isna().iloc[0])
    return Comparison(
        task=task,
        part=part,
        first=first,
        second=second,
        pieces=pieces,
        rows=len(rows),
        clusters=int(own["cluster"].nunique()),
        losses=(float(errors[0]), float(errors[1])),
        note=ONLY_GROUPS if is_group else ONE_SPLIT if pieces == 1 else "",
        **vars(pair),
    )
