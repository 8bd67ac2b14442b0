"""Who is trusted most: the opinions of one or several experts, put together by a stated rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from matbench_lite.errors import JudgingError
from matbench_lite.judge.expert.opinions import Opinion

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")

COMBINING_RULE = (
    "Each expert's ranks on a dataset become places, equals sharing the mean of theirs (1, 1, 2 becomes 1.5, 1.5, 3). "
    "Places are averaged over the experts of a dataset, then over the datasets: every expert counts the same, and so "
    "does every dataset. The lowest mean is trusted most. An algorithm without a model on a dataset shares the last "
    "places there."
)
"""How several experts are combined, in plain words."""


@dataclass(frozen=True, kw_only=True)
class Trusted:
    """One algorithm, its name opened.

    Args:
        algorithm: Its name.
        place: 1 for the one that is trusted most; equals share a place.
        mean_rank: Mean trust rank; 1 is best.
        by_dataset: Mean over the experts, by dataset.
        ranks: The ranks that experts gave, by dataset and expert.
        notes: What experts wrote, by dataset and expert.
    """

    algorithm: str
    place: int
    mean_rank: float
    by_dataset: Mapping[str, float]
    ranks: Mapping[str, Mapping[str, float]]
    notes: Mapping[str, Mapping[str, Mapping[str, str]]]


@dataclass(frozen=True, kw_only=True)
class Trust:
    """The outcome of the expert track.

    Args:
        algorithms: All algorithms, the most trusted first.
        winners: Those with the best mean rank.
        experts: Names of the experts.
        datasets: Names of the datasets.
    """

    algorithms: tuple[Trusted, ...]
    winners: tuple[str, ...]
    experts: tuple[str, ...]
    datasets: tuple[str, ...]


def combine(opinions: Sequence[Opinion], key: Mapping[str, Mapping[str, str]]) -> Trust:
    """Open the names and average the trust ranks; see `COMBINING_RULE`.

    Args:
        opinions: One or more opinions.
        key: Which algorithm is behind each letter, by dossier.

    Raises:
        JudgingError: If there is no opinion, or two of the same expert on the same dossier.

    Examples:
        >>> key = {"d1": {"dataset": "steels", "A": "mine", "B": "yours"}}
        >>> opinion = Opinion(expert="E", dossier="d1", trust={"A": 2, "B": 1}, notes={})
        >>> combine([opinion], key).winners
        ('yours',)
    """
    _check(opinions)
    named = [{name: letter for letter, name in key[item.dossier].items() if letter != "dataset"} for item in opinions]
    algorithms = sorted({name for letters in named for name in letters})
    datasets = sorted({key[item.dossier]["dataset"] for item in opinions})
    places: dict[str, list[NDArray[np.float64]]] = {dataset: [] for dataset in datasets}
    for item, letters in zip(opinions, named, strict=True):
        given = [item.trust[letters[name]] if name in letters else np.inf for name in algorithms]
        places[key[item.dossier]["dataset"]].append(_places(np.array(given, dtype=np.float64)))
    by_dataset = np.stack([np.mean(places[dataset], axis=0) for dataset in datasets])
    means = np.round(by_dataset.mean(axis=0), 9)
    rows = [
        Trusted(
            algorithm=name,
            place=1 + int(np.sum(means < means[column])),
            mean_rank=float(means[column]),
            by_dataset={dataset: float(by_dataset[row, column]) for row, dataset in enumerate(datasets)},
            ranks=_said(opinions, named, key, name, lambda item, letter: item.trust[letter]),
            notes=_said(opinions, named, key, name, lambda item, letter: item.notes.get(letter, {})),
        )
        for column, name in enumerate(algorithms)
    ]
    ordered = tuple(sorted(rows, key=lambda row: (row.place, row.algorithm)))
    return Trust(
        algorithms=ordered,
        winners=tuple(row.algorithm for row in ordered if row.place == 1),
        experts=tuple(sorted({item.expert for item in opinions})),
        datasets=tuple(datasets),
    )


def _places(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places from 1; equals share the mean of theirs."""
    better = (ranks[np.newaxis, :] < ranks[:, np.newaxis]).sum(axis=1)
    equal = (ranks[np.newaxis, :] == ranks[:, np.newaxis]).sum(axis=1)
    places: NDArray[np.float64] = 1 + better + (equal - 1) / 2
    return places


def _said(
    opinions: Sequence[Opinion],
    named: Sequence[Mapping[str, str]],
    key: Mapping[str, Mapping[str, str]],
    name: str,
    what: Callable[[Opinion, str], T],
) -> dict[str, dict[str, T]]:
    """What experts said about one algorithm, by dataset and expert."""
    found: dict[str, dict[str, T]] = {}
    for item, letters in zip(opinions, named, strict=True):
        if name in letters:
            found.setdefault(key[item.dossier]["dataset"], {})[item.expert] = what(item, letters[name])
    return found


def _check(opinions: Sequence[Opinion]) -> None:
    if not opinions:
        raise JudgingError("there are no opinions", fix="give the files that the experts have filled in")
    seen = [(item.expert, item.dossier) for item in opinions]
    for expert, dossier in seen:
        if seen.count((expert, dossier)) > 1:
            raise JudgingError(f"{expert} has two opinions on the dossier {dossier}", fix="keep one of them")
