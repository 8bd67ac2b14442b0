"""Responses as they are."""

from __future__ import annotations

from typing import Any

from matbench_lite.evaluate.encoders import ResponseEncoder
from matbench_lite.evaluate.items import tuple_to_string


class Label(ResponseEncoder):
    """The text of a response.

    Examples:
        >>> Label().encode_response([["stable"]], [["Fe2O3"]])
        'stable'
    """

    def encode_response(self, response: Any, task: list[list[str]]) -> str:  # noqa: ARG002 - what all encoders take
        """The text."""
        return tuple_to_string(response)
