"""The record: predictions fold by fold, their scores, and the entry on disk.

Everything is imported when it is first used: the airlock needs a few of these modules, the name of a file none.
"""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.submission.entry_document import (
        ABOUT_FILE as ABOUT_FILE, SCHEMA_FILE as SCHEMA_FILE, code_names as code_names, is_deeper as is_deeper,
        parse as parse, read_about as read_about,
    )
    from matbench_lite.submission.entry_files import (
        MAX_FILES as MAX_FILES, check_nothing_dropped as check_nothing_dropped, check_owner as check_owner,
        read_document as read_document,
    )
    from matbench_lite.submission.entry_rules import (
        DOCUMENT as DOCUMENT, MAX_ROWS as MAX_ROWS, PREDICTIONS as PREDICTIONS, READING as READING,
        SEVERITIES as SEVERITIES, Finding as Finding, Rule as Rule, Severity as Severity, in_order as in_order,
        read_rules as read_rules,
    )
    from matbench_lite.submission.entry_scores import (
        TOLERANCE as TOLERANCE, ScoreDifference as ScoreDifference, Scores as Scores, TaskScores as TaskScores,
        compare_scores as compare_scores, fold_differences as fold_differences, is_averaged as is_averaged,
        same_score as same_score, score_fold as score_fold, score_folds as score_folds,
        score_rows as score_rows,
    )
    from matbench_lite.submission.entry_seal import seal as seal
    from matbench_lite.submission.entry_shelf import EntryShelf as EntryShelf
    from matbench_lite.submission.examination import (
        Entry as Entry, Examined as Examined, as_entry as as_entry, examine as examine, read_entry as read_entry,
    )
    from matbench_lite.submission.fold_predictions import (
        MAX_PREDICTION as MAX_PREDICTION, FoldPredictions as FoldPredictions, PredictionType as PredictionType,
        RecordedFold as RecordedFold, class_columns as class_columns, unfit_probabilities as unfit_probabilities,
    )
    from matbench_lite.submission.prediction_mistakes import Mistake as Mistake, mistakes as mistakes
    from matbench_lite.submission.provenance import Measurement as Measurement, collect_provenance as collect_provenance
    from matbench_lite.submission.recording import class_numbers as class_numbers
    from matbench_lite.submission.reproduction_record import (
        REPRODUCTIONS as REPRODUCTIONS, Likeness as Likeness, Reproduced as Reproduced,
        ReproducedFold as ReproducedFold, code_sha256 as code_sha256, keep_reproduction as keep_reproduction,
        read_reproductions as read_reproductions,
    )
    from matbench_lite.submission.submission import Submission as Submission
else:
    __getattr__, __dir__ = lazy(__name__)
