"""ROC curves, confusion matrices and calibration."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from matbench_lite import Benchmark
from matbench_lite.metrics import rocauc
from matbench_lite.view import Plot, Predicted, calibration, confusion_matrix, roc_curve


def predicted_of(type: str, truth, prediction, **columns) -> Predicted:
    truth = np.asarray(truth, float)
    formulas = np.array(["C"] * len(truth), dtype=object)
    return Predicted(type=type, truth=truth, prediction=np.asarray(prediction, float), formulas=formulas, **columns)


def curve(plot: Plot) -> np.ndarray:
    """The points of the curve, each axis from 0 to 1."""
    (path,) = (path for path in ElementTree.fromstring(plot.svg).iter("path") if path.get("class") == "line")
    pixels = np.array([tuple(map(float, pair)) for pair in re.findall(r"([\d.]+) ([\d.]+)", path.get("d"))])
    return (pixels - (66, 382)) / (372, -372)


def written(plot: Plot) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(plot.svg).iter("text")]


@pytest.mark.parametrize("digits", [1, 6])
def test_the_area_under_the_roc_curve_is_the_metric(mini: Benchmark, digits: int) -> None:
    rng = np.random.default_rng(1)
    truth = rng.random(5000) < 0.3
    probability = np.clip(0.3 * truth + rng.random(5000) * 0.7, 0, 1).round(digits)
    plot = roc_curve(mini["mini_is_stable"], predicted_of("probability", truth, probability))
    points = curve(plot)
    assert (np.diff(points, axis=0) >= -1e-9).all()
    assert points[0].tolist() == pytest.approx([0, 0], abs=1e-3)
    assert points[-1].tolist() == pytest.approx([1, 1], abs=1e-3)
    assert np.trapezoid(points[:, 1], points[:, 0]) == pytest.approx(rocauc(truth, probability), abs=0.005)
    assert f"ROC-AUC {rocauc(truth, probability):.3f}" in written(plot)


def test_labels_and_single_classes_have_no_roc_curve(mini: Benchmark) -> None:
    task = mini["mini_is_stable"]
    assert roc_curve(task, predicted_of("label", [0, 1], [0, 1])) is None
    assert roc_curve(task, predicted_of("probability", [1, 1], [0.2, 0.7])) is None


def test_the_confusion_matrix_counts_rows(mini: Benchmark) -> None:
    truth = [1] * 10 + [0] * 4
    said = [0.9] * 7 + [0.5] * 3 + [0.6] * 1 + [0.1] * 3  # exactly 0.5 is not true
    texts = written(confusion_matrix(mini["mini_is_stable"], predicted_of("probability", truth, said)))
    assert texts[-4:] == ["70 %7 rows", "30 %3 rows", "25 %1 row", "75 %3 rows"]


def test_a_class_without_rows_has_no_share(mini: Benchmark) -> None:
    texts = written(confusion_matrix(mini["mini_is_stable"], predicted_of("label", [1, 1], [1, 0])))
    assert texts[-4:] == ["50 %1 row", "50 %1 row", "–0 rows", "–0 rows"]


@pytest.mark.parametrize(("stated", "verdict"), [(1.0, "as they should be"), (0.4, "too narrow"), (3.0, "too wide")])
def test_intervals_are_judged(mini: Benchmark, stated: float, verdict: str) -> None:
    rng = np.random.default_rng(2)
    truth = rng.normal(size=20_000)
    plot = calibration(mini["mini_gap"], predicted_of("value", truth, np.zeros(20_000), std=np.full(20_000, stated)))
    assert verdict in plot.description
    points = curve(plot)
    away = points[:, 1] - points[:, 0]
    if stated == 1:
        assert np.abs(away).max() < 0.02
    else:
        assert (away[1:-1] < 0).all() if stated < 1 else (away[1:-1] > 0).all()


def test_intervals_without_a_std_have_a_curve_too_however_lopsided(mini: Benchmark) -> None:
    rng = np.random.default_rng(4)
    error, sides = rng.normal(size=20_000), {"lower": np.full(20_000, -1.96), "upper": np.full(20_000, 5.88)}
    truth = np.where(error > 0, 3 * error, error)
    plot = calibration(mini["mini_gap"], predicted_of("value", truth, np.zeros(20_000), **sides))
    assert "95 % intervals hold 95 %" in written(plot)
    assert np.abs(np.diff(curve(plot))).max() < 0.02


def test_probabilities_are_held_against_what_happens(mini: Benchmark) -> None:
    rng = np.random.default_rng(3)
    probability = rng.random(50_000)
    plot = calibration(
        mini["mini_is_stable"], predicted_of("probability", rng.random(50_000) < probability, probability)
    )
    points = curve(plot)
    assert len(points) == 10
    assert np.abs(points[:, 0] - points[:, 1]).max() < 0.03
    sure = calibration(mini["mini_is_stable"], predicted_of("probability", rng.random(50_000) < 0.5, probability))
    assert "differ by 25 percentage points" in sure.description


def test_without_certainty_there_is_no_calibration(mini: Benchmark) -> None:
    assert calibration(mini["mini_gap"], predicted_of("value", [0, 1], [0, 1])) is None
    assert calibration(mini["mini_is_stable"], predicted_of("label", [0, 1], [0, 1])) is None
