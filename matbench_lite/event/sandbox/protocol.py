"""What a worker sends back, byte by byte: predictions in a fixed format, or why there are none.

The worker runs code that nobody has read. So nothing is unpickled, every length is known beforehand, and of what it
says about itself only a number out of a fixed list is believed.

A frame is the magic, a status byte, and then: for status 0, for each set of rows a byte for the kind of values
(0: float64, 1: bool), a byte for whether standard deviations follow (float64), and the arrays, little-endian; for any
other status, a position in `STAGES`, text for the organiser up to the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from matbench_lite.run.fitting import Predicted

RAISED, CRASHED = "raised an error", "crashed"
TOO_LONG, MEMORY, PROCESSES = "took too long", "took too much memory", "started too many processes"
DISK, OUTPUT = "filled its disk", "printed too much"
UNUSABLE = "sent no usable predictions"
STAGES = (RAISED, TOO_LONG, MEMORY, PROCESSES, DISK, OUTPUT, CRASHED, UNUSABLE)
"""What can become of submitted code that is not trained; fit for anyone's eyes."""

READY = b"\n"
"""Sent once, when the worker can take its job and before it has seen any submitted code."""
LONGEST_TEXT = 100_000
"""Bytes of text about an error that are sent, and kept."""
_MAGIC = b"MBLP1"


class FrameError(ValueError):
    """Bytes that are no frame of the expected rows."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """What a worker says about its own failure.

    Args:
        stage: One of `STAGES`.
        text: Trace, for the organiser.
    """

    stage: str
    text: str


def encode_predictions(predicted: Sequence[Predicted]) -> bytes:
    """The frame with predictions for some sets of rows.

    Examples:
        >>> import numpy as np
        >>> from matbench_lite.run import Predicted
        >>> decode(encode_predictions([Predicted(values=np.array([0.5, 2.0]))]), [2])
        [(array([0.5, 2. ]), None)]
    """
    import numpy as np

    parts = [_MAGIC, b"\0"]
    for one in predicted:
        is_label = one.values.dtype == bool
        parts.append(bytes([is_label, one.std is not None]))
        parts.append(np.ascontiguousarray(one.values, dtype="?" if is_label else "<f8").tobytes())
        if one.std is not None:
            parts.append(np.ascontiguousarray(one.std, dtype="<f8").tobytes())
    return b"".join(parts)


def encode_failure(stage: str, text: str) -> bytes:
    """The frame that says why there are no predictions.

    Examples:
        >>> decode(encode_failure("took too much memory", "MemoryError"), [2])
        Failure(stage='took too much memory', text='MemoryError')
    """
    return _MAGIC + bytes([1 + STAGES.index(stage)]) + text.encode(errors="replace")[-LONGEST_TEXT:]


def longest_frame(rows: Sequence[int]) -> int:
    """Bytes that a frame for sets of this many rows can have at most."""
    return len(READY) + len(_MAGIC) + 1 + max(LONGEST_TEXT, sum(2 + 16 * number for number in rows))


Arrays = tuple["NDArray[Any]", "NDArray[np.float64] | None"]


def decode(frame: bytes, rows: Sequence[int]) -> list[Arrays] | Failure:
    """Read a frame.

    Args:
        frame: All that was sent after `READY`.
        rows: Number of rows in each set.

    Returns:
        Values and standard deviations of each set, not yet looked at; or why there are none.

    Raises:
        FrameError: If it is anything but one whole frame.
    """
    import numpy as np

    if not frame.startswith(_MAGIC) or len(frame) <= len(_MAGIC):
        raise FrameError("no frame")
    status, rest = frame[len(_MAGIC)], frame[len(_MAGIC) + 1 :]
    if status > len(STAGES):
        raise FrameError(f"status {status}")
    if status:
        return Failure(stage=STAGES[status - 1], text=printable(rest[-LONGEST_TEXT:]))
    found: list[Arrays] = []
    for number in rows:
        if len(rest) < 2 or rest[0] > 1 or rest[1] > 1:
            raise FrameError("no kind of values")
        is_label, has_std, rest = rest[0], rest[1], rest[2:]
        size = number if is_label else 8 * number
        whole = size + (8 * number if has_std else 0)
        if len(rest) < whole:
            raise FrameError(f"{len(rest)} of {whole} bytes")
        # A byte that is neither 0 nor 1 would make a boolean that is neither true nor false.
        values = np.frombuffer(rest[:size], dtype="u1") != 0 if is_label else np.frombuffer(rest[:size], dtype="<f8")
        found.append((values, np.frombuffer(rest[size:whole], dtype="<f8") if has_std else None))
        rest = rest[whole:]
    if rest:
        raise FrameError(f"{len(rest)} bytes too many")
    return found


def printable(text: bytes) -> str:
    r"""Text from a stranger, without the characters that command a terminal.

    Examples:
        >>> printable(b"one\x1b[2J\ttwo\n\xff")
        'one?[2J\ttwo\n\ufffd'
    """
    return "".join(
        letter if letter in "\n\t" or letter.isprintable() else "?" for letter in text.decode(errors="replace")
    )
