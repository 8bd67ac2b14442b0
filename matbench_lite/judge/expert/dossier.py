"""A dossier: the models of one dataset under letters, and the key that opens them."""

from __future__ import annotations

import random
import secrets
from dataclasses import dataclass
from string import ascii_uppercase

from matbench_lite.errors import JudgingError
from matbench_lite.judge.datasets import Dataset
from matbench_lite.judge.expert.representative import representative
from matbench_lite.judge.rules import Rules
from matbench_lite.judge.runs import Field, Run


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One model as an expert sees it.

    Args:
        letter: What it is called.
        run: The run that stands for its algorithm; its name must not be shown.
        r2_range: Smallest and largest R2 of the algorithm's runs.
        runs: How many runs count.
    """

    letter: str
    run: Run
    r2_range: tuple[float, float]
    runs: int


@dataclass(frozen=True, kw_only=True)
class Dossier:
    """The models of one dataset, without the names of their algorithms.

    Args:
        identity: A random text: the opinions of experts refer to it.
        dataset: Name of the dataset.
        rules: Rules that chose the runs.
        models: The models, by letter.
        about: The dataset itself, where it is known.
    """

    identity: str
    dataset: str
    rules: Rules
    models: tuple[Shown, ...]
    about: Dataset | None = None

    @property
    def key(self) -> dict[str, dict[str, str]]:
        """Which algorithm is behind each letter, for the organiser alone."""
        letters = {model.letter: model.run.algorithm for model in self.models}
        return {self.identity: {"dataset": self.dataset, **letters}}


def make_dossier(field: Field, dataset: str, rules: Rules, *, about: Dataset | None = None) -> Dossier:
    """Choose a representative run of every algorithm and give it a letter, in an order that nobody can foresee.

    Args:
        field: The runs.
        dataset: Name of the dataset.
        rules: The rules; they say which run is representative.
        about: The dataset itself, for plots.

    Raises:
        JudgingError: If the dataset is not there, or no algorithm has a run that counts.
    """
    if dataset not in {item.dataset for item in field.datasets}:
        names = ", ".join(item.dataset for item in field.datasets)
        raise JudgingError(f"there are no runs on {dataset}", fix=f"use one of {names}")
    found = [
        (field.of(name, dataset), representative(field.of(name, dataset), rules.name)) for name in field.algorithms
    ]
    usable = [(runs, chosen) for runs, chosen in found if chosen is not None]
    if not usable:
        raise JudgingError(f"no run on {dataset} counts", fix="look at the failures with `mbl judge rank`")
    if len(usable) > len(ascii_uppercase):
        raise JudgingError(f"{len(usable)} models are too many for one expert", fix="choose at most 26 algorithms")
    random.SystemRandom().shuffle(usable)
    models = []
    for letter, (runs, chosen) in zip(ascii_uppercase, usable, strict=False):
        values = [run.r2 for run in runs if run.flaw is None]
        models.append(Shown(letter=letter, run=chosen, r2_range=(min(values), max(values)), runs=len(values)))
    return Dossier(identity=secrets.token_hex(6), dataset=dataset, rules=rules, models=tuple(models), about=about)
