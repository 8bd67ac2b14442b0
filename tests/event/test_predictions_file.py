from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.errors import EventError
from matbench_lite.event.submission_files import PartPredictions, read_predictions, write_predictions
from matbench_lite.train import InnerFold, RowPredictions

VALID_IDS = pd.Index([f"v{number}" for number in range(6)])
TEST_IDS = pd.Index(["t0", "t1"])
NONE = np.array([], dtype=np.intp)
FOLDS = tuple(
    InnerFold(number=number, train=NONE, valid=np.arange(number, 6, 2), test=np.array([0, 1])) for number in (0, 1)
)


def predicted(values: np.ndarray, kind: str = "value", *, std: bool = False) -> tuple[PartPredictions, ...]:
    folds = []
    for fold in FOLDS:
        rows = {}
        for part, positions in (("valid", fold.valid), ("test", np.arange(2))):
            own = values[: len(positions)]
            rows[part] = RowPredictions(
                rows=positions,
                prediction=own,
                type=kind,  # type: ignore[arg-type]
                std=np.abs(own) + 1 if std else None,
            )
        folds.append(rows)
    return tuple(folds)


def write(path: Path, **options: object) -> pd.DataFrame:
    values = np.array([0.1, 1 / 3, 1e-17])
    write_predictions(path, {"valid": VALID_IDS, "test": TEST_IDS}, predicted(values, **options))  # type: ignore[arg-type]
    return pd.read_csv(path, dtype=str)


def read(path: Path, kind: str = "regression") -> tuple[PartPredictions, ...]:
    return read_predictions(path, kind, FOLDS, VALID_IDS, TEST_IDS)  # type: ignore[arg-type]


@given(st.lists(st.floats(-1e100, 1e100), min_size=3, max_size=3), st.booleans(), st.randoms(use_true_random=False))
def test_what_is_written_is_read_back_to_the_last_bit_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[float], std: bool, random: object
) -> None:
    path = tmp_path_factory.mktemp("file") / "predictions.csv"
    folds = predicted(np.array(numbers), std=std)
    write_predictions(path, {"valid": VALID_IDS, "test": TEST_IDS}, folds)
    header, *lines = path.read_text().splitlines()
    random.shuffle(lines)  # type: ignore[attr-defined]
    path.write_text("\n".join([header, *lines]) + "\n")
    for before, after in zip(folds, read(path), strict=True):
        for part in ("valid", "test"):
            first, second = before[part], after[part]
            assert first.prediction.tobytes() == second.prediction.tobytes()
            assert first.rows.tolist() == second.rows.tolist()
            assert (second.std is not None) is std


def test_labels_and_probabilities_are_told_apart(tmp_path: Path) -> None:
    frame = write(tmp_path / "p.csv")
    for values, kind in (
        (["true", "False"] * 5, "label"),
        (["1", "0"] * 5, "label"),
        (["0.2", "1"] * 5, "probability"),
    ):
        frame.assign(prediction=values).to_csv(tmp_path / "p.csv", index=False)
        assert {fold["valid"].type for fold in read(tmp_path / "p.csv", "classification")} == {kind}


DAMAGES = {
    "no column": (lambda f: f.drop(columns="id"), "it needs fold, part, id, prediction"),
    "not a number": (lambda f: f.assign(prediction=["1", "cheap", *["2"] * 8]), "line 3: prediction is 'cheap'"),
    "NaN": (lambda f: f.assign(prediction=["nan", *["2"] * 9]), "line 2: prediction is 'nan', not a finite number"),
    "infinite": (lambda f: f.assign(prediction=["-inf", *["2"] * 9]), "not a finite number"),
    "empty": (lambda f: f.assign(prediction=["", *["2"] * 9]), "not a finite number"),
    "huge": (lambda f: f.assign(prediction=["1e200", *["2"] * 9]), "beyond"),
    "std of zero": (lambda f: f.assign(std=["0", *["2"] * 9]), "std is '0', not a number above 0"),
    "unknown fold": (lambda f: f.assign(fold=["2", *f["fold"][1:]]), "line 2: fold is '2', not one of 0 to 1"),
    "unknown part": (lambda f: f.assign(part=["train", *f["part"][1:]]), "part is 'train', neither valid nor test"),
    "missing row": (lambda f: f.iloc[1:], "fold 0, valid: 1 of 3 rows are missing, 'v0'"),
    "row twice": (lambda f: pd.concat([f, f.iloc[:1]]), "fold 0, valid: 'v0' there twice"),
    "unknown row": (
        lambda f: pd.concat([f, f.iloc[:1].assign(id="v1")]),
        "fold 0, valid: 1 rows do not belong there, 'v1'",
    ),
    "nothing": (lambda f: f.iloc[:0], "rows are missing"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_every_damage_is_named(tmp_path: Path, damage: str) -> None:
    frame = write(tmp_path / "p.csv")
    change, message = DAMAGES[damage]
    change(frame).to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(EventError) as caught:
        read(tmp_path / "p.csv")
    assert message in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe", b'"', b"a,b\n1,2,3\n4\n", b"PAR1"])
def test_files_that_are_no_table(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "p.csv").write_bytes(content)
    with pytest.raises(EventError):
        read(tmp_path / "p.csv")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(EventError, match="mbl event pack"):
        read(tmp_path / "p.csv")


def test_probabilities_outside_zero_and_one(tmp_path: Path) -> None:
    write(tmp_path / "p.csv").assign(prediction=["1.5", *["0.5"] * 9]).to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(EventError, match="nor a probability"):
        read(tmp_path / "p.csv", "classification")
