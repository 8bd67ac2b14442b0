"""What is wrong with a Matbench result, or with a call of its API: ours, and of the kinds that Matbench raises."""

from __future__ import annotations

from matbench_lite.errors import MatbenchLiteError


class MatbenchError(MatbenchLiteError, ValueError):
    """A result that cannot be taken as it is, or a call that cannot be answered; a ValueError in Matbench too."""


class MatbenchKeyError(MatbenchError, KeyError):
    """Something of that name is missing, unknown or too much; a KeyError in Matbench."""


class MatbenchTypeError(MatbenchError, TypeError):
    """Something has the wrong type; a TypeError in Matbench."""
