"""Rule sets, named and versioned: they pick different winners, so a result always says which one it was judged by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from matbench_lite.errors import unknown_name
from matbench_lite.judge.points import Ties

RuleName = Literal["draft", "final"]
MinAccuracy = Literal["test", "train-and-test", "off"]
Qualify = Literal["elastic-net", "linear", "dummy", "none"]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How runs become scores.

    Args:
        name: `draft`: places within each run, averaged over the runs. `final`: places of the medians over the runs.
        version: Version of the rule set; a change of meaning is a new version.
        ties: Which place equals share.
        min_accuracy: `test`: a run (in `final`: a median) counts only if its R2 is more than half of the best one;
            `train-and-test`: it fails only if that is so on test and on training rows; `off`: every run counts.
        qualify: Baseline that an algorithm must beat on most datasets to be judged at all.

    Examples:
        >>> rule_set("draft").text
        'draft, version 1; ties: competition; minimal accuracy: test'
    """

    name: RuleName
    version: int = 1
    ties: Ties = "competition"
    min_accuracy: MinAccuracy = "off"
    qualify: Qualify = "none"

    @property
    def text(self) -> str:
        """The rules in one line."""
        gate = "" if self.qualify == "none" else f"; must beat {self.qualify} to qualify"
        return f"{self.name}, version {self.version}; ties: {self.ties}; minimal accuracy: {self.min_accuracy}{gate}"

    @property
    def representative(self) -> str:
        """Which run an expert gets to see."""
        return "the run with the best R2" if self.name == "draft" else "the run whose R2 is nearest to the median"


RULE_SETS: dict[str, Rules] = {
    "draft": Rules(name="draft", min_accuracy="test"),
    "final": Rules(name="final", min_accuracy="off"),
}
"""The rule sets by name, as they are without further choices."""

DESCRIPTIONS: dict[str, str] = {
    "draft": (
        "In each run the algorithms are placed by R2 (three decimals), number of components and property. Points, "
        "N for the best to 1 for the worst, are averaged over the runs. The score of a dataset is the harmonic mean "
        "of the three averages, the score of an algorithm the mean over the datasets."
    ),
    "final": (
        "For each dataset the median over the runs is taken of R2, number of components and property. The algorithms "
        "are placed by median R2 (three decimals), by -round(log5(components), 1) and by property. The score of a "
        "dataset is the harmonic mean of the three points, the score of an algorithm the mean over the datasets."
    ),
}
"""What each rule set does, in plain words."""

TIES: tuple[Ties, ...] = get_args(Ties)
MIN_ACCURACY: tuple[MinAccuracy, ...] = get_args(MinAccuracy)
QUALIFY: tuple[Qualify, ...] = get_args(Qualify)


def rule_set(name: str) -> Rules:
    """A rule set by its name.

    Raises:
        UnknownNameError: If there is none of that name.
    """
    if name not in RULE_SETS:
        raise unknown_name("rule set", name, RULE_SETS)
    return RULE_SETS[name]
