"""Every error and warning that a user can cause, in one place.

Each message says what was wrong and where; `fix` says what to do next and is part of the printed text.
A plain Python exception out of this package is a bug of ours.
"""

from __future__ import annotations


class MatbenchLiteError(Exception):
    """Base of all errors that a user can cause.

    Args:
        message: What was wrong, and where, with the values.
        fix: What to do next, one sentence or command.

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
        # Exceptions cross process borders (joblib, Dask): the default would lose the keyword.
        return _rebuild, (type(self), self.message, self.fix)


def _rebuild(kind: type[MatbenchLiteError], message: str, fix: str | None) -> MatbenchLiteError:
    return kind(message, fix=fix)


class UnknownNameError(MatbenchLiteError, KeyError):
    """A benchmark, task, fold or column of that name does not exist."""


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


class MetricError(MatbenchLiteError, ValueError):
    """Arrays that no metric can be computed from."""


class UnverifiedDataWarning(UserWarning):
    """Data in use whose checksum is not the published one."""
