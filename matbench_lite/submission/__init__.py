"""The record: predictions fold by fold, their scores, and the entry on disk."""

from matbench_lite.submission.about import ABOUT_FILE, checked_about, read_about, read_toml
from matbench_lite.submission.canonical import parse
from matbench_lite.submission.checkpoint import Checkpoint
from matbench_lite.submission.comparison import TOLERANCE, ScoreDifference, compare_scores, fold_differences
from matbench_lite.submission.entry import Entry, as_entry, read_document, read_entry
from matbench_lite.submission.examining import Examined, examine
from matbench_lite.submission.folder import DOCUMENT, MAX_FILES, PREDICTIONS
from matbench_lite.submission.measuring import Measurement
from matbench_lite.submission.predictions import MAX_PREDICTION, FoldPredictions, PredictionType
from matbench_lite.submission.problem import Problem, ProblemKind
from matbench_lite.submission.provenance import collect_provenance
from matbench_lite.submission.recorded import RecordedFold
from matbench_lite.submission.saving import check_nothing_dropped, check_owner
from matbench_lite.submission.schema import SCHEMA_FILE, SCHEMA_VERSION
from matbench_lite.submission.scores import Scores, TaskScores, is_averaged, score_fold, score_rows
from matbench_lite.submission.sealing import seal
from matbench_lite.submission.stored import EntryShelf
from matbench_lite.submission.submission import Submission

__all__ = [
    "ABOUT_FILE",
    "DOCUMENT",
    "MAX_FILES",
    "MAX_PREDICTION",
    "PREDICTIONS",
    "SCHEMA_FILE",
    "SCHEMA_VERSION",
    "TOLERANCE",
    "Checkpoint",
    "Entry",
    "EntryShelf",
    "Examined",
    "FoldPredictions",
    "Measurement",
    "PredictionType",
    "Problem",
    "ProblemKind",
    "RecordedFold",
    "ScoreDifference",
    "Scores",
    "Submission",
    "TaskScores",
    "as_entry",
    "check_nothing_dropped",
    "check_owner",
    "checked_about",
    "collect_provenance",
    "compare_scores",
    "examine",
    "fold_differences",
    "is_averaged",
    "parse",
    "read_about",
    "read_document",
    "read_entry",
    "read_toml",
    "score_fold",
    "score_rows",
    "seal",
]
