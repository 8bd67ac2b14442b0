"""Leaderboards as plain tables: frozen records, made from entries and targets; no HTML.

`Results` takes the entries; each kind of board is a function of it.
"""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.board.anatomy import Anatomy as Anatomy, Group as Group, WorstRow as WorstRow
    from matbench_lite.board.comparisons import (
        CompareBoard as CompareBoard, CompareRow as CompareRow, compare as compare,
    )
    from matbench_lite.board.entries_folder import (
        Entries as Entries, read_entries as read_entries, stated_benchmark as stated_benchmark,
    )
    from matbench_lite.board.entry_boards import (
        EntryBoard as EntryBoard, EntryTask as EntryTask, FoldRow as FoldRow, entry_board as entry_board,
    )
    from matbench_lite.board.general_boards import (
        BestRow as BestRow, Cell as Cell, GeneralBoard as GeneralBoard, GeneralRow as GeneralRow,
        best_row as best_row, general_board as general_board,
    )
    from matbench_lite.board.headlines import headline as headline
    from matbench_lite.board.relatives import (
        NOWHERE as NOWHERE, Relatives as Relatives, read_relatives as read_relatives,
    )
    from matbench_lite.board.result import (
        RankedTask as RankedTask, Result as Result, higher_is_better as higher_is_better, ranked_task as ranked_task,
        scaled_error as scaled_error,
    )
    from matbench_lite.board.results import Results as Results
    from matbench_lite.board.rows import (
        TargetsState as TargetsState, read_rows as read_rows, row_losses as row_losses,
        targets_state as targets_state,
    )
    from matbench_lite.board.subset_scores import (
        FEWEST_ROWS as FEWEST_ROWS, DistanceBin as DistanceBin, SubsetScore as SubsetScore,
    )
    from matbench_lite.board.table import flat_rows as flat_rows, to_csv as to_csv, to_frame as to_frame
    from matbench_lite.board.task_boards import (
        History as History, HistoryRow as HistoryRow, TaskBoard as TaskBoard, TaskRow as TaskRow, hardware as hardware,
        history as history, task_board as task_board, training_seconds as training_seconds,
    )
    from matbench_lite.board.task_sets import TASK_SETS as TASK_SETS, select_tasks as select_tasks
else:
    __getattr__, __dir__ = lazy(__name__)
