"""Classes in a user's own Python files: found, loaded and told apart."""

from __future__ import annotations

import ast
import inspect
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.evaluation_file import Code
from matbench_lite.train import execute_file, source_digest


class CodeFailedError(EvaluationError):
    """A user's own code raised, as against a mistake in the evaluation file."""


RAISED = (Exception, SystemExit)
"""What a user's own code may raise without losing the other models: `sys.exit()` in a model ends that model."""

_visited: list[Path] = []
"""Folders that code was loaded from, the last one last: modules of two of them may have the same name."""

_CCOBRA_NAMES = {
    "Model": "CCobraModel",
    "Comparator": "CCobraComparator",
    "TaskEncoder": "CCobraTaskEncoder",
    "ResponseEncoder": "CCobraResponseEncoder",
}


def python_files(path: Path) -> tuple[Path, ...]:
    """The Python files that a path means: itself, those of a folder, or those of the one folder in it."""
    if path.is_file():
        return (path,)
    files = sorted(path.glob("*.py"))
    folders = [folder for folder in path.iterdir() if folder.is_dir() and not folder.name.startswith((".", "__"))]
    return python_files(folders[0]) if not files and len(folders) == 1 else tuple(files)


def find_class(code: Code, base: type[Any]) -> type[Any] | None:
    """The class that a file or folder offers: a subclass of `base`, or of CCOBRA's class of that kind; None for none.

    The files are executed: they are what the user named in their own evaluation file. A `classname` must be there.
    """
    assert code.path is not None, "a baseline is no file"
    files = python_files(code.path)
    found: dict[str, type[Any]] = {}
    for file in files:
        module = load_module(file, code.key)
        own = {name: kind for name, kind in vars(module).items() if _is_kind(kind, base)}
        # A class that the file only imports counts where it defines none itself.
        defined = {name: kind for name, kind in own.items() if kind.__module__ == module.__name__}
        found |= defined or own
    names = ", ".join(found)
    if code.classname is not None:
        if code.classname not in found:
            raise EvaluationError(
                f"{code.key}/classname: there is no {base.__name__} {code.classname!r} in {code.stated}",
                fix=f"give one of {names}" if names else f"define a subclass of {base.__name__}",
            )
        return found[code.classname]
    if len(found) > 1:
        raise EvaluationError(
            f"{code.key}: {code.stated} has several subclasses of {base.__name__}: {names}",
            fix='say which one: {"filename": …, "classname": …}',
        )
    return next(iter(found.values()), None)


def instantiate(code: Code, kind: type[Any]) -> Any:
    """An object of a class, made with the arguments of the evaluation file."""
    signature: object = "(…)"  # some classes have none
    try:
        signature = inspect.signature(kind)
        signature.bind(**code.args)
    except (TypeError, ValueError) as error:
        raise EvaluationError(
            f"{code.key}/args: {dict(code.args)!r} are not the arguments of {kind.__name__}: {error}",
            fix=f"give the keyword arguments of {kind.__name__}{signature}",
        ) from error
    assert code.path is not None
    with working_in(code.path):
        try:
            return kind(**code.args)
        except EvaluationError as error:
            raise EvaluationError(f"{code.key}: {kind.__name__}: {error.message}", fix=error.fix) from error
        except RAISED as error:
            raise CodeFailedError(
                f"{code.key}: {kind.__name__} of {code.stated} raised {type(error).__name__}: {error}",
                fix="correct the file",
            ) from error


def load_module(file: Path, key: str) -> ModuleType:
    """Execute a file once per content."""
    try:
        with working_in(file):
            return _module(file, digest_with_imports((file,)))
    except EvaluationError:
        raise
    except RAISED as error:
        raise CodeFailedError(
            f"{key}: {file.name} failed with {type(error).__name__}: {error}", fix="correct the file"
        ) from error


def digest_with_imports(files: Sequence[Path]) -> str:
    """The sha256 over files and those in their folders that they import, directly or through others."""
    found = list(files)
    for file in found:
        try:
            tree = ast.parse(file.read_bytes())
        except SyntaxError:
            continue  # executing it says more
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names.append(node.module)
            for name in names:
                beside = file.parent / f"{name.partition('.')[0]}.py"
                if beside not in found and beside.is_file():
                    found.append(beside)
    return source_digest(tuple(found))


@contextmanager
def working_in(path: Path | None) -> Iterator[None]:
    """Let code find the modules and data files beside it, as in CCOBRA; the folder of a file, or the folder itself."""
    if path is None:
        yield
        return
    folder = path if path.is_dir() else path.parent
    if _visited[-1:] != [folder]:
        for name in [name for name, module in sys.modules.items() if _is_foreign(name, module, folder)]:
            del sys.modules[name]
        _visited.append(folder)
    before = os.getcwd()  # noqa: PTH109 - done for every group, and three times as fast
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        os.chdir(before)


@lru_cache(maxsize=64)
def _module(file: Path, sha256: str) -> ModuleType:
    return execute_file(file, f"mbl_evaluation_{file.stem}_{sha256[:12]}")


def _is_kind(kind: object, base: type[Any]) -> bool:
    if not inspect.isclass(kind) or kind is base:
        return False
    ccobra = _CCOBRA_NAMES[base.__name__]
    return issubclass(kind, base) or any(parent.__name__ == ccobra for parent in kind.__mro__[1:])


def _is_foreign(name: str, module: ModuleType, folder: Path) -> bool:
    """Whether a module was loaded beside another file, and this folder has one of the same name."""
    file = getattr(module, "__file__", None)
    if not file or "." in name or Path(file).parent not in _visited:
        return False
    return Path(file).parent != folder and (folder / f"{name}.py").is_file()
