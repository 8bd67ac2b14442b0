"""Leaderboards as plain tables: frozen records, made from entries and targets; no HTML.

`Results` takes the entries; each kind of board is a function of it.
"""

from matbench_lite.board.anatomy import Anatomy, Group, WorstRow
from matbench_lite.board.comparisons import CompareBoard, CompareRow, compare
from matbench_lite.board.entries_folder import Entries, read_entries, stated_benchmark
from matbench_lite.board.entry_boards import EntryBoard, EntryTask, FoldRow, entry_board
from matbench_lite.board.general_boards import (
    TASK_SETS,
    BestRow,
    Cell,
    GeneralBoard,
    GeneralRow,
    general_board,
    select_tasks,
)
from matbench_lite.board.pairs import Pair
from matbench_lite.board.result import Result, higher_is_better, scaled_error
from matbench_lite.board.results import Results
from matbench_lite.board.rows import TargetsState, read_rows, targets_state
from matbench_lite.board.table import flat_rows, to_csv, to_frame
from matbench_lite.board.task_boards import (
    History,
    HistoryRow,
    TaskBoard,
    TaskRow,
    hardware,
    history,
    task_board,
    training_seconds,
)

__all__ = [
    "TASK_SETS", "Anatomy", "BestRow", "Cell", "CompareBoard", "CompareRow", "Entries", "EntryBoard", "EntryTask",
    "FoldRow", "GeneralBoard", "GeneralRow", "Group", "History", "HistoryRow", "Pair", "Result", "Results",
    "TargetsState", "TaskBoard", "TaskRow", "WorstRow", "compare", "entry_board", "flat_rows", "general_board",
    "hardware", "higher_is_better", "history", "read_entries", "read_rows", "scaled_error", "select_tasks",
    "stated_benchmark", "targets_state", "task_board", "to_csv", "to_frame", "training_seconds",
]  # fmt: skip
