"""What a worker may take, and what it sends back: predictions in a fixed format, or why there are none.

The worker runs code that nobody has read. So nothing is unpickled, every length is known beforehand, and of what it
says about itself only a number out of a fixed list is believed.

A frame is the magic, a status byte, and then: for status 0, for each set of rows a byte for the kind of values
(0: float64, 1: bool, 2: float64 for every class, 3: the number of a class in a byte), a byte for whether standard
deviations follow (float64), and the arrays, little-endian; for any other status, a position in `STAGES`, text for the
organiser up to the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matbench_lite.cleaner import for_terminal
from matbench_lite.errors import MatbenchLiteError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from matbench_lite.train import Predicted

UNLOADABLE, RAISED, CRASHED = "could not be loaded", "raised an error", "crashed"
TOO_LONG, MEMORY, PROCESSES = "took too long", "took too much memory", "started too many processes"
DISK, OUTPUT = "filled its disk", "printed too much"
UNUSABLE = "sent no usable predictions"
STAGES = (UNLOADABLE, RAISED, TOO_LONG, MEMORY, PROCESSES, DISK, OUTPUT, CRASHED, UNUSABLE)
"""What can become of submitted code that is not trained; fit for anyone's eyes."""

READY = b"\n"
"""Sent once, when the worker can take its job and before it has seen any submitted code."""
LONGEST_TEXT = 100_000
"""Bytes of text about an error that are sent, and kept."""
_MAGIC = b"MBLP1"
Classes = tuple[str, ...] | tuple[int, ...]
_TYPES = ("<f8", "?", "<f8", "u1")


class FrameError(ValueError):
    """Bytes that are no frame of the expected rows."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """What a worker says about its own failure: one of `STAGES`, and a trace for the organiser."""

    stage: str
    text: str


def encode_predictions(predicted: Sequence[Predicted], classes: Classes = ()) -> bytes:
    """The frame with predictions for some sets of rows; `classes` are the names of classes, if they have any."""
    import numpy as np

    parts = [_MAGIC, b"\0"]
    for one in predicted:
        values = one.values
        kind = 2 if values.ndim == 2 else 1 if values.dtype == bool else 0
        if len(classes) > 2 and kind == 0:
            kind, values = 3, np.array([classes.index(name) for name in values.tolist()])
        parts.append(bytes([kind, one.std is not None]))
        parts.append(np.ascontiguousarray(values, dtype=_TYPES[kind]).tobytes())
        if one.std is not None:
            parts.append(np.ascontiguousarray(one.std, dtype="<f8").tobytes())
    return b"".join(parts)


def encode_failure(stage: str, text: str) -> bytes:
    """The frame that says why there are no predictions."""
    return _MAGIC + bytes([1 + STAGES.index(stage)]) + text.encode(errors="replace")[-LONGEST_TEXT:]


def longest_frame(rows: Sequence[int], classes: Classes = ()) -> int:
    """Bytes that a frame for sets of this many rows can have at most."""
    each = 8 * max(2, len(classes))
    return len(READY) + len(_MAGIC) + 1 + max(LONGEST_TEXT, sum(2 + each * number for number in rows))


Arrays = tuple["NDArray[Any]", "NDArray[np.float64] | None"]


def decode(frame: bytes, rows: Sequence[int], classes: Classes = ()) -> list[Arrays] | Failure:
    """Values and standard deviations of each set of so many rows, not yet looked at; or why there are none.

    `frame` is all that was sent after `READY`; a `FrameError` if it is anything but one whole frame.
    """
    import numpy as np

    if not frame.startswith(_MAGIC) or len(frame) <= len(_MAGIC):
        raise FrameError("no frame")
    status, rest = frame[len(_MAGIC)], frame[len(_MAGIC) + 1 :]
    if status > len(STAGES):
        raise FrameError(f"status {status}")
    if status:
        return Failure(stage=STAGES[status - 1], text=for_terminal(rest[-LONGEST_TEXT:], None)[-LONGEST_TEXT:])
    found: list[Arrays] = []
    for number in rows:
        if len(rest) < 2 or rest[0] not in ((2, 3) if len(classes) > 2 else (0, 1)) or rest[1] > 1:
            raise FrameError("no kind of values")
        kind, has_std, rest = rest[0], rest[1], rest[2:]
        size = number * {0: 8, 1: 1, 2: 8 * len(classes), 3: 1}[kind]
        whole = size + (8 * number if has_std else 0)
        if len(rest) < whole:
            raise FrameError(f"{len(rest)} of {whole} bytes")
        values: NDArray[Any] = np.frombuffer(rest[:size], dtype="u1" if kind in (1, 3) else "<f8")
        if kind == 1:
            values = values != 0  # a byte that is neither 0 nor 1 would make neither true nor false
        elif kind == 2:
            values = values.reshape(number, len(classes))
        elif kind == 3:
            if (values >= len(classes)).any():
                raise FrameError("no number of a class")
            values = np.array(classes, dtype=object if isinstance(classes[0], str) else None)[values]
        found.append((values, np.frombuffer(rest[size:whole], dtype="<f8") if has_std else None))
        rest = rest[whole:]
    if rest:
        raise FrameError(f"{len(rest)} bytes too many")
    return found


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one training may take, with all the processes that it starts.

    `seconds` are of wall time, from when the data is handed over; `processes` counts threads, too; `output_mb` is what
    it may print. MB are 2**20 bytes. Its scratch folder, of `disk_mb`, lies in memory: a training can take `memory_mb`
    and `disk_mb` of the machine's memory.

    Raises:
        MatbenchLiteError: If a limit is not positive.

    Examples:
        >>> Limits(seconds=0)
        Traceback (most recent call last):
        matbench_lite.errors.MatbenchLiteError: the limit seconds=0 allows nothing; give a number above 0
    """

    seconds: float = 600
    memory_mb: int = 4096
    disk_mb: int = 1024
    processes: int = 64
    output_mb: float = 1.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 < value < float("inf"):
                raise MatbenchLiteError(f"the limit {name}={value:g} allows nothing", fix="give a number above 0")
