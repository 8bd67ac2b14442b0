"""How often the boards are wrong: what the model of variance says of entries that are equal, and of one that leads.

Run it with `python perf/evidence.py` (all tasks, about an hour), or e.g. `python perf/evidence.py steels --what equal
--repeats 1000`. It needs the real targets and entries (`MATBENCH_LITE_TEST_DATA`, or `../shared/data` beside the
project). The guide to the statistics has its tables.

The errors are those of the real entries, the constant guess left out. In each repeat the clusters of a task are drawn
again with replacement, and what folds scatter beyond their rows is drawn at the task's own size.

- `equal`: errors are scaled so that every entry has the same mean in every fold: they are equal but for what is drawn.
  Where more entries are asked for than there are, errors of one are dealt anew among rows of equal difficulty (deciles
  of the median error of the others).
- `lead`: the same, and one entry in turn is better than all others; the last column has what the boards said before,
  the corrected test of Nadeau and Bengio over the folds, after Holm, at 5 %.
- `coverage`: errors as they are. How often the 95 % interval of a score and the 99 % interval of a difference hold what
  is true of all rows; beside the first, the same interval with rows in the place of clusters.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from real_data import real_data
from scipy.special import stdtr
from submission import add_targets

from matbench_lite import load_benchmark
from matbench_lite.board import read_rows, targets_state
from matbench_lite.matbench import read_results
from matbench_lite.progress import progress
from matbench_lite.stats import TOLD_APART, Design, class_losses, differences, moments, score_interval
from matbench_lite.tasks import Task

WEIGHTS = (1.0, 2.0, 3.0, 4.0)
"""Values of k that are tried."""
LEADS = {"matbench_log_gvrh": 0.06, "matbench_perovskites": 0.12}
LEAD = 0.25
"""By how much one entry is better than all others where power is measured; less on two tasks that tell more apart."""
NUMBERS = (2, 10, 22, 100)
REPEATS = 300
DEALT = 50
"""So many repeats have the same entries; then errors are dealt anew."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Field:
    """Entries of one task.

    Args:
        task: The task.
        truth: The targets of its rows.
        design: How they are tested.
        errors: Errors of all rows, one row per entry; of a class, whether it is wrong.
        scale: What each entry's losses in each fold are divided by.
    """

    task: Task
    truth: NDArray[np.float64] | NDArray[np.bool_]
    design: Design
    errors: Floats
    scale: Floats

    def losses(self, rows: NDArray[np.intp]) -> Floats:
        """The losses of all entries on rows that were drawn."""
        folds = self.design.folds[rows]
        if self.task.kind == "regression":
            found = self.errors[:, rows]
        else:
            truth = self.truth[rows].astype(bool)
            found = np.stack([class_losses(truth, truth ^ (wrong > 0), folds) for wrong in self.errors[:, rows]])
        return found / self.scale[:, folds]

    def equal(self) -> Field:
        """The same entries with a mean of one in every fold."""
        rows, ones = np.arange(len(self.truth)), np.ones((len(self.errors), self.task.n_folds))
        plain = replace(self, scale=ones)
        return replace(self, scale=moments(plain.losses(rows), self.design).fold_means)

    def chosen(self, which: NDArray[np.intp]) -> Field:
        """Some of the entries."""
        return replace(self, errors=self.errors[which], scale=self.scale[which])


def main() -> int:
    tables: dict[str, tuple[str, Callable[[Field, argparse.Namespace], Iterator[str]]]] = {
        "equal": (_head("equal entries", *(f"k = {k:g}" for k in WEIGHTS), "before"), told_apart),
        "lead": (_head("lead", *(f"k = {k:g}" for k in WEIGHTS), "before"), lead_seen),
        "coverage": (_head("entries", "score, 95 %", "by rows", "difference, 99 %"), coverage),
    }
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tasks", nargs="*", help="e.g. steels; all by default")
    parser.add_argument("--what", nargs="*", choices=list(tables), default=list(tables))
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--entries", type=int, nargs="*", default=NUMBERS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["MATBENCH_LITE_DATA"] = temporary
        found = list(fields(real_data(), asked.tasks))
        for head, lines in (tables[what] for what in asked.what):
            print(f"\n{head}")
            for field in found:
                for line in lines(field, asked):
                    print(line, flush=True)
    return 0


def fields(data: Path, tasks: Sequence[str]) -> Iterator[Field]:
    """The real entries on each task; the constant guess is left out."""
    benchmark = load_benchmark("matbench_v0.1")
    add_targets(benchmark, data / "matbench_v0.1" / "truth")
    folders = sorted(path for path in (data / "matbench_entries").iterdir() if path.name != "dummy")
    entries = [read_results(path / "results.json.gz") for path in folders]
    for task in benchmark:
        if tasks and task.name.removeprefix("matbench_") not in tasks:
            continue
        recorded = [entry.recorded(task.name) for entry in entries if task.name in entry.complete_tasks]
        predicted = [np.concatenate([held[f].predictions.prediction for f in task.folds]) for held in recorded]
        state = targets_state(task)
        assert state is not None
        rows = read_rows(task, state.digest)
        truth = rows.ordered_targets
        wrong = [each > 0.5 if truth.dtype == bool else each for each in predicted]
        errors = np.stack([each != truth if truth.dtype == bool else np.abs(each - truth) for each in wrong])
        scale = np.ones((len(errors), task.n_folds))
        yield Field(task=task, truth=truth, design=rows.design, errors=errors.astype(np.float64), scale=scale)


def told_apart(field: Field, asked: argparse.Namespace) -> Iterator[str]:
    """How often equal entries are told apart: two of them, or any of more from the best."""
    field = field.equal()
    for number in asked.entries:
        apart, before = [], []
        rng = np.random.default_rng(number)
        now = field
        with progress(f"{field.task.name}: {number} equal ones", asked.repeats) as advance:
            for repeat in range(asked.repeats):
                if number == 2:  # another pair each time
                    now = field.chosen(rng.permutation(len(field.errors))[:2])
                elif repeat % DEALT == 0:
                    now = more(field, number, rng)
                found = moments(*drawn(now, rng))
                best = int(np.argmin(found.fold_means.mean(axis=1)))
                apart.append([(differences(found, weight=k).p[best] < TOLD_APART).any() for k in WEIGHTS])
                before.append(_told_apart_before(found.fold_means, best).any())
                advance(1)
        yield _line(field.task, str(number), *np.mean(apart, axis=0), float(np.mean(before)))


def lead_seen(field: Field, asked: argparse.Namespace) -> Iterator[str]:
    """How often a real lead is seen: the share of the others that are told apart from the one that leads."""
    if field.task.kind == "classification" or len(field.errors) < 3:
        return
    field, lead = field.equal(), LEADS.get(field.task.name, LEAD)
    rng = np.random.default_rng(1)
    apart, before = [], []
    with progress(f"{field.task.name}: a lead", asked.repeats) as advance:
        for repeat in range(asked.repeats):
            losses, design = drawn(field, rng)
            leader = repeat % len(losses)
            losses[leader] *= 1 - lead
            found = moments(losses, design)
            means, others = found.fold_means.mean(axis=1), np.arange(len(losses)) != leader
            told = [(differences(found, weight=k).p[leader] < TOLD_APART) & (means[leader] < means) for k in WEIGHTS]
            apart.append([np.mean(each[others]) for each in told])
            best = int(np.argmin(means))
            before.append(np.mean(_told_apart_before(found.fold_means, best)[others]) if best == leader else 0.0)
            advance(1)
    yield _line(field.task, f"{lead:.0%}", *np.mean(apart, axis=0), float(np.mean(before)))


def coverage(field: Field, asked: argparse.Namespace) -> Iterator[str]:
    """How often intervals hold what is true of all rows."""
    rng = np.random.default_rng(2)
    number = len(field.errors)
    true = moments(field.losses(np.arange(len(field.truth))), field.design).fold_means.mean(axis=1)
    held: list[list[float]] = []
    with progress(f"{field.task.name}: intervals", asked.repeats) as advance:
        for repeat in range(asked.repeats):
            losses, design = drawn(field, rng, effects=0)
            which = repeat % number
            by_rows = replace(design, clusters=np.arange(len(design.folds)))
            intervals = [score_interval(losses[which], how, seed=repeat) for how in (design, by_rows)]
            with_effects, design = drawn(field, rng)
            found = differences(moments(with_effects, design))
            within = np.abs(found.difference - (true[:, None] - true[None])) <= found.half_width(0.99)
            hits = [each.low <= true[which] <= each.high for each in intervals]
            held.append([*hits, np.mean(within[np.triu_indices(number, 1)])])
            advance(1)
    yield _line(field.task, str(number), *np.mean(held, axis=0))


def more(field: Field, number: int, rng: np.random.Generator) -> Field:
    """So many equal entries: the real ones, and such with the errors of one of them dealt anew."""
    real = field.errors / field.scale[:, field.design.folds]
    errors = [*field.errors[:number]]
    while len(errors) < number:
        which = len(errors) % len(real)
        others = np.delete(real, which, axis=0) if len(real) > 1 else real
        dealt, hardness = field.errors[which].copy(), np.median(others, axis=0) + 1e-9 * rng.random(real.shape[1])
        for fold in range(len(field.design.sizes)):
            rows = np.flatnonzero(field.design.folds == fold)
            for part in np.array_split(rows[np.argsort(hardness[rows])], 10):
                kinds = [part] if field.task.kind == "regression" else [part[field.truth[part] == v] for v in (0, 1)]
                for kind in kinds:
                    dealt[kind] = dealt[rng.permutation(kind)]
        errors.append(dealt)
    return replace(field, errors=np.stack(errors)).equal()


def drawn(field: Field, rng: np.random.Generator, *, effects: float = 1) -> tuple[Floats, Design]:
    """Losses of one repeat: clusters drawn again, and fold effects of the task's size, or of a multiple of it."""
    clusters, folds = field.design.clusters, field.design.folds
    order, counts = np.argsort(clusters, kind="stable"), np.bincount(clusters)
    starts, there = np.cumsum(counts) - counts, np.flatnonzero(counts)
    while True:
        chosen = rng.choice(there, size=len(there))
        sizes = counts[chosen]
        rows = order[np.repeat(starts[chosen] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())]
        if len(np.unique(folds[rows])) == len(field.design.sizes):
            break
    classes = None if field.design.classes is None else field.design.classes[rows]
    design = replace(
        field.design, folds=folds[rows], clusters=np.repeat(np.arange(len(chosen)), sizes), classes=classes
    )
    losses = field.losses(rows)
    if not effects:
        return losses, design
    between = differences(moments(losses, design)).row_variance
    typical = np.median(between[np.triu_indices(len(between), 1)])
    beyond = math.sqrt(effects * (design.scatter - 1) * typical / 2)
    return losses + (beyond * rng.normal(size=(len(losses), len(design.sizes))))[:, design.folds], design


def _told_apart_before(fold_means: Floats, best: int) -> NDArray[np.bool_]:
    folds = fold_means.shape[1]
    others = np.arange(len(fold_means)) != best
    gaps = fold_means[others] - fold_means[best]
    t = gaps.mean(axis=1) / (gaps.std(axis=1, ddof=1) * math.sqrt(1 / folds + 1 / (folds - 1)))
    p = 2 * stdtr(folds - 1, -np.abs(t))
    order = np.argsort(p)
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    apart = np.zeros(len(fold_means), dtype=bool)
    apart[others] = adjusted < 0.05
    return apart


def _head(*columns: str) -> str:
    return f"| task | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}"


def _line(task: Task, what: str, *shares: float) -> str:
    return (
        f"| {task.name.removeprefix('matbench_')} | {what} | " + " | ".join(f"{share:.1%}" for share in shares) + " |"
    )


if __name__ == "__main__":
    sys.exit(main())
