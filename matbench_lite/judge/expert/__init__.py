"""The expert track: one representative model of each algorithm, shown without its name, and ranked by trust."""

from matbench_lite.judge.expert.dossier import Dossier, Shown, make_dossier
from matbench_lite.judge.expert.opinions import Opinion, opinion_form, read_opinion
from matbench_lite.judge.expert.representative import representative
from matbench_lite.judge.expert.trust import COMBINING_RULE, Trust, Trusted, combine

__all__ = [
    "COMBINING_RULE",
    "Dossier",
    "Opinion",
    "Shown",
    "Trust",
    "Trusted",
    "combine",
    "make_dossier",
    "opinion_form",
    "read_opinion",
    "representative",
]
