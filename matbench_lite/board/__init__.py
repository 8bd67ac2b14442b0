"""Leaderboards as plain tables: frozen records, made from entries and targets; no HTML.

`Results` takes the entries; each kind of board is a function of it.
"""

from matbench_lite.board.anatomy import Anatomy, Group, WorstRow
from matbench_lite.board.compare import CompareBoard, CompareRow, compare
from matbench_lite.board.entry import EntryBoard, EntryTask, FoldRow, entry_board
from matbench_lite.board.general import BestRow, Cell, GeneralBoard, GeneralRow, general_board
from matbench_lite.board.history import History, HistoryRow, history
from matbench_lite.board.pair import Pair
from matbench_lite.board.reading import Entries, read_entries, stated_benchmark
from matbench_lite.board.result import Result, higher_is_better
from matbench_lite.board.results import Results
from matbench_lite.board.rows import TargetsState, read_rows, targets_state
from matbench_lite.board.scaling import scaled_error
from matbench_lite.board.table import flat_rows, rows_to_csv, to_csv, to_frame
from matbench_lite.board.task import TaskBoard, TaskRow, hardware, task_board, training_seconds
from matbench_lite.board.task_sets import TASK_SETS, select_tasks

__all__ = [
    "TASK_SETS",
    "Anatomy",
    "BestRow",
    "Cell",
    "CompareBoard",
    "CompareRow",
    "Entries",
    "EntryBoard",
    "EntryTask",
    "FoldRow",
    "GeneralBoard",
    "GeneralRow",
    "Group",
    "History",
    "HistoryRow",
    "Pair",
    "Result",
    "Results",
    "TargetsState",
    "TaskBoard",
    "TaskRow",
    "WorstRow",
    "compare",
    "entry_board",
    "flat_rows",
    "general_board",
    "hardware",
    "higher_is_better",
    "history",
    "read_entries",
    "read_rows",
    "rows_to_csv",
    "scaled_error",
    "select_tasks",
    "stated_benchmark",
    "targets_state",
    "task_board",
    "to_csv",
    "to_frame",
    "training_seconds",
]
