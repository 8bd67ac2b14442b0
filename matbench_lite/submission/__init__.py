"""The record: predictions fold by fold, their scores, and the entry on disk.

Everything is imported when it is first used: the airlock needs a few of these modules, the name of a file none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.submission.entry_document import ABOUT_FILE, SCHEMA_FILE, is_deeper, parse, read_about
    from matbench_lite.submission.entry_files import MAX_FILES, check_nothing_dropped, check_owner, read_document
    from matbench_lite.submission.entry_rules import (
        DOCUMENT,
        MAX_ROWS,
        PREDICTIONS,
        READING,
        SEVERITIES,
        Finding,
        Rule,
        Severity,
        in_order,
    )
    from matbench_lite.submission.entry_scores import (
        TOLERANCE,
        ScoreDifference,
        Scores,
        TaskScores,
        compare_scores,
        fold_differences,
        is_averaged,
        same_score,
        score_fold,
        score_rows,
    )
    from matbench_lite.submission.entry_seal import seal
    from matbench_lite.submission.entry_shelf import EntryShelf
    from matbench_lite.submission.examination import Entry, Examined, as_entry, examine
    from matbench_lite.submission.fold_predictions import (
        MAX_PREDICTION,
        FoldPredictions,
        PredictionType,
        RecordedFold,
        class_columns,
        unfit_probabilities,
    )
    from matbench_lite.submission.provenance import Measurement, collect_provenance
    from matbench_lite.submission.recording import class_numbers
    from matbench_lite.submission.submission import Submission

__all__ = [
    "ABOUT_FILE", "DOCUMENT", "MAX_FILES", "MAX_PREDICTION", "MAX_ROWS", "PREDICTIONS", "READING", "SCHEMA_FILE",
    "SEVERITIES", "TOLERANCE", "Entry", "EntryShelf", "Examined", "Finding", "FoldPredictions",
    "Measurement", "PredictionType", "RecordedFold", "Rule", "ScoreDifference", "Scores", "Severity", "Submission",
    "TaskScores", "as_entry", "check_nothing_dropped", "check_owner", "class_columns", "class_numbers",
    "collect_provenance", "compare_scores", "examine", "fold_differences", "in_order", "is_averaged", "is_deeper",
    "parse", "read_about", "read_document", "same_score", "score_fold", "score_rows", "seal", "unfit_probabilities",
]  # fmt: skip

__getattr__ = lazy(__name__)
