"""Four datasets from one table, as in RAMP: public rows for the kit, private rows that stay with the organiser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.errors import EventError

if TYPE_CHECKING:
    from numpy.typing import NDArray

DATASETS = ("public train", "public test", "private train", "private test")


@dataclass(frozen=True, kw_only=True)
class Shares:
    """How the rows are shared out, each from 0 to 1, all of them together 1.

    Args:
        public_train: In the kit, to train and validate on.
        public_test: In the kit, for the local test.
        private_train: What submitted code is trained and validated on.
        private_test: What decides.
    """

    public_train: float = 0.4
    public_test: float = 0.1
    private_train: float = 0.3
    private_test: float = 0.2

    @property
    def values(self) -> tuple[float, ...]:
        """In the order of `DATASETS`."""
        return (self.public_train, self.public_test, self.private_train, self.private_test)


WITHOUT_PRIVATE_TRAINING = Shares(public_train=0.6, public_test=0.15, private_train=0.0, private_test=0.25)
"""For events to which predictions are sent: nobody could train on private rows."""


def split_rows(
    formulas: Sequence[str], labels: NDArray[np.bool_] | None, shares: Shares, *, seed: int
) -> dict[str, NDArray[np.intp]]:
    """Share rows out at random; all rows of one formula go to one dataset, so that no private target is public.

    Args:
        formulas: Reduced formula of every row.
        labels: The class of every row, for classification: each dataset gets as many of each class as its share.
        shares: The shares.
        seed: Seed of the draw.

    Returns:
        Positions of the rows of each dataset, in random order: the order of a file may tell its targets.

    Raises:
        EventError: If the shares do not add up to 1, or a dataset that has a share gets no row.

    Examples:
        >>> rows = split_rows([f"A{i}" for i in range(100)], None, Shares(), seed=0)
        >>> {name: len(of) for name, of in rows.items()}
        {'public train': 40, 'public test': 10, 'private train': 30, 'private test': 20}
    """
    wanted = np.array(shares.values)
    if (wanted < 0).any() or abs(wanted.sum() - 1) > 1e-6:
        given = ", ".join(f"{name} {share:g}" for name, share in zip(DATASETS, shares.values, strict=True))
        raise EventError(f"the shares ({given}) add up to {wanted.sum():g}", fix="give four shares that add up to 1")
    dataset_of = _dataset_of_rows(np.asarray(formulas), labels, wanted, np.random.default_rng(seed))
    shuffled = np.random.default_rng([seed, 1]).permutation(len(formulas))
    rows = {name: shuffled[dataset_of[shuffled] == place] for place, name in enumerate(DATASETS)}
    for name, share in zip(DATASETS, shares.values, strict=True):
        if share > 0 and not len(rows[name]):
            raise EventError(
                f"{len(formulas)} rows of {len(set(formulas))} formulas leave none for {name}",
                fix="give more rows, or other shares",
            )
    return rows


def _dataset_of_rows(
    formulas: NDArray[np.str_], labels: NDArray[np.bool_] | None, wanted: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Formula by formula in random order, class by class: each to the dataset that lacks the largest part of its share."""
    _, group_of, sizes = np.unique(formulas, return_inverse=True, return_counts=True)
    is_true = np.zeros(len(sizes)) if labels is None else np.bincount(group_of, weights=labels) / sizes
    dataset_of_group = np.empty(len(sizes), dtype=np.intp)
    for stratum in (is_true < 0.5, is_true >= 0.5):
        room = wanted * sizes[stratum].sum()
        taken = np.zeros(len(wanted))
        for group in rng.permutation(np.flatnonzero(stratum)):
            filled = np.divide(taken, room, out=np.full(len(wanted), np.inf), where=room > 0)
            dataset_of_group[group] = np.argmin(filled)
            taken[dataset_of_group[group]] += sizes[group]
    chosen: NDArray[np.intp] = dataset_of_group[group_of]
    return chosen
