"""A model: a Python file, a folder with `model.py`, or a baseline by name; its estimators, its inputs and its card."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast, get_args

from matbench_lite.documents import is_there
from matbench_lite.errors import MatbenchLiteError, ModelError, raising, unknown_name
from matbench_lite.tasks import Input, Task

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

_BASELINES = Path(__file__).parent / "baselines"
BASELINES = ("dummy", "ridge-magpie", "rf-magpie", "gbt-magpie", "rf-structure", "bagged-gbt", "rf-table")
"""Names of the built-in baselines; each is a model file that a submitter can start from."""

MODEL_FILE = "model.py"
"""What `get_estimator` is in, in the folder of a model."""
_CODE = (".py", ".ipynb")
_LONGEST_SOURCE = 1_000_000  # characters: a longer file is no model that somebody wrote
_visited: list[Path] = []
"""Folders that code was loaded from, the last one last: modules of two of them may have the same name."""
_INPUTS: dict[str | None, str] = {
    "composition": "compositions",
    "structure": "structures",
    "table": "columns of a table",
    None: "anything",
}


@dataclass(frozen=True, kw_only=True)
class Named:
    """What is known of any model before it is loaded: its name, and a digest of its code."""

    name: str
    sha256: str = ""


@dataclass(frozen=True, kw_only=True)
class Model(Named):
    """Where the estimators of an entry come from. A plain record: it can be sent to another process.

    `name` is fit for a folder's; `path` what the user gave, None for a baseline. It declares to work on formulas of
    every material ("composition"), structure tasks only ("structure"), tables only ("table"), or whatever a task gives
    (None); with `tables`, on tables, too. `sha256` is over `files`, names included.
    """

    path: Path | None
    input: Input | None
    files: tuple[Path, ...]
    tables: bool = False

    def estimator(self, task: Task) -> Any:
        """A new, untrained estimator for a task.

        Raises:
            ModelError: If `get_estimator` fails, or what it returns cannot be trained, or the source has changed.
        """
        if source_digest(self.files) != self.sha256:
            raise ModelError(
                f"the model {self.name!r} was changed while it was in use", fix="start again with the changed model"
            )
        with importing_from(self.files[0].parent):
            get_estimator = _load_module(self.files[0], self.sha256).get_estimator
            try:
                estimator = get_estimator(task) if inspect.signature(get_estimator).parameters else get_estimator()
            except MatbenchLiteError:
                raise
            except Exception as error:
                raise ModelError(
                    f"get_estimator of {self.name!r} raised {type(error).__name__} for {task.name}: {error}",
                    fix="correct the model",
                ) from error
        for method in ("fit", "predict"):
            if not callable(getattr(estimator, method, None)):
                raise ModelError(
                    f"get_estimator of {self.name!r} returned {type(estimator).__name__}, which has no {method}()",
                    fix="return a scikit-learn estimator, with fit(X, y) and predict(X)",
                )
        return estimator

    def takes(self, task: Task) -> bool:
        """Whether the model works on what the task gives."""
        if task.input == "table":
            return self.tables or self.input in (None, "table")
        return self.input in (None, "composition", task.input)

    def refusal(self, *tasks: Task) -> str:
        """Why it does not take some tasks, in words."""
        names = ", ".join(task.name for task in tasks)
        return f"the model {self.name!r} takes {_INPUTS[self.input]}, {names} has {_INPUTS[tasks[0].input]}"


def load_model(name_or_path: str | Path) -> Model:
    """Load a model and see that it has `get_estimator`. The file is executed: load only what you trust.

    Raises:
        UnknownNameError: If there is neither such a file or folder nor such a baseline.
        ModelError: If the file fails when it is executed, or lacks `get_estimator`.

    Examples:
        >>> model = load_model("ridge-magpie")
        >>> model.name, model.input, model.files[0].name
        ('ridge-magpie', 'composition', 'ridge_magpie.py')
    """
    path = Path(name_or_path)
    there = is_there(path)
    if str(name_or_path) in BASELINES and not there:
        return _opened(str(name_or_path), None, (_BASELINES / f"{str(name_or_path).replace('-', '_')}.py",))
    if there and path.is_dir():
        main = path / MODEL_FILE
        if not main.is_file():
            raise ModelError(f"there is no {MODEL_FILE} in {path}", fix=f"put get_estimator(task) into {main}")
        others = sorted(file for file in path.iterdir() if file.suffix in _CODE and file != main and file.is_file())
        # Resolved: workers of a cluster have working directories of their own.
        path = path.resolve()
        return _opened(path.name, path, tuple(file.resolve() for file in (main, *others)))
    if there and path.is_file():
        if path.suffix != ".py":
            raise ModelError(f"{path} is not a Python file", fix="give a .py file, a folder or the name of a baseline")
        return _opened(path.stem.replace("_", "-"), path.resolve(), (path.resolve(),))
    if path.suffix or len(path.parts) > 1:
        raise ModelError(f"there is no model {path}", fix="give a .py file, a folder or the name of a baseline")
    raise unknown_name("model file, folder or baseline", str(name_or_path), BASELINES)


def submitted_model(files: Path, name: str, sha256: str) -> Model:
    """A model that a stranger sent: its file is read, not executed; all but formulas are what the task gives."""
    file = files / MODEL_FILE
    source = file.read_text(encoding="utf-8", errors="replace")
    composition = "composition" if declared_input(source) == "composition" else None
    return Model(name=name, path=files, input=composition, files=(file,), sha256=sha256)  # type: ignore[arg-type]


def declared_input(source: str) -> str | None:
    r"""What a model file declares as its `input`, from its text alone; of several, the first.

    Examples:
        >>> declared_input('input = "composition"\n'), declared_input("import os")
        ('composition', None)
    """
    for statement in _statements(source):
        if isinstance(statement, ast.Assign) and "input" in _bound(statement):
            value = statement.value
            first = value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value
            return str(first.value) if isinstance(first, ast.Constant) else None
    return None


def gives_estimators(source: str) -> bool:
    """Whether a Python file has `get_estimator`, from its text alone.

    Examples:
        >>> gives_estimators("def get_estimator(task): ..."), gives_estimators("print(1)")
        (True, False)
    """
    return any("get_estimator" in _bound(statement) for statement in _statements(source))


def _statements(source: str) -> list[ast.stmt]:
    """The statements of a file that nobody has executed; none of one that cannot be, which its loading will say."""
    if len(source) > _LONGEST_SOURCE:
        return []
    try:
        return ast.parse(source.removeprefix("\ufeff")).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement at the top of a file binds."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.ImportFrom):
        return {name.asname or name.name for name in statement.names}
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def source_digest(files: tuple[Path, ...]) -> str:
    """The sha256 over the names and contents of source files.

    Raises:
        ModelError: If one cannot be read.
    """
    digest, fix = hashlib.sha256(), "on a cluster, keep the model in a folder that all workers see"
    for file in files:
        with raising(ModelError, f"the model file {file} cannot be read", fix=fix):
            content = file.read_bytes()
        digest.update(f"{file.name}:{len(content)}:".encode())
        digest.update(content)
    return digest.hexdigest()


def _opened(name: str, path: Path | None, files: tuple[Path, ...]) -> Model:
    sha256 = source_digest(files)
    with importing_from(files[0].parent):
        module = _load_module(files[0], sha256)
    if not callable(getattr(module, "get_estimator", None)):
        raise ModelError(
            f"{files[0]} has no function get_estimator", fix="define get_estimator(task) that returns an estimator"
        )
    declared = getattr(module, "input", None)
    first, *others = declared if isinstance(declared, tuple) and declared else (declared,)
    if first not in (None, *get_args(Input)) or others not in ([], ["table"]):
        raise ModelError(
            f"{files[0]} declares input = {declared!r}",
            fix='declare input = "composition", "structure" or "table", nothing, or ("composition", "table")',
        )
    given = cast("Input | None", first)
    return Model(name=name, path=path, input=given, files=files, sha256=sha256, tables=bool(others))


def _load_module(file: Path, sha256: str) -> ModuleType:
    try:
        return load_file(file, sha256)
    except Exception as error:
        raise ModelError(f"{file} failed with {type(error).__name__}: {error}", fix="correct the model") from error


@lru_cache(maxsize=64)
def load_file(file: Path, sha256: str) -> ModuleType:
    """Execute a Python file, once per content; what it raises is passed on, and nothing is left beside it."""
    name = f"mbl_{file.stem}_{sha256[:12]}"  # a changed file is a new module
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Registered before it runs, as Python does it: dataclasses and pickle look their module up by name.
    sys.modules[name] = module
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # the folder may be an entry: no litter in it
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.dont_write_bytecode = writes
    return module


@contextmanager
def importing_from(folder: Path) -> Iterator[None]:
    """Let `import features` in a file find `features.py` beside it, and not that beside the code before."""
    if folder == _BASELINES:
        yield
        return
    if _visited[-1:] != [folder]:
        for name in [name for name, module in sys.modules.items() if _is_foreign(name, module, folder)]:
            del sys.modules[name]
        _visited.append(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _is_foreign(name: str, module: ModuleType, folder: Path) -> bool:
    """Whether a module was loaded beside other code, and this folder has one of the same name."""
    file = getattr(module, "__file__", None)
    if not file or "." in name or Path(file).parent not in _visited:
        return False
    return Path(file).parent != folder and (folder / f"{name}.py").is_file()


def model_inputs(model: Model, task: Task, rows: NDArray[np.intp] | None = None) -> pd.Series | pd.DataFrame:
    """The inputs of some rows of a task, as the model wants them.

    A model that declares `input = "composition"` gets formulas from structure tasks too: the reduced formulas of the
    targets, whether the structures are on this machine or not, so that everybody trains on the same. Rows are positions
    in file order, all by default; what is given is indexed by row id, and structures are built when they are looked at.

    Raises:
        ModelError: If the model does not take what the task has.
        DataMissingError: If the data is not on this machine.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> from matbench_lite.train import load_model
        >>> task = load_benchmark("mini")["mini_e_form"]
        >>> task.input, model_inputs(load_model("ridge-magpie"), task).iloc[0]
        ('structure', ...)
    """
    if not model.takes(task):
        raise ModelError(model.refusal(task), fix="leave this task out")
    if model.input == "composition" and task.input == "structure":
        inputs = task.targets["formula"].rename("composition")
    else:
        inputs = task.inputs
    return inputs if rows is None else inputs.iloc[rows]


def require_data(model: Model, task: Task) -> None:
    """Have what a model is trained on here, fetched if need be; a DataError if it cannot be."""
    from matbench_lite.data import require

    require(task, "targets")
    if task.input == "composition" or model.input != "composition":
        require(task, "inputs")


def about_model(model: Model) -> dict[str, Any]:
    """The header of a model's entry, as arguments of `Submission`: from `about.toml` in its folder, or its name alone.

    Raises:
        ModelError: If the file has a mistake.

    Examples:
        >>> from matbench_lite.train import load_model
        >>> about_model(load_model("dummy"))["algorithm"]
        'Dummy'
    """
    from matbench_lite.submission import ABOUT_FILE, read_about

    named = {"algorithm": model.name}
    if model.path is None:
        return named | read_about(_BASELINES / ABOUT_FILE, model.name)
    file = model.path / ABOUT_FILE
    # Beside a single file it would be anybody's.
    return named | (read_about(file) if model.path.is_dir() and file.is_file() else {})
