"""Judging models on accuracy, simplicity and a property: rules, formulas, datasets, experts."""

from matbench_lite.judge.competition import Competition, TaskSource, read_competition
from matbench_lite.judge.competition_runs import run_algorithms
from matbench_lite.judge.dataset_folder import write_datasets
from matbench_lite.judge.dossiers import read_opinion, write_dossiers
from matbench_lite.judge.expert_trust import COMBINING_RULE, Trust, combine
from matbench_lite.judge.failures import grouped_failures
from matbench_lite.judge.judge_rules import (
    DESCRIPTIONS,
    RULE_SETS,
    Rules,
    harmonic_mean,
    points,
    rule_set,
    score,
    simplicity,
)
from matbench_lite.judge.judgement import Judgement, judge, judgement_document, trust_document
from matbench_lite.judge.known_formulas import FORMULAS, KnownFormula
from matbench_lite.judge.results_file import read_results
from matbench_lite.judge.run_measurement import collect, judge_results, measure
from matbench_lite.judge.runs import Run, arrange
from matbench_lite.judge.sensitivity import sensitivity

__all__ = [
    "COMBINING_RULE", "DESCRIPTIONS", "FORMULAS", "RULE_SETS", "Competition", "Judgement", "KnownFormula", "Rules",
    "Run", "TaskSource", "Trust", "arrange", "collect", "combine", "grouped_failures", "harmonic_mean", "judge",
    "judge_results", "judgement_document", "measure", "points", "read_competition", "read_opinion", "read_results",
    "rule_set", "run_algorithms", "score", "sensitivity", "simplicity", "trust_document", "write_datasets",
    "write_dossiers",
]  # fmt: skip
