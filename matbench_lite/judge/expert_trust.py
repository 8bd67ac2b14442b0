"""Who is trusted most: the opinions of one or several experts, put together by a stated rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matbench_lite.errors import JudgingError
from matbench_lite.judge.dossiers import WORST_RANK, Opinion
from matbench_lite.stats import average_ranks

COMBINING_RULE = (
    "Each expert's ranks on a dataset become places, equals sharing the mean of theirs (1, 1, 2 becomes 1.5, 1.5, 3). "
    "Places are averaged over the experts of a dataset, then over the datasets: every expert counts the same, and so "
    "does every dataset. The lowest mean is trusted most. An algorithm without a model on a dataset shares the last "
    "places there."
)
"""How several experts are combined, in plain words."""


@dataclass(frozen=True, kw_only=True)
class Trusted:
    """One algorithm, its name opened; what is by dataset is the mean over experts, or said by each expert.

    `place` and `mean_rank` are 1 for the one that is trusted most; equals share a place.
    """

    algorithm: str
    place: int
    mean_rank: float
    by_dataset: Mapping[str, float]
    ranks: Mapping[str, Mapping[str, float]]
    notes: Mapping[str, Mapping[str, Mapping[str, str]]]


@dataclass(frozen=True, kw_only=True)
class Trust:
    """The outcome of the expert track: all algorithms, the most trusted first; winners have the best mean rank."""

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
    if not opinions:
        raise JudgingError("there are no opinions", fix="give the files that the experts have filled in")
    for (expert, dossier), count in Counter((item.expert, item.dossier) for item in opinions).items():
        if count > 1:
            raise JudgingError(f"{expert} has two opinions on the dossier {dossier}", fix="keep one of them")
    named = [{name: letter for letter, name in key[item.dossier].items() if letter != "dataset"} for item in opinions]
    algorithms = sorted({name for letters in named for name in letters})
    datasets = sorted({key[item.dossier]["dataset"] for item in opinions})
    places: dict[str, list[NDArray[np.float64]]] = {dataset: [] for dataset in datasets}
    ranks: dict[str, dict[str, dict[str, float]]] = {name: {} for name in algorithms}
    notes: dict[str, dict[str, dict[str, Mapping[str, str]]]] = {name: {} for name in algorithms}
    for item, letters in zip(opinions, named, strict=True):
        dataset = key[item.dossier]["dataset"]
        given = [item.trust[letters[name]] if name in letters else WORST_RANK for name in algorithms]
        places[dataset].append(average_ranks(np.array(given)[:, np.newaxis])[:, 0])
        for name, letter in letters.items():
            ranks[name].setdefault(dataset, {})[item.expert] = item.trust[letter]
            notes[name].setdefault(dataset, {})[item.expert] = item.notes.get(letter, {})
    by_dataset = np.stack([np.mean(places[dataset], axis=0) for dataset in datasets])
    means = np.round(by_dataset.mean(axis=0), 9)
    rows = [
        Trusted(
            algorithm=name,
            place=1 + int(np.sum(means < means[column])),
            mean_rank=float(means[column]),
            by_dataset={dataset: float(by_dataset[row, column]) for row, dataset in enumerate(datasets)},
            ranks=ranks[name],
            notes=notes[name],
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
