"""`mbl demo`: the whole job on the embedded benchmark, offline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from matbench_lite.cli.output import out, plain_table
from matbench_lite.progress import progress

if TYPE_CHECKING:
    from matbench_lite.submission import Submission
    from matbench_lite.tasks import Task


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the entries.")] = Path("mbl-demo"),
) -> None:
    """Train three small models on every task of `mini`, record, score and save them: offline, in under a minute.

    Examples:
        mbl demo

        mbl demo --output somewhere/else
    """
    from matbench_lite import load_benchmark

    bench = load_benchmark("mini")
    entries = []
    for algorithm in ("Mean", "Ridge", "Forest"):
        with progress(algorithm, len(bench) * 5) as advance:
            entries.append(_entry(algorithm, bench, advance))
        folder = output / "submissions" / algorithm.lower().replace(" ", "-")
        entries[-1].save(folder, code=__file__)
    _print_board(entries)
    out.print(f"\nentries: {output / 'submissions'}", highlight=False, soft_wrap=True)
    for command in ("leaderboard --benchmark mini --submissions {}", "score {}/*"):
        out.print(f"next: mbl {command.format(output / 'submissions')}", highlight=False, soft_wrap=True)


def _entry(algorithm: str, bench: Any, advance: Any) -> Submission:
    from matbench_lite import Submission

    submission = Submission(
        bench,
        algorithm=algorithm,
        authors=["matbench_lite"],
        description="A baseline of the demo: it sees the share of each element, nothing else.",
        requirements=["scikit-learn", "pymatgen"],
        single_configuration=True,
        external_data=False,
    )
    for task in bench:
        features = _element_fractions(task.targets["formula"])
        for fold in task.folds:
            with submission.measure(task.name, fold):
                submission.record(task.name, fold, _predictions(algorithm, task, fold, features))
            advance(1)
    return submission


def _element_fractions(formulas: Any) -> Any:
    from pymatgen.core import Composition
    from sklearn.feature_extraction import DictVectorizer

    fractions = [Composition(formula).fractional_composition.get_el_amt_dict() for formula in formulas]
    return DictVectorizer(sparse=False).fit_transform(fractions)


def _predictions(algorithm: str, task: Task, fold: int, features: Any) -> Any:
    train, test = task.train_rows(fold), task.test_rows(fold)
    model = _model(algorithm, task.kind).fit(features[train], task.target_values[train])
    if task.kind == "classification":
        return model.predict_proba(features[test])[:, 1]
    return model.predict(features[test])


def _model(algorithm: str, kind: str) -> Any:
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import LogisticRegression, Ridge

    regression = kind == "regression"
    if algorithm.startswith("Mean"):
        return DummyRegressor() if regression else DummyClassifier(strategy="prior")
    if algorithm.startswith("Ridge"):
        return Ridge(alpha=0.1) if regression else LogisticRegression(C=10, max_iter=1000)
    return (RandomForestRegressor if regression else RandomForestClassifier)(n_estimators=50, random_state=0)


def _print_board(entries: list[Submission]) -> None:
    from matbench_lite.submission.display import rounded

    table = plain_table("task", "metric", *(entry.algorithm for entry in entries), title="mini")
    scores = [entry.scores for entry in entries]
    for task in entries[0].tasks:
        metric = "mae" if task.kind == "regression" else "balanced accuracy"
        label = f"{metric} ({task.unit})" if task.unit else metric
        table.add_row(task.name, label, *(rounded(of[task.name].ranking) for of in scores))
    out.print(table)
    for entry in entries:
        out.print(f"{entry.algorithm}: {entry.category} ({entry.category.reason})", highlight=False)
