"""Why the winner won, in sentences that follow from the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matbench_lite.judge.runs import CRITERIA

if TYPE_CHECKING:
    from matbench_lite.judge.judgement import Judged

_CLEAR = 0.95  # share of the draws that makes a winner clear
_ENOUGH = 5  # datasets; draws from fewer say little about others
_DECIDING = 0.01  # points; a smaller lead is no lead


def explain(judged: Sequence[Judged], winners: Sequence[str]) -> tuple[str, ...]:
    """A few sentences: the lead, where it comes from, where the winner is behind, how certain it is.

    Args:
        judged: All algorithms, best first.
        winners: Names of those with the best score.
    """
    first = judged[0]
    if len(judged) == 1:
        return (f"{first.algorithm} is the only algorithm that was judged.",)
    if len(winners) > 1:
        return (f"{_listed(winners)} have the same score, {first.score:.3f}: there is no single winner.",)
    second = judged[1]
    top = len(judged)
    return (
        f"{first.algorithm} has {first.score:.3f} of {top} possible points, {second.algorithm} {second.score:.3f}.",
        _criteria(first, second),
        _datasets(first, second),
        _certainty(first, judged),
    )


def _criteria(first: Judged, second: Judged) -> str:
    leads = {name: first.points[name] - second.points[name] for name in CRITERIA}
    ahead = [f"{name} (+{lead:.2f} points)" for name, lead in _largest(leads) if lead > _DECIDING]
    behind = [f"{name} (−{-lead:.2f})" for name, lead in _largest(leads) if lead < -_DECIDING]
    if not ahead:
        return (
            f"It is not ahead of {second.algorithm} on any criterion on average; its points are more even, which the "
            "harmonic mean rewards."
        )
    text = f"Against {second.algorithm} it leads in {_listed(ahead)}"
    return f"{text} and is behind in {_listed(behind)}." if behind else f"{text}, and is behind in nothing."


def _datasets(first: Judged, second: Judged) -> str:
    leads = {name: first.datasets[name].score - second.datasets[name].score for name in first.datasets}
    ordered = _largest(leads)
    better = sum(lead > _DECIDING for lead in leads.values())
    worse = sum(lead < -_DECIDING for lead in leads.values())
    text = f"It scores higher on {better} and lower on {worse} of {len(leads)} datasets"
    most, lead = ordered[0]
    if lead > _DECIDING and len(leads) > 1:
        text += f"; most is gained on {most} (+{lead:.2f})"
    least, loss = ordered[-1]
    if loss < -_DECIDING:
        text += f", most is lost on {least} (−{-loss:.2f})"
    return f"{text}."


def _certainty(first: Judged, judged: Sequence[Judged]) -> str:
    often = f"It wins {100 * first.wins:.0f} % of the draws of other datasets and runs"
    if first.wins < _CLEAR:
        rival = max(judged[1:], key=lambda row: row.wins)
        other = f"{rival.algorithm} {100 * rival.wins:.0f} %"
        return f"{often}, {other}: another choice of datasets might have another winner."
    number = len(first.datasets)
    if number < _ENOUGH:
        return f"{often}; but {number} dataset{' is' if number == 1 else 's are'} too few to be sure."
    return f"{often}: the result is clear."


def _largest(leads: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(leads.items(), key=lambda item: (-item[1], item[0]))


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
