"""Every error and warning that a user can cause, in one place.

Each message says what was wrong and where; `fix` says what to do next and is part of the printed text.
A plain Python exception out of this package is a bug of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial


class MatbenchLiteError(Exception):
    """Base of all errors that a user can cause: what was wrong, and where, with the values; and what to do next.

    Examples:
        >>> str(MatbenchLiteError("fold 7 does not exist", fix="use one of 0 to 4"))
        'fold 7 does not exist; use one of 0 to 4'
    """

    def __init__(self, message: str, *, fix: str | None = None) -> None:
        super().__init__(message, fix)
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.message}; {self.fix}" if self.fix else self.message

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions cross process borders (runners, Dask): the default would lose the keyword.
        return partial(type(self), self.message, fix=self.fix), ()


@contextmanager
def raising(
    kind: type[MatbenchLiteError],
    message: str,
    *,
    fix: str | None = None,
    on: type[Exception] | tuple[type[Exception], ...] = OSError,
) -> Iterator[None]:
    """Whatever of some kind goes wrong in the block is raised as an error of ours: the message, and the reason.

    Examples:
        >>> with raising(MatbenchLiteError, "a.toml cannot be read", fix="restore it"):
        ...     open("/no/such/file")
        Traceback (most recent call last):
        matbench_lite.errors.MatbenchLiteError: a.toml cannot be read: No such file or directory; restore it
    """
    try:
        yield
    except on as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
        raise kind(f"{message}: {reason}", fix=fix) from error


class UnknownNameError(MatbenchLiteError, KeyError):
    """A benchmark, task, fold or column of that name does not exist."""


def unknown_name(what: str, name: object, known: Iterable[str], *, where: str = "") -> UnknownNameError:
    """The error for a name that does not exist: lists those that do, and guesses the one that was meant."""
    return UnknownNameError(f"there is no {what} {name!r}{where}", fix=one_of(known, name))


def one_of(known: Iterable[str], name: object) -> str:
    """What to use instead of an unknown name.

    Examples:
        >>> one_of(["mini_gap", "mini_e_form"], "mini_gp")
        "did you mean 'mini_gap'? use one of mini_gap, mini_e_form"
    """
    from difflib import get_close_matches

    names = list(known)
    close = get_close_matches(str(name), names, n=1)
    guess = f"did you mean {close[0]!r}? " if close else ""
    return f"{guess}use one of {', '.join(names)}"


class BenchmarkFileError(MatbenchLiteError):
    """A user's benchmark file (TOML) has a mistake."""


class DataError(MatbenchLiteError):
    """Base of all errors about targets and inputs."""


class DataMissingError(DataError):
    """The data asked for is not on this machine."""


class DataFormatError(DataError):
    """A data file cannot be read, or does not hold what the registry says."""


class UnverifiedDataError(DataError):
    """A data file is readable but its checksum is not the published one."""


class DownloadError(DataError):
    """A file could not be fetched, or what came was not the right file."""


class RecordError(MatbenchLiteError, ValueError):
    """Predictions that cannot be recorded: wrong length, type, range, or recorded already."""


class EntryError(MatbenchLiteError):
    """An entry on disk that cannot be read, or was changed after it was saved."""


class AirlockError(MatbenchLiteError):
    """A stranger's file that crashes the program that reads it, hangs it, or needs too much."""


class MachineError(MatbenchLiteError):
    """What this machine cannot do at present, whatever the files are that it was to be done with."""


class ModelError(MatbenchLiteError):
    """A model that cannot be loaded or trained, or whose predictions cannot be used."""


class RunError(MatbenchLiteError):
    """Training or rescoring that cannot be done as asked: too few rows, or nothing saved to go on from."""


class EvaluationError(MatbenchLiteError):
    """An evaluation file with a mistake, or data, comparators, encoders or models that do not go with it."""


class MetricError(MatbenchLiteError, ValueError):
    """Arrays that no metric can be computed from."""


class JudgingError(MatbenchLiteError):
    """Results, rules or opinions that nothing can be judged by."""


class ExpressionError(JudgingError, ValueError):
    """A formula that is not one: outside the grammar, or too large to be looked at."""


class EventError(MatbenchLiteError):
    """An event whose settings, data or submissions cannot be used as asked."""


class IsolationError(MachineError):
    """Submitted code cannot be run on this machine without it seeing what it must not."""


class SubmittedCodeError(MatbenchLiteError):
    """Submitted code that could not be trained within its limits.

    The message and `stage`, one of `matbench_lite.train.sandbox.STAGES`, may be shown to anyone: they hold no text of
    the submission and no data. `details`, its trace and output, may quote private data: for the organiser only.
    """

    def __init__(self, message: str, *, fix: str | None = None, stage: str = "", details: str = "") -> None:
        super().__init__(message, fix=fix)
        self.stage = stage
        self.details = details

    def __reduce__(self) -> tuple[object, ...]:
        return partial(type(self), self.message, fix=self.fix, stage=self.stage, details=self.details), ()


class RepositoryError(MatbenchLiteError):
    """Git is not here, or the repository cannot answer what was asked."""


class ArrivalError(MatbenchLiteError):
    """A submission that is not let in: unreadable, too large, or with something in it that is no plain file."""


class UnverifiedDataWarning(UserWarning):
    """Data in use whose checksum is not the published one."""


class PredictionWarning(UserWarning):
    """Predictions that look like a mistake: rows in another order, another unit, a value that cannot be."""


class EvaluationWarning(UserWarning):
    """An evaluation that runs, but may not answer what was asked."""
