"""Events: a public board of validation scores, a private test, a final ranking, as RAMP has them.

Everything is imported when it is first used: the process that builds a sandbox comes through here, and must be quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.event.arrival import Taken, take
    from matbench_lite.event.arrival_files import ArrivalLimits
    from matbench_lite.event.event_boards import (
        PrivateBoard,
        PublicBoard,
        board_document,
        event_document,
        private_board,
        public_board,
        require_public,
    )
    from matbench_lite.event.event_columns import final_columns, public_columns
    from matbench_lite.event.event_data import benchmark_source, table_source
    from matbench_lite.event.event_pages import build_board
    from matbench_lite.event.event_scoring import score_submissions, waiting
    from matbench_lite.event.event_settings import Event, SubmissionLimits, clock, load_event
    from matbench_lite.event.event_setup import Shares, create_event
    from matbench_lite.event.kit import check_submission, open_kit, pack
    from matbench_lite.event.received import Received, ReceivedFolder, receive

__all__ = [
    "ArrivalLimits", "Event", "PrivateBoard", "PublicBoard", "Received", "ReceivedFolder", "Shares", "SubmissionLimits",
    "Taken", "benchmark_source", "board_document", "build_board", "check_submission", "clock", "create_event",
    "event_document", "final_columns", "load_event", "open_kit", "pack", "private_board", "public_board",
    "public_columns", "receive", "require_public", "score_submissions", "table_source", "take", "waiting",
]  # fmt: skip

__getattr__ = lazy(__name__)
