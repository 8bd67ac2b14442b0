"""Training the code of an entry again: equal, near or neither, and what its code can see and do meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.errors import IsolationError, RunError, SubmittedCodeError, UnknownNameError
from matbench_lite.submission import FoldPredictions, RecordedFold, ReproducedFold, code_sha256, read_entry, seal
from matbench_lite.train import FEW_BITS, Limits, Plan, load_model, reproduce, run_model
from matbench_lite.train.reproduction import choose_fold, code_bits, compare_folds
from matbench_lite.train.sandbox import isolation

MINI = load_benchmark("mini")
SUBMISSIONS = Path(__file__).parents[2] / "submissions"
TASK = MINI["mini_gap"]
FOREST = """
import numpy as np
from sklearn.ensemble import RandomForestRegressor

input = "composition"

class Forest:
    def fit(self, X, y):
        self.trees = RandomForestRegressor(20, min_samples_leaf=2, random_state=SEED).fit(amounts(X), y)
    def predict(self, X):
        return self.trees.predict(amounts(X))

def amounts(X):
    from matbench_lite.data import element_amounts
    rows = np.zeros((len(X), 120))
    for row, formula in enumerate(X):
        for element, amount in element_amounts(formula).items():
            rows[row, element] = amount
    return rows

def get_estimator(task):
    return Forest()
"""
HONEST = FOREST.replace("SEED", "0")
MEAN = """
import numpy as np
input = "composition"
class Mean:
    def fit(self, X, y): self.mean = float(np.mean(y))
    def predict(self, X): return np.full(len(X), self.mean)
def get_estimator(task): return Mean()
"""
TRIES = """
import os, pathlib, socket, subprocess
import numpy as np
input = "composition"
HIDDEN, DOOMED = {hidden!r}, {doomed!r}
class Thief:
    def fit(self, X, y):
        self.mean = float(np.mean(y))
        found = []
        for path in map(pathlib.Path, HIDDEN):
            try:
                found.append((str(path), os.listdir(path) if path.is_dir() else len(path.read_bytes())))
            except OSError:
                pass
        for folder, _, files in os.walk("/"):
            if not folder.startswith(("/proc", "/usr")):
                found += [(folder, name) for name in files if name in ("submission.json", "predictions.parquet")]
                found += [(folder, name) for name in files if name.endswith((".targets.parquet", ".toml.secret"))]
        try:
            socket.create_connection(("127.0.0.1", {port}), timeout=1)
            found.append("the network")
        except OSError:
            pass
        for path in DOOMED:
            subprocess.run(["rm", "-rf", path], check=False, capture_output=True)
        # Of matbench_lite, too: it has nothing to give, wherever it is asked.
        from matbench_lite import load_benchmark
        try:
            found.append(len(load_benchmark("mini")["mini_gap"].targets))
        except Exception:
            pass
        if found:
            raise ValueError(f"FOUND {{found}}")
    def predict(self, X): return np.full(len(X), self.mean)
def get_estimator(task): return Thief()
"""


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[..., Path]:
    """An entry whose folds were recorded with some code, and which comes with some other."""

    def made(
        code: str, *, ran: str | None = None, name: str = "theirs.py", tasks: tuple[str, ...] = ("mini_gap",)
    ) -> Path:
        source = tmp_path / name
        source.write_text(ran or code)
        folder = tmp_path / "submissions" / "theirs"
        run_model(Plan(model=load_model(source), benchmark="mini", output=folder, tasks=tasks))
        if ran is not None:
            (folder / name).write_text(code)
            seal(folder)
        return folder

    return made


def again(folder: Path, **options: object) -> ReproducedFold:
    return reproduce(folder, run_submitted_code=True, **options)[1]


@pytest.mark.usefixtures("isolation")
def test_what_code_has_made_it_makes_again(recorded: Callable[..., Path]) -> None:
    folder = recorded(HONEST)
    found = again(folder, fold=3)
    assert (found.verdict, found.identical, found.largest_difference) == ("equal", True, 0.0)
    assert (found.task, found.fold, found.seed, found.metric) == ("mini_gap", 3, 0, "mae")
    assert found.score == found.recorded_score > 0
    assert found.spread > 0
    assert any(version.startswith("scikit-learn ") for version in found.versions)


@pytest.mark.usefixtures("isolation")
def test_other_code_does_not_make_it(recorded: Callable[..., Path]) -> None:
    found = again(recorded(MEAN, ran=HONEST))
    assert (found.verdict, found.identical) == ("not reproduced", False)
    assert found.largest_difference > 0.1
    assert found.mean_difference > 0.6 * found.mean_error


@pytest.mark.usefixtures("isolation")
def test_the_same_model_with_another_seed_is_within_the_spread(recorded: Callable[..., Path]) -> None:
    found = again(recorded(FOREST.replace("SEED", "1"), ran=HONEST))
    assert found.verdict == "within spread"
    assert 0 < found.mean_difference < 0.6 * found.mean_error


@pytest.mark.usefixtures("isolation")
def test_the_code_finds_neither_the_entry_nor_a_target_nor_anything_of_ours(
    recorded: Callable[..., Path], tmp_path: Path, data_directory: Path
) -> None:
    """Code that looks for all of it, in vain, predicts what it recorded; had it found some, it would have failed."""
    import socket

    import matbench_lite

    package = Path(matbench_lite.__file__).parent
    (tmp_path / "reproductions").mkdir()
    (data_directory / "mine").write_text("kept")
    ours = [tmp_path / "submissions", tmp_path / "reproductions", data_directory]
    elsewhere = [
        Path.home() / ".ssh",
        package / "data" / "mini" / "mini_gap.targets.parquet",
        package.parent / "submissions",
    ]
    places = {"doomed": [*map(str, ours)], "hidden": [*map(str, ours + elsewhere)]}
    with socket.create_server(("127.0.0.1", 0)) as server:
        folder = recorded(TRIES.format(port=server.getsockname()[1], **places), ran=MEAN)
        before = sorted(path.name for path in folder.iterdir())
        found = again(folder)
    assert (found.verdict, found.identical) == ("equal", True)
    assert sorted(path.name for path in folder.iterdir()) == before
    assert (data_directory / "mine").read_text() == "kept"


def test_outside_the_sandbox_that_code_finds_what_it_looks_for(tmp_path: Path) -> None:
    """So that the test above can fail."""
    (tmp_path / "secret").write_text("x")
    secret = str(tmp_path / "secret")
    source = tmp_path / "model.py"
    source.write_text(TRIES.format(hidden=[secret], doomed=[secret], port=1).replace('os.walk("/")', "()"))
    with pytest.raises(ValueError, match=r"FOUND .*secret.*, 1\), 500"):
        load_model(source).estimator(TASK).fit(["NaCl"], [1.0])
    assert not (tmp_path / "secret").exists()


@pytest.mark.usefixtures("isolation")
@pytest.mark.parametrize(
    ("attack", "stage"),
    [
        ("while True: print('x' * 1000)", "printed too much"),
        ("time.sleep(60)", "took too long"),
        ("y = bytearray(2**32)", "took too much memory"),
        ("while True: os.fork() or time.sleep(9)", "started too many processes"),
        ("os._exit(0)", "sent no usable predictions"),
        ("os.write(3, b'MBLP1' + bytes(900)); os._exit(0)", "sent no usable predictions"),
    ],
)
def test_what_does_not_end_well_is_stopped_and_compares_nothing(
    recorded: Callable[..., Path], attack: str, stage: str
) -> None:
    code = MEAN.replace("self.mean = float(np.mean(y))", f"\n        import os, time\n        {attack}")
    said = f"mini_gap fold 0: the code of the entry {stage}; .*--timeout"
    with pytest.raises(SubmittedCodeError, match=said) as caught:
        again(recorded(code, ran=MEAN), limits=Limits(seconds=5, memory_mb=600, processes=24))
    assert caught.value.stage == stage
    assert caught.value.details


@pytest.mark.usefixtures("isolation")
def test_a_table_of_predictions_in_the_code_is_told_by_its_size(recorded: Callable[..., Path]) -> None:
    """Nothing else can tell it: code that carries its answers gives them."""
    folder = recorded(HONEST)
    honest = again(folder)
    assert FEW_BITS < honest.code_bits < 20, "of one small task, any code could"
    entry = Submission.load(folder)
    answers = {fold: held.predictions.prediction.tolist() for fold, held in entry.recorded("mini_gap").items()}
    table = MEAN.replace(
        "return np.full(len(X), self.mean)", f"return next(a for a in {list(answers.values())!r} if len(a) == len(X))"
    )
    (folder / "theirs.py").write_text(table)
    seal(folder)
    forged = again(folder)
    assert forged.verdict == "equal"
    assert forged.code_bits > max(FEW_BITS, 3 * honest.code_bits)


def test_nothing_runs_unless_it_is_asked_for(recorded: Callable[..., Path], tmp_path: Path) -> None:
    folder = recorded(f"open({str(tmp_path / 'ran')!r}, 'w')\n{MEAN}", ran=MEAN)
    with pytest.raises(
        RunError, match="execute code that strangers sent; read it first, then say --run-submitted-code"
    ):
        reproduce(folder)
    assert not (tmp_path / "ran").exists()


def test_where_there_is_no_code_to_train_that_is_said(recorded: Callable[..., Path]) -> None:
    folder = recorded("print('a script')", ran=MEAN)
    with pytest.raises(RunError, match=r"of its files \(theirs.py\) none is a Python file with get_estimator"):
        again(folder)
    for name in ("a.py", "b.py"):
        (folder / name).write_text(MEAN)
    seal(folder)
    with pytest.raises(RunError, match=r"a\.py, b\.py each have get_estimator; .*model\.py"):
        again(folder)


def test_an_imported_entry_has_its_code_elsewhere(tmp_path: Path) -> None:
    entry = Submission(MINI, algorithm="Theirs", imported={"from": "Matbench"})
    entry.record("mini_gap", 0, [1.0] * 100)
    with pytest.raises(RunError, match="it was imported, and its code is elsewhere"):
        again(entry.save(tmp_path / "theirs"))


def test_an_entry_where_the_sandbox_finds_its_python_is_refused(
    recorded: Callable[..., Path], isolation: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = recorded(MEAN)
    monkeypatch.setattr("matbench_lite.train.sandbox.isolation.visible_folders", lambda: (folder.parent.parent,))
    with pytest.raises(IsolationError, match="where submitted code finds its Python; move it"):
        again(folder)


def test_a_machine_that_cannot_isolate_reproduces_nothing(
    recorded: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolation, "isolation_problem", lambda: IsolationError("no namespaces here"))
    with pytest.raises(IsolationError, match="no namespaces here"):
        again(recorded(MEAN))


def test_folds_are_chosen_or_drawn_among_those_that_are_recorded(recorded: Callable[..., Path]) -> None:
    entry = read_entry(recorded(MEAN, tasks=("mini_gap", "mini_log_kvrh")), MINI)
    smallest = min(("mini_gap", "mini_log_kvrh"), key=lambda name: MINI[name].rows)

    def chosen(*what: object) -> tuple[str, int]:
        task, fold = choose_fold(entry, *what)
        return task.name, fold

    assert chosen(None, None, None) == (smallest, 0)
    assert chosen("mini_log_kvrh", None, None) == ("mini_log_kvrh", 0)
    assert chosen(None, 3, None) == (smallest, 3)
    drawn = {chosen(None, None, seed) for seed in range(100)}
    assert len(drawn) == 10, "every recorded fold can be drawn"
    assert chosen(None, None, 5) == chosen(None, None, 5)
    assert {chosen("mini_gap", None, seed)[0] for seed in range(20)} == {"mini_gap"}
    with pytest.raises(UnknownNameError, match="use one of"):
        chosen("mini_gp", None, None)
    with pytest.raises(UnknownNameError, match="has not recorded fold 7 of mini_gap"):
        chosen("mini_gap", 7, None)


def held(values: np.ndarray, **more: np.ndarray) -> FoldPredictions:
    return FoldPredictions(type="value", prediction=np.asarray(values, dtype=np.float64), **more)


@pytest.fixture
def folds() -> dict[int, RecordedFold]:
    """Five folds of an entry that errs by a tenth of the deviation."""
    noise = np.random.default_rng(0)
    return {
        fold: RecordedFold(predictions=held(truth + 0.1 * truth.std() * noise.normal(size=len(truth))))
        for fold in TASK.folds
        for truth in [TASK.target_values[TASK.test_rows(fold)]]
    }


def verdict(folds: dict[int, RecordedFold], retrained: FoldPredictions) -> str:
    return str(compare_folds(TASK, 0, folds, retrained)["verdict"])


def test_rounding_is_equal_and_more_is_not(folds: dict[int, RecordedFold]) -> None:
    values = folds[0].predictions.prediction
    assert compare_folds(TASK, 0, folds, held(values))["identical"]
    rounded = compare_folds(TASK, 0, folds, held(values * (1 + 1e-9)))
    assert (rounded["verdict"], rounded["identical"]) == ("equal", False)
    assert verdict(folds, held(values + 1e-3)) == "within spread"
    truth = TASK.target_values[TASK.test_rows(0)]
    assert verdict(folds, held(truth)) == "not reproduced"
    drawn = truth + (values - truth) / 0.98
    assert verdict(folds, held(drawn)) == "not reproduced", "recorded were these, drawn to the truth by a fiftieth"
    assert verdict(folds, held(2 * truth - values)) == "not reproduced", "of the same score, and not like them"


def test_one_enormous_prediction_makes_no_other_difference_small(folds: dict[int, RecordedFold]) -> None:
    values = folds[0].predictions.prediction.copy()
    values[7] = 1e12
    folds[0] = replace(folds[0], predictions=held(values))
    other = values + 0.5
    other[7] = 1e12
    assert verdict(folds, held(other)) != "equal"


def test_labels_are_not_numbers_and_certainties_count(folds: dict[int, RecordedFold]) -> None:
    values = folds[0].predictions.prediction
    std = np.full(len(values), 0.2, dtype=np.float32)
    folds[0] = replace(folds[0], predictions=held(values, std=std))
    assert verdict(folds, held(values, std=std)) == "equal"
    assert verdict(folds, held(values, std=2 * std)) != "equal"
    assert verdict(folds, held(values)) == "equal", "a model that gives none is compared by what it gives"
    probability = MINI["mini_is_ductile"]
    labels = {
        fold: RecordedFold(
            predictions=FoldPredictions(type="label", prediction=np.zeros(len(probability.test_rows(fold))))
        )
        for fold in probability.folds
    }
    zeros = FoldPredictions(type="probability", prediction=labels[0].predictions.prediction)
    assert compare_folds(probability, 0, labels, zeros)["verdict"] == "not reproduced"


def test_the_digest_of_code_follows_names_and_contents(recorded: Callable[..., Path]) -> None:
    folder = recorded(MEAN)
    before = code_sha256(read_entry(folder, MINI).document)
    (folder / "README.md").write_text("hello")
    seal(folder)
    assert code_sha256(read_entry(folder, MINI).document) == before
    (folder / "theirs.py").rename(folder / "ours.py")
    seal(folder)
    assert code_sha256(read_entry(folder, MINI).document) != before


@pytest.mark.skipif(not SUBMISSIONS.is_dir(), reason="the entries are in the repository, not in the package")
def test_bits_of_code_are_counted_for_each_label_and_each_different_number() -> None:
    numbers = read_entry(SUBMISSIONS / "ridge-magpie")
    assert code_bits({"model.py": b"x" * 1000}, numbers) < 0.01
    half = {fold: RecordedFold(predictions=held(np.zeros(100))) for fold in range(5)}
    constant = replace(numbers, folds={"mini_gap": half})
    labels = {fold: RecordedFold(predictions=FoldPredictions(type="label", prediction=np.zeros(100))) for fold in half}
    one, many = (
        code_bits({"model.py": b"x" * 1000}, replace(constant, folds={"mini_gap": folds})) for folds in (half, labels)
    )
    assert one == pytest.approx(500 * many, rel=0.01)
