"""Events: a public board of validation scores, a private test, a final ranking, as RAMP has them.

Everything is imported when it is first used: the process that builds a sandbox comes through here, and must be quick.
"""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.event.arrival import Taken as Taken, take as take
    from matbench_lite.event.arrival_files import ArrivalLimits as ArrivalLimits
    from matbench_lite.event.event_boards import (
        PrivateBoard as PrivateBoard, PublicBoard as PublicBoard, board_document as board_document,
        event_document as event_document, private_board as private_board, public_board as public_board,
        require_public as require_public,
    )
    from matbench_lite.event.event_data import benchmark_source as benchmark_source, table_source as table_source
    from matbench_lite.event.event_pages import (
        KNOWN_TARGETS as KNOWN_TARGETS, build_board as build_board, final_columns as final_columns,
        public_columns as public_columns, public_part as public_part,
    )
    from matbench_lite.event.event_scoring import score_submissions as score_submissions, waiting as waiting
    from matbench_lite.event.event_settings import (
        Event as Event, SubmissionLimits as SubmissionLimits, clock as clock, load_event as load_event,
    )
    from matbench_lite.event.event_setup import Shares as Shares, create_event as create_event
    from matbench_lite.event.kit import check_submission as check_submission, open_kit as open_kit, pack as pack
    from matbench_lite.event.received import Received as Received, ReceivedFolder as ReceivedFolder, receive as receive
    from matbench_lite.event.shown_scores import Scale as Scale, ShownScore as ShownScore, told as told
else:
    __getattr__, __dir__ = lazy(__name__)
