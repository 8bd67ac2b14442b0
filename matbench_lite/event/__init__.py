"""Events: a public board of validation scores, a private test, a final ranking, as RAMP has them.

Everything is imported when it is first used: the process that builds a sandbox comes through here, and must be quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matbench_lite.event.boards import PrivateBoard, PrivateRow, PublicBoard, PublicRow, private_board, public_board
    from matbench_lite.event.creating import create_event
    from matbench_lite.event.kit import Kit, check_submission, open_kit
    from matbench_lite.event.packing import pack, predict_folds
    from matbench_lite.event.received import EventScores, PartScores, Received, ReceivedFolder
    from matbench_lite.event.receiving import receive
    from matbench_lite.event.scoring import score_folds, score_submissions, waiting
    from matbench_lite.event.settings import Event, SubmissionLimits, clock, load_event
    from matbench_lite.event.source import Source, benchmark_source, table_source
    from matbench_lite.event.splitting import Shares, split_rows

_HOMES = {
    "Event": "settings",
    "EventScores": "received",
    "Kit": "kit",
    "PartScores": "received",
    "PrivateBoard": "boards",
    "PrivateRow": "boards",
    "PublicBoard": "boards",
    "PublicRow": "boards",
    "Received": "received",
    "ReceivedFolder": "received",
    "Shares": "splitting",
    "Source": "source",
    "SubmissionLimits": "settings",
    "benchmark_source": "source",
    "check_submission": "kit",
    "clock": "settings",
    "create_event": "creating",
    "load_event": "settings",
    "open_kit": "kit",
    "pack": "packing",
    "predict_folds": "packing",
    "private_board": "boards",
    "public_board": "boards",
    "receive": "receiving",
    "score_folds": "scoring",
    "score_submissions": "scoring",
    "split_rows": "splitting",
    "table_source": "source",
    "waiting": "scoring",
}

__all__ = [
    "Event",
    "EventScores",
    "Kit",
    "PartScores",
    "PrivateBoard",
    "PrivateRow",
    "PublicBoard",
    "PublicRow",
    "Received",
    "ReceivedFolder",
    "Shares",
    "Source",
    "SubmissionLimits",
    "benchmark_source",
    "check_submission",
    "clock",
    "create_event",
    "load_event",
    "open_kit",
    "pack",
    "predict_folds",
    "private_board",
    "public_board",
    "receive",
    "score_folds",
    "score_submissions",
    "split_rows",
    "table_source",
    "waiting",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
