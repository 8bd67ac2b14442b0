"""Responses that are numbers, in bins of one width."""

from __future__ import annotations

import math
from typing import Any

from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.encoders import ResponseEncoder
from matbench_lite.evaluate.items import unnest


class BinnedResponse(ResponseEncoder):
    """The bin of a number, e.g. `[1.5, 2)`: its lower end is in it, its upper end not; `width` is in its unit."""

    def __init__(self, width: float = 1.0) -> None:
        if not (isinstance(width, int | float) and 0 < width < math.inf):
            raise EvaluationError(f"args.width is {width!r}", fix="give a positive number")
        self.width = width

    def encode_response(self, response: Any, task: list[list[str]]) -> str:  # noqa: ARG002 - what all encoders take
        """The bin, as text."""
        number = math.floor(float(unnest(response)) / self.width)
        return f"[{number * self.width:.6g}, {(number + 1) * self.width:.6g})"
