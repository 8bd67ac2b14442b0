"""Entries that show every kind of plot, and all their plots at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from matbench_lite import Benchmark, Submission, load_benchmark, view
from matbench_lite.board import Results, general_board, history, task_board
from matbench_lite.view import Plot

HOSTILE = (
    "<script>alert(1)</script>",
    "[link](javascript:alert(1))",
    "{{ 7 * 7 }}{% raw %}",
    "W" * 180,
    "\u202egnp.exe\u202c \u200frtl",
    "=cmd|' /C calc'!A0",
    "a\x00b\x1b[31m\u2028c",
    "&amp;<b>\"'</svg>",
)


def record(benchmark: Benchmark, noise: float, *, seed: int = 0, created: str | None = None, **about) -> Submission:
    """An entry that is off by `noise` standard deviations of the target, and says how sure it is."""
    entry = Submission(benchmark, **{"algorithm": f"Noise {noise:g}", "single_configuration": True, **about})
    rng = np.random.default_rng(seed)
    for task in benchmark:
        for fold in task.folds:
            truth = task.target_values[task.test_rows(fold)]
            error = rng.normal(size=len(truth))
            if task.kind == "classification":
                entry.record(task.name, fold, 1 / (1 + np.exp(-(2 * truth - 1 + 2 * noise * error))))
            else:
                std = noise * task.target_values.std()
                entry.record(task.name, fold, truth + std * error, std=np.full(len(truth), std))
    entry.created = created
    return entry


@pytest.fixture(scope="session")
def mini() -> Benchmark:
    return load_benchmark("mini")


@pytest.fixture(scope="session")
def recorded() -> Callable[..., Submission]:
    """Make an entry; see `record`."""
    return record


@pytest.fixture(scope="session")
def results(mini: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    """Entries of every hostile name, the first the best, each better than those before it in time."""
    with pytest.MonkeyPatch.context() as patch:
        # The numbers are computed once for all tests; each of these has a data directory of its own.
        patch.setenv("MATBENCH_LITE_DATA", str(tmp_path_factory.mktemp("data")))
        yield Results(
            mini,
            {
                f"entry-{place}": record(
                    mini, 0.2 + 0.1 * place, algorithm=name, seed=place, created=f"{2025 - place}-03-01T00:00:00+00:00"
                )
                for place, name in enumerate(HOSTILE)
            },
        )


@pytest.fixture(scope="session")
def all_plots(results: Results) -> list[Plot]:
    """Every plot of the pages of these entries: all tasks, the first entry."""
    return every_plot(results, "entry-0")


@pytest.fixture(scope="session")
def plots_of() -> Callable[..., list[Plot]]:
    """Draw every plot; see `every_plot`."""
    return every_plot


def every_plot(results: Results, slug: str) -> list[Plot]:
    """Every plot that a site of these entries has; those of entry pages of one entry."""
    board = general_board(results)
    # Places on other tasks are drawn from ten tasks on, which these benchmarks do not have.
    placed = [replace(row, first_place=1, last_place=place) for place, row in enumerate(board.rows, start=1)]
    drawn = [
        view.scaled_errors(board, results.benchmark),
        view.critical_difference(board),
        view.rank_intervals(replace(board, rows=tuple(placed))),
    ]
    for task in results.benchmark:
        by_fold = {name: result.by_fold for name, result in results.on(task).items()}
        anatomy = results.anatomy(slug, task)
        predicted = view.read_predicted(task, results.entry(slug).recorded(task.name))
        assert anatomy is not None
        assert predicted is not None
        drawn += [
            view.error_bars(task_board(results, task), by_fold),
            view.best_by_date(history(results, task)),
            view.target_histogram(task, predicted.truth),
            view.element_prevalence(task, predicted.formulas),
            view.parity(task, predicted, worst=anatomy.worst),
            view.residuals(task, predicted),
            view.roc_curve(task, predicted),
            view.confusion_matrix(task, predicted),
            view.calibration(task, predicted),
            view.element_errors(task, anatomy),
        ]
        drawn.append(view.error_by_distance(task, [(results.entry(slug).algorithm, anatomy.distances)]))
        drawn += [
            view.error_by_group(task, anatomy, by)
            for by in ("target", "number of elements", "crystal system", "space group")
        ]
    return [plot for plot in drawn if plot is not None]
