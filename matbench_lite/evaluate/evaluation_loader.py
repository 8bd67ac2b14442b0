"""Classes in a user's own Python files: found, loaded and told apart."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.evaluation_file import PACKAGES, Code, Evaluation, FileSource, full_path
from matbench_lite.train import importing_from, load_file, source_digest


class CodeFailedError(EvaluationError):
    """A user's own code raised, as against a mistake in the evaluation file."""


RAISED = (Exception, SystemExit)
"""What a user's own code may raise without losing the other models: `sys.exit()` in a model ends that model."""


@contextmanager
def users_code(place: str, fix: str = "correct the file") -> Iterator[None]:
    """Whatever a user's own code raises in the block is raised as an error of ours, which says where it was."""
    try:
        yield
    except EvaluationError:
        raise
    except RAISED as error:
        raise CodeFailedError(f"{place} {type(error).__name__}: {error}", fix=fix) from error


def python_files(path: Path | None) -> tuple[Path, ...]:
    """The Python files that a path means: itself, those of a folder, or those of the one folder in it; none of None."""
    if path is None:
        return ()
    if path.is_file():
        return (path,)
    files = sorted(file for file in path.glob("*.py") if file.is_file())  # a pipe may be called so, too
    folders = [folder for folder in path.iterdir() if folder.is_dir() and not folder.name.startswith((".", "__"))]
    return python_files(folders[0]) if not files and len(folders) == 1 else tuple(files)


@dataclass(frozen=True, kw_only=True)
class Named:
    """Files that an evaluation file names: code to be run, and data to be read."""

    code: tuple[Path, ...]
    data: tuple[Path, ...]


def named_outside(evaluation: Evaluation, working: Path, home: Path) -> Named:
    """What an evaluation names that nobody has put there for it.

    That is code outside of the working folder, and data outside of it and of the evaluation file's own (`home`). Of
    links, what they lead to counts. This package and CCOBRA are trusted wherever they are.
    """
    targets = evaluation.targets
    codes = [*evaluation.models, *(one.comparator for one in targets if isinstance(one.comparator, Code))]
    for one in targets:
        codes += [*one.task_encoders.values(), *one.response_encoders.values()]
    sources = (evaluation.test, evaluation.pre_train, evaluation.pre_train_person, evaluation.pre_person_background)
    data = [
        one.path if isinstance(one, FileSource) else Path(one.benchmark or "")
        for one in chain.from_iterable(sources)
        if isinstance(one, FileSource) or (one.benchmark or "").endswith(".toml")
    ]
    packages = [path for name in PACKAGES if (path := full_path(f"%{name}%", working)) is not None]
    return Named(
        code=_outside([file for code in codes for file in python_files(code.path)], [working, *packages]),
        data=_outside(data, [working, home, *packages]),
    )


def _outside(files: Sequence[Path], folders: Sequence[Path]) -> tuple[Path, ...]:
    roots = [folder.resolve() for folder in folders]
    real = dict.fromkeys(file.resolve() for file in files)
    return tuple(file for file in real if not any(file.is_relative_to(root) for root in roots))


def find_class(code: Code, base: type[Any]) -> type[Any] | None:
    """The class that a file or folder offers: a subclass of `base`, or of CCOBRA's class of that kind; None for none.

    The files are executed: they are what the user named in their own evaluation file. A `classname` must be there.
    """
    found: dict[str, type[Any]] = {}
    for file in python_files(code.path):
        module = load_module(file, code.key)
        own = {name: kind for name, kind in vars(module).items() if _is_kind(kind, base)}
        # A class that the file only imports counts where it defines none itself.
        defined = {name: kind for name, kind in own.items() if kind.__module__ == module.__name__}
        found |= defined or own
    names = ", ".join(found)
    if code.classname is not None:
        if code.classname not in found:
            raise EvaluationError(
                f"{code.key}/classname: there is no {base.__name__} {code.classname!r} in {code.filename}",
                fix=f"give one of {names}" if names else f"define a subclass of {base.__name__}",
            )
        return found[code.classname]
    if len(found) > 1:
        raise EvaluationError(
            f"{code.key}: {code.filename} has several subclasses of {base.__name__}: {names}",
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
    with working_in(code.path), users_code(f"{code.key}: {kind.__name__} of {code.filename} raised"):
        try:
            return kind(**code.args)
        except EvaluationError as error:
            raise EvaluationError(f"{code.key}: {kind.__name__}: {error.message}", fix=error.fix) from error


def load_module(file: Path, key: str) -> ModuleType:
    """Execute a file once per content."""
    with working_in(file), users_code(f"{key}: {file.name} failed with"):
        return load_file(file, digest_with_imports((file,)))


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
    with chdir(folder), importing_from(folder):
        yield


def _is_kind(kind: object, base: type[Any]) -> bool:
    if not inspect.isclass(kind) or kind is base:
        return False
    return issubclass(kind, base) or any(parent.__name__ == f"CCobra{base.__name__}" for parent in kind.__mro__[1:])
