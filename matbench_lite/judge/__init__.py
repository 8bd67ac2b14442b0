"""Judging models on accuracy, simplicity and a property: rules, formulas, datasets, experts."""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.judge.competition import (
        Competition as Competition, TaskSource as TaskSource, read_competition as read_competition,
        write_datasets as write_datasets,
    )
    from matbench_lite.judge.competition_runs import (
        collect as collect, judge_results as judge_results, measure as measure, run_algorithms as run_algorithms,
    )
    from matbench_lite.judge.dossiers import (
        COMBINING_RULE as COMBINING_RULE, Trust as Trust, combine as combine, read_key as read_key,
        read_opinion as read_opinion, write_dossiers as write_dossiers,
    )
    from matbench_lite.judge.judge_dataset import FORMULAS as FORMULAS, KnownFormula as KnownFormula
    from matbench_lite.judge.judge_rules import (
        DESCRIPTIONS as DESCRIPTIONS, RULE_SETS as RULE_SETS, Rules as Rules, harmonic_mean as harmonic_mean,
        points as points, rule_set as rule_set, score as score, sensitivity as sensitivity, simplicity as simplicity,
    )
    from matbench_lite.judge.judgement import (
        Judgement as Judgement, grouped_failures as grouped_failures, judge as judge,
        judgement_document as judgement_document, trust_document as trust_document,
    )
    from matbench_lite.judge.runs import Run as Run, arrange as arrange, read_results as read_results
else:
    __getattr__, __dir__ = lazy(__name__)
