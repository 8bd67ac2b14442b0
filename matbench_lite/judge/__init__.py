"""Judging models on accuracy, simplicity and a property: rules, formulas, datasets, experts."""

from matbench_lite.judge.collecting import collect, judge_results
from matbench_lite.judge.competition import Competition, TaskSource, read_competition
from matbench_lite.judge.document import judgement_document, trust_document
from matbench_lite.judge.failing import Failure
from matbench_lite.judge.judgement import Judged, Judgement, judge
from matbench_lite.judge.measuring import measure
from matbench_lite.judge.points import harmonic_mean, points, simplicity
from matbench_lite.judge.results_file import read_results
from matbench_lite.judge.rules import RULE_SETS, Rules, rule_set
from matbench_lite.judge.running import Ran, run_algorithms
from matbench_lite.judge.runs import CRITERIA, Field, Run, arrange
from matbench_lite.judge.scoring import Scores, score
from matbench_lite.judge.sensitivity import Sensitivity, sensitivity

__all__ = [
    "CRITERIA",
    "RULE_SETS",
    "Competition",
    "Failure",
    "Field",
    "Judged",
    "Judgement",
    "Ran",
    "Rules",
    "Run",
    "Scores",
    "Sensitivity",
    "TaskSource",
    "arrange",
    "collect",
    "harmonic_mean",
    "judge",
    "judge_results",
    "judgement_document",
    "measure",
    "points",
    "read_competition",
    "read_results",
    "rule_set",
    "run_algorithms",
    "score",
    "sensitivity",
    "simplicity",
    "trust_document",
]
