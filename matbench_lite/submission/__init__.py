"""The record: predictions fold by fold, their scores, and the entry on disk."""

from matbench_lite.submission.entry import Entry, read_entry
from matbench_lite.submission.predictions import FoldPredictions, PredictionType
from matbench_lite.submission.recorded import RecordedFold
from matbench_lite.submission.schema import SCHEMA_FILE, SCHEMA_VERSION
from matbench_lite.submission.scores import Scores, TaskScores, score_fold, score_rows
from matbench_lite.submission.sealing import reseal
from matbench_lite.submission.submission import Submission

__all__ = [
    "SCHEMA_FILE",
    "SCHEMA_VERSION",
    "Entry",
    "FoldPredictions",
    "PredictionType",
    "RecordedFold",
    "Scores",
    "Submission",
    "TaskScores",
    "read_entry",
    "reseal",
    "score_fold",
    "score_rows",
]
