"""What a board shows of a score, and that it cannot be in more states than is said."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.event import Event, Scale, SubmissionLimits, told
from matbench_lite.event.shown_scores import MOST_BITS
from matbench_lite.metrics import METRICS, Summary
from matbench_lite.train import DEFAULT_INNER_FOLDS, MAX_INNER_FOLDS

from .making import make_event

ERROR = Scale(guess=1.2, folds=8)
SHARE = Scale(guess=0.5, folds=8, best=1.0, lowest=0.0)
R2 = Scale(guess=1.0, folds=8, best=1.0)


def summary(mean: float, std: float = 0.0) -> Summary:
    return Summary(mean=mean, std=std, min=mean, max=mean)


@pytest.mark.parametrize(
    ("scale", "mean", "std", "text"),
    [
        (ERROR, 0.412345678, 0.0123456, "0.4123 ± 0.012"),
        (ERROR, 0.412345678, 0.000312, "0.4123 ± 0.0003"),
        (ERROR, 1.25004, 0.00204, "1.250 ± 0.002"),
        (Scale(guess=4e4, folds=8), 123456.7, 2345.6, "123500 ± 2300"),
        (ERROR, 11.98765, 0.0, "11.99"),
        (ERROR, 11.99999, 0.0, "12.00"),
        (ERROR, 12.00001, 0.0, "off the scale"),
        (ERROR, 12.01, 0.0, "off the scale"),
        (ERROR, 1e99, 1e99, "off the scale"),
        (ERROR, 0.0, 0.0, "0"),
        (SHARE, 0.952345, 0.0111, "0.9523 ± 0.011"),
        (SHARE, 0.0, 0.0, "0"),
        (R2, -8.99, 0.1, "-8.990 ± 0.10"),
        (R2, -9.01, 0.1, "off the scale"),
    ],
)
def test_scores_are_rounded_and_end_at_ten_constant_guesses(scale: Scale, mean: float, std: float, text: str) -> None:
    shown = scale.shown(summary(mean, std))
    assert shown.text == text
    if not shown.off_the_scale:
        assert shown.mean == float(f"{mean:.4g}")
        assert shown.std == pytest.approx(float(f"{std:.2g}"), abs=5e-4 * abs(mean))
        number, _, std_text = text.partition(" ± ")
        assert (float(number), float(std_text or 0)) == (shown.mean, shown.std)  # the same in the JSON


def test_nothing_is_shown_of_what_is_off_the_scale() -> None:
    shown = [ERROR.shown(summary(mean, std)) for mean, std in ((12.1, 0.3), (1e50, 3.0))]
    assert repr(shown[0]) == repr(shown[1])
    assert shown[0].mean == math.inf
    assert R2.shown(summary(-1e50)).mean == -math.inf


FOLDS = st.integers(1, MAX_INNER_FOLDS)
SCALES = st.one_of(
    st.builds(Scale, guess=st.floats(1e-90, 1e90), folds=FOLDS, lowest=st.just(0.0)),
    st.builds(Scale, guess=st.floats(0.01, 1.0), folds=FOLDS, best=st.just(1.0), lowest=st.just(0.0)),
    st.builds(Scale, guess=st.floats(0.5, 50.0), folds=FOLDS, best=st.just(1.0)),
)


@given(SCALES)
def test_a_submission_never_tells_24_bits(scale: Scale) -> None:
    assert scale.bits < MOST_BITS
    # Four digits of what is ten times better than a constant guess, or of a share such as 0.9.
    good = scale.guess / 10 if scale.best is None else 0.9
    assert scale.rounded(good * 1.00005) == float(f"{good * 1.00005:.4g}")


@given(SCALES, st.lists(st.floats(0, 1), min_size=2, max_size=4), st.integers(0, 2**32 - 1))
def test_no_more_can_be_shown_than_is_counted(scale: Scale, shape: list[float], seed: int) -> None:
    """Counted by drawing: all standard deviations of one score, and all scores."""
    rng = np.random.default_rng(seed)
    reach = scale.worst if scale.best is None else scale.best - scale.worst
    away = np.concatenate(
        [rng.uniform(0, reach, 2000), reach * 10 ** rng.uniform(-8, 0, 2000), reach * np.array(shape)]
    )
    means = away if scale.best is None else scale.best - away
    shown = [scale.shown(summary(float(mean))) for mean in means]
    assert not any(each.off_the_scale for each in shown)
    for at in rng.integers(len(means), size=3):
        most = math.sqrt(scale.folds - 1) * away[at]
        stds = [*rng.uniform(0, most, 500), *(most * 10 ** rng.uniform(-8, 0, 500)), most]
        pairs = {(each.mean, each.std) for each in (scale.shown(summary(float(means[at]), float(std))) for std in stds)}
        assert len(pairs) * len({each.mean for each in shown}) <= scale.states


def test_every_number_that_can_be_shown_is_counted() -> None:
    """All of them, by going through a small scale in steps that are finer than what is shown."""
    scale = Scale(guess=1.2, folds=1)
    means = np.concatenate([np.arange(0, 0.01, 4e-7), np.arange(0.01, 12.0000001, 4e-5 / 2)])
    found = {scale.shown(summary(float(mean))).mean for mean in means}
    assert scale.decimals == 6
    # To 0.009999 in steps of 1e-6, three times 9000 numbers, and 10.00 to 12.00; of what has no score there is more.
    assert len(found & set(np.round(np.arange(0, 0.01, 1e-6), 6))) == 10_000
    assert len(found) <= scale.states < 10_000 + 4 * 9_000


@pytest.mark.parametrize(
    ("task", "metric", "guess"),
    [
        ("mini_gap", "mae", None),
        ("mini_gap", "r2", 1.0),
        ("mini_is_ductile", "balanced_accuracy", 0.5),
        ("mini_is_ductile", "rocauc", 0.5),
        ("mini_is_ductile", "log_loss", None),
    ],
)
def test_the_scale_is_that_of_a_constant_guess_on_public_rows(
    tmp_path: Path, task: str, metric: str, guess: float | None
) -> None:
    event = make_event(tmp_path / "e", task=task, metric=metric, inner_folds=3)
    scale = Scale.of(event, "mean")
    truth = event.public_task.target_values[event.public_task.train_rows(0)].astype(float)
    assert scale.guess == pytest.approx(guess or METRICS[metric](truth, np.full(len(truth), truth.mean())))
    assert scale.folds == 3
    assert Scale.of(event, "bagged").bits < scale.bits < MOST_BITS


def test_what_the_board_tells_is_said_with_the_limits(event: Event) -> None:
    said, bits = told(event), Scale.of(event, "mean").bits
    assert bits <= said["bits_per_submission"] < bits + 0.1
    assert 10 * bits <= said["bits_per_day"] < 10 * bits + 1
    assert 50 * bits <= said["bits_in_all"] < 50 * bits + 1


GUIDE = Path(__file__).parents[2] / "leaderboard_docs" / "event_organising.md"
ROWS = re.findall(r"\| `(mean|bagged)` \| (errors|`r2`|shares).* \| ([\d.]+) \| (\d+) \| (\d+) \|", GUIDE.read_text())


@pytest.mark.parametrize(("public", "metric", "bits", "a_day", "in_all"), ROWS)
def test_the_figures_of_the_guide_are_those_of_the_worst_scale(
    public: str, metric: str, bits: str, a_day: str, in_all: str
) -> None:
    folds = DEFAULT_INNER_FOLDS if public == "mean" else 1
    guesses = np.geomspace(1, 9.999999, 2000)
    scales = {
        "errors": [Scale(guess=float(guess), folds=folds, lowest=0.0) for guess in guesses],
        "`r2`": [replace(R2, folds=folds)],
        "shares": [replace(SHARE, folds=folds, guess=1 - 1 / classes) for classes in range(2, 12)],
    }[metric]
    worst = max(scale.bits for scale in scales)
    assert float(bits) == math.ceil(10 * worst) / 10
    limits = SubmissionLimits()
    assert (int(a_day), int(in_all)) == (float(bits) * limits.per_day, float(bits) * limits.submissions)


def test_the_guide_has_figures_of_all_kinds() -> None:
    assert len(ROWS) == 6
