"""Encoders: short names for tasks and responses, so that rows that mean the same are counted together.

The files beside this one are encoders that ship with the package; an evaluation file names them by their path,
`%matbench_lite%/evaluate/encoders/reduced_formula.py`.
"""

from __future__ import annotations

from typing import Any


class TaskEncoder:
    """Gives a task a short name. Subclass it in a file of its own and name the file in the evaluation file.

    Examples:
        >>> class FirstElement(TaskEncoder):
        ...     def encode_task(self, task):
        ...         return task[0][0][0]
        >>> FirstElement().encode_task([["Fe2O3"]])
        'F'
    """

    def encode_task(self, task: list[list[str]]) -> str:
        """The short name of a task, given as parts and terms."""
        raise NotImplementedError(f"{type(self).__name__} has no encode_task(task)")


class ResponseEncoder:
    """Gives a response a short name. Subclass it in a file of its own and name the file in the evaluation file.

    Examples:
        >>> class Sign(ResponseEncoder):
        ...     def encode_response(self, response, task):
        ...         return "+" if response > 0 else "-"
        >>> Sign().encode_response(-1.5, [["Fe2O3"]])
        '-'
    """

    def encode_response(self, response: Any, task: list[list[str]]) -> str:
        """The short name of a response to a task."""
        raise NotImplementedError(f"{type(self).__name__} has no encode_response(response, task)")
