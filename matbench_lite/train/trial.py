"""A local test as RAMP does it: inner cross-validation inside the training part of one fold, kept as it goes.

Saved tests can be blended: greedy selection of those whose average predicts better than any of them.
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from matbench_lite.errors import MatbenchLiteError, RunError
from matbench_lite.metrics import METRICS, ranking_metric
from matbench_lite.tasks import Task
from matbench_lite.train.bagging import RowPredictions, bag, bag_prefixes
from matbench_lite.train.driver import drive
from matbench_lite.train.jobs import Job, Outcome, Resources
from matbench_lite.train.model_file import Model, model_inputs
from matbench_lite.train.protocols import PARTS, LocalTest, inner_folds
from matbench_lite.train.runners import runner
from matbench_lite.train.trial_record import (
    BAGGED_PARTS,
    InnerResult,
    Metrics,
    Predictions,
    Trial,
    TrialScores,
    TrialSettings,
    mean_metrics,
    note_official_test,
    read_settings,
    score_part,
    trial_journal,
)

Seen = Callable[[InnerResult, bool], None]
"""Called with an inner fold, and whether it is from an earlier run."""


def try_model(
    model: Model,
    task: Task,
    output: Path,
    *,
    fold: int = 0,
    n_folds: int | None = None,
    seed: int = 0,
    official_test: bool = False,
    bagging: bool = True,
    resources: Resources = Resources(),
    fresh: bool = False,
    begins: Callable[[TrialSettings], None] = lambda _: None,
    seen: Seen = lambda *_: None,
) -> Trial:
    """Test a model inside one fold: train on inner folds, score what each holds out, average the models.

    Everything is kept under `output` as it comes. A test that was interrupted goes on where it stopped, if neither the
    model's files nor the settings have changed; one that has ended begins anew. A fold whose model fails is kept with
    its error, and the others go on. `n_folds` is as for `inner_folds`. With `official_test`, scores are on the official
    test part instead of on a slice of the training part, which is noted in `output`; with `bagging`, averages are
    scored, too; with `fresh`, a test that was interrupted begins anew. `begins` is called with what is tested, before
    anything is trained; `seen` with each inner fold as it comes, in order, and whether it is from an earlier run.

    Raises:
        ModelError: If the model does not take what the task gives.
        RunError: If the folds cannot be made, or a test is going on in the folder.
        MachineError: If the folder cannot be written.

    Examples:
        >>> import tempfile
        >>> from matbench_lite import load_benchmark
        >>> from matbench_lite.train import load_model
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     trial = try_model(load_model("dummy"), task, Path(folder), n_folds=3)
        ...     again = rescore(task, Path(folder))
        >>> [result.state for result in trial.results], len(trial.scores.bagged["valid"])
        (['scored', 'scored', 'scored'], 3)
        >>> again.scores == trial.scores
        True
    """
    # What cannot be split is one error, not one per fold.
    n_folds = len(inner_folds(task, fold, n_folds=n_folds, seed=seed, official_test=official_test))
    protocol = LocalTest(task=replace(task), fold=fold, inner_folds=n_folds, official_test=official_test)
    model_inputs(model, task)  # and so is data that is missing
    settings = TrialSettings(
        benchmark=task.benchmark,
        task=task.name,
        fold=fold,
        model=model.name,
        model_sha256=model.sha256,
        inner_folds=n_folds,
        seed=seed,
        official_test=official_test,
    )
    if official_test:
        note_official_test(output, task, fold)
    first = Job(model=model, protocol=protocol, piece=0, seed=seed, resources=resources)
    every = [replace(first, piece=number) for number in range(n_folds)]
    journal = trial_journal(output, task, fold, official_test=official_test)
    begins(settings)
    with journal.locked():
        known, missing = journal.known(every)
        if fresh or not known or len(journal.read()) >= n_folds:  # of another test, or of one that has ended
            known, missing = [], every
            journal.forget()
            journal.begin(asdict(settings))
        trial = _Scoring(task, settings, {job.piece: outcome for job, outcome in known}, seen)
        with runner(resources, most=len(missing)) as using:
            drive(missing, using, journal, title=task.name, report=lambda step: trial.add(step.job.piece, step.outcome))
        return trial.summed_up(bagging=bagging)


def rescore(task: Task, output: Path, *, fold: int = 0, official_test: bool = False, bagging: bool = True) -> Trial:
    """Score the saved predictions of a test again, without training.

    Raises:
        RunError: If nothing was tried there, or a file is damaged.
    """
    journal = trial_journal(output, task, fold, official_test=official_test)
    settings = read_settings(journal)
    trial = _Scoring(task, settings, {kept.piece: kept.outcome for kept in journal.read()})
    if not any(outcome.predictions for outcome in trial.outcomes.values()):
        raise RunError(f"{journal.folder} has no predictions", fix="run `mbl try` without --rescore")
    return trial.summed_up(bagging=bagging)


class _Scoring:
    """A test as its inner folds come, in any order; they are shown in order, each when those before it are there."""

    def __init__(
        self, task: Task, settings: TrialSettings, before: Mapping[int, Outcome], seen: Seen = lambda *_: None
    ) -> None:
        self._task, self._settings, self._before, self._seen = task, settings, before, seen
        self.outcomes: dict[int, Outcome] = {}
        self.results: dict[int, InnerResult] = {}
        self._shown = 0
        for number, outcome in before.items():
            self.add(number, outcome)

    def add(self, number: int, outcome: Outcome) -> None:
        """Score an inner fold, or keep why there are no scores."""
        record, error, trace = outcome.record, outcome.record.error, outcome.record.traceback
        scores: dict[str, Metrics] = {}
        try:
            if error is None:
                scores = {part: score_part(self._task, outcome.predictions[part]) for part in PARTS}
        except MatbenchLiteError as problem:
            error, trace = f"{self._task.name} inner fold {number}: {problem}", traceback.format_exc()
        self.outcomes[number] = outcome
        self.results[number] = InnerResult(
            number=number,
            state="scored" if error is None else "error",
            seconds=record.steps,
            scores=scores,
            error=error,
            traceback=trace,
            printed=record.printed,
        )
        while self._shown in self.results:
            self._seen(self.results[self._shown], self._shown in self._before)
            self._shown += 1

    def summed_up(self, *, bagging: bool) -> Trial:
        """All inner folds in order, and what those that were scored say together."""
        ordered = tuple(self.results[number] for number in sorted(self.results))
        scored = [result for result in ordered if result.state == "scored"]
        if not scored:
            return Trial(settings=self._settings, results=ordered, scores=None)
        bagged = {}
        for part in BAGGED_PARTS if bagging else ():
            prefixes = bag_prefixes([self.outcomes[result.number].predictions[part] for result in scored])
            bagged[part] = tuple(score_part(self._task, prefix) for prefix in prefixes)
        scores = TrialScores(
            folds=tuple(result.number for result in scored),
            failed=tuple(result.number for result in ordered if result.state == "error"),
            mean={part: mean_metrics([result.scores[part] for result in scored]) for part in PARTS},
            seconds=mean_metrics([result.seconds for result in scored]),
            bagged=bagged,
        )
        return Trial(settings=self._settings, results=ordered, scores=scores)


MAX_PICKS = 80
"""Where it stops at the latest; by then another pick changes the average by about a percent."""

_ROUNDING = 1e-12  # an average in another order differs by that much: no improvement


@dataclass(frozen=True, kw_only=True)
class Pick:
    """One step of the selection: the run that was added, and the bagged valid score of the blend with it."""

    name: str
    valid: float


@dataclass(frozen=True, kw_only=True)
class Blend:
    """A blend of saved runs.

    `picks` are the selection, in order, a run perhaps more than once; `singles` the bagged scores of each run alone, by
    run and part ("valid", "test"), `scores` those of the blend.
    """

    task: str
    metric: str
    picks: tuple[Pick, ...]
    singles: Mapping[str, Mapping[str, Metrics]]
    scores: Mapping[str, Metrics]

    @property
    def contributions(self) -> dict[str, float]:
        """The share of each run in the blend, from 0 to 1, largest first."""
        names = [pick.name for pick in self.picks]
        shares = {name: names.count(name) / len(names) for name in self.singles}
        return dict(sorted(shares.items(), key=lambda item: -item[1]))


def load_bagged(output: Path, task: Task, fold: int, *, official_test: bool = False) -> dict[str, RowPredictions]:
    """The bagged predictions of a saved run for valid and test.

    Raises:
        RunError: If nothing was tried there, not every inner fold was scored, or a file is damaged.
    """
    journal = trial_journal(output, task, fold, official_test=official_test)
    expected = read_settings(journal).inner_folds
    models = [kept.outcome.predictions for kept in journal.read() if kept.outcome.predictions]
    if len(models) < expected:
        raise RunError(
            f"{journal.folder} has predictions of {len(models)} of {expected} inner folds", fix="run `mbl try` again"
        )
    return {part: bag([model[part] for model in models]) for part in BAGGED_PARTS}


def blend_runs(task: Task, runs: Mapping[str, Predictions]) -> Blend:
    """Blend runs greedily, with replacement, for the best bagged valid score.

    It begins with the best run. Then the run that improves the average most is added, again and again, as long as the
    score gets strictly better. The test scores are looked at afterwards. `runs` are bagged predictions for "valid" and
    "test"; see `load_bagged`.

    Raises:
        RunError: If there is no run, or they do not predict the same rows.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> rows, truth = np.arange(50), task.target_values[:50]
        >>> def run(shift):
        ...     predicted = RowPredictions(rows=rows, prediction=truth + shift, type="value")
        ...     return {"valid": predicted, "test": predicted}
        >>> blended = blend_runs(task, {"high": run(1.0), "low": run(-1.0), "far": run(9.0)})
        >>> blended.contributions
        {'high': 0.5, 'low': 0.5, 'far': 0.0}
    """
    runs = _alike(runs)
    metric = ranking_metric(task.scored_as)
    sign = -1.0 if METRICS[metric].higher_is_better else 1.0
    picks: list[Pick] = []
    chosen: Counter[str] = Counter()
    while len(picks) < MAX_PICKS:
        scores = {name: score_part(task, _average(runs, chosen + Counter([name]), "valid"))[metric] for name in runs}
        best = min(scores, key=lambda name: sign * scores[name])
        if picks and not sign * scores[best] < sign * picks[-1].valid - _ROUNDING * abs(picks[-1].valid):
            break
        chosen[best] += 1
        picks.append(Pick(name=best, valid=scores[best]))
    return Blend(
        task=task.name,
        metric=metric,
        picks=tuple(picks),
        singles={name: {part: score_part(task, run[part]) for part in BAGGED_PARTS} for name, run in runs.items()},
        scores={part: score_part(task, _average(runs, chosen, part)) for part in BAGGED_PARTS},
    )


def _average(runs: Mapping[str, Predictions], counts: Counter[str], part: str) -> RowPredictions:
    """What `bag` gives for these runs, each as often as counted; a sum of counted terms takes less time."""
    some = runs[next(iter(counts))][part]
    total = np.zeros(some.prediction.shape)
    for name, count in counts.items():
        total += count * runs[name][part].prediction
    return replace(some, prediction=total / counts.total())


def _alike(runs: Mapping[str, Predictions]) -> dict[str, Predictions]:
    """The runs, all with one type of prediction; refused if they do not predict the same rows."""
    if not runs:
        raise RunError("there is no run to blend", fix="name at least two models that were tried")
    first, *others = runs
    for name in others:
        for part in BAGGED_PARTS:
            if not np.array_equal(runs[first][part].rows, runs[name][part].rows):
                raise RunError(
                    f"{first} and {name} predict different rows of {part}", fix="try them again on the same fold"
                )
    types = {run[part].type for run in runs.values() for part in BAGGED_PARTS}
    kind = types.pop() if len(types) == 1 else "probability"
    return {name: {part: bag([replace(run[part], type=kind)]) for part in BAGGED_PARTS} for name, run in runs.items()}
