"""The expert track: one representative model of each algorithm under a letter, the key, and the opinions on them."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase

import numpy as np

from matbench_lite.atomic import write_bytes
from matbench_lite.documents import toml_document
from matbench_lite.errors import JudgingError
from matbench_lite.judge.competition import Competition
from matbench_lite.judge.failures import qualified
from matbench_lite.judge.judge_dataset import Dataset
from matbench_lite.judge.judge_rules import RuleName, Rules
from matbench_lite.judge.runs import Field, Run, arrange
from matbench_lite.templating import render


def representative(runs: Iterable[Run], rules: RuleName) -> Run | None:
    """Of the runs that count, the one with the best R2 (`draft`) or with that nearest to the median (`final`), or None.

    Of equals it is the one with the lowest number.
    """
    usable = sorted((run for run in runs if run.flaw is None), key=lambda run: run.run)
    if not usable:
        return None
    if rules == "draft":
        return max(usable, key=lambda run: run.r2)
    middle = float(np.median([run.r2 for run in usable]))
    return min(usable, key=lambda run: abs(run.r2 - middle))


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One model as an expert sees it: the run that stands for its algorithm, whose name must not be shown.

    `r2_range` is the smallest and largest R2 of the algorithm's runs, `runs` how many count.
    """

    letter: str
    run: Run
    r2_range: tuple[float, float]
    runs: int


@dataclass(frozen=True, kw_only=True)
class Dossier:
    """The models of one dataset by letter, without the names of their algorithms.

    Opinions of experts refer to `identity`, a random text; `about` is the dataset itself, where it is known.
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
    """Choose a representative run of every algorithm and give it a letter, in an order that nobody can foresee."""
    names = [item.dataset for item in field.datasets]
    if dataset not in names:
        raise JudgingError(f"there are no runs on {dataset}", fix=f"use one of {', '.join(names)}")
    every = [field.of(name, dataset) for name in field.algorithms]
    usable = [(runs, chosen) for runs in every if (chosen := representative(runs, rules.name)) is not None]
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


NOTES = ("accuracy", "simplicity", "soundness")
"""What an expert writes about, besides the trust rank."""

WORST_RANK = 1000
"""No expert's rank is so bad."""
_LONGEST_FILE = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """One expert, or a pseudonym, on one dossier.

    By letter: trust rank, 1 for the model that is trusted most, equal ranks allowed; and a note each on accuracy,
    simplicity and soundness, "" where nothing was written.
    """

    expert: str
    dossier: str
    trust: Mapping[str, float]
    notes: Mapping[str, Mapping[str, str]]


def opinion_form(dossier: Dossier) -> str:
    """An empty opinion file for an expert to fill in."""
    return render("judge/files/opinion.toml.j2", dossier=dossier, notes=NOTES)


def read_opinion(path: Path, key: Mapping[str, Mapping[str, str]]) -> Opinion:
    """Read an expert's file.

    Args:
        path: The file.
        key: The organiser's key: letters by dossier.

    Raises:
        JudgingError: With every mistake found, each with its place in the file.
    """
    with toml_document(path, JudgingError, fix="give the file of an expert", most_bytes=_LONGEST_FILE) as top:
        expert, dossier = top.take("expert", str), top.take("dossier", str)
        if dossier and dossier not in key:
            top.complain("dossier", f"{dossier!r} is not in the key; it has {', '.join(key)}")
        letters = [letter for letter in key.get(dossier, {}) if letter != "dataset"]
        trust, notes = {}, {}
        for letter in letters:
            section = top.section(letter)
            if section is None:
                top.complain(letter, "is missing: every model needs a trust rank")
                continue
            trust[letter] = section.take("trust", float, 0.0)
            if not 1 <= trust[letter] < WORST_RANK:
                section.complain("trust", f"{trust[letter]:g} is not a rank: 1 for the most trusted, 2 for the next")
            notes[letter] = {name: section.take(name, str, "").strip() for name in NOTES}
            section.close()
        if dossier in key:
            top.close()
    return Opinion(expert=expert, dossier=dossier, trust=trust, notes=notes)


KEY = Path("for_organiser") / "key.json"


@dataclass(frozen=True, kw_only=True)
class Written:
    """Where dossiers were written: pages, forms to fill in, and the key."""

    pages: tuple[Path, ...]
    forms: tuple[Path, ...]
    key: Path


def write_dossiers(runs: Iterable[Run], competition: Competition, datasets: Sequence[str], folder: Path) -> Written:
    """Write a page and a form per dataset, and the key to all letters.

    A key that is there already is kept: letters of dossiers that were sent out can still be opened.

    Args:
        runs: The runs of the competition.
        competition: Its rules choose the runs that are shown; its datasets give the plots.
        datasets: Names of the datasets.
        folder: Where to write.

    Raises:
        JudgingError: If there are no runs on a dataset, or the folder cannot be written.
    """
    from matbench_lite.judge.dossier_page import dossier_page

    field, _ = qualified(arrange(runs), competition.rules)
    about = {item.name: item for item in competition.datasets()} if competition.dataset_names else {}
    pages, forms = [], []
    try:
        key = json.loads((folder / KEY).read_bytes()) if (folder / KEY).is_file() else {}
        for name in datasets:
            dossier = make_dossier(field, name, competition.rules, about=about.get(name))
            key.update(dossier.key)
            # The key first: a page without it could never be opened.
            write_bytes(folder / KEY, json.dumps(key, indent=2).encode() + b"\n")
            pages.append(folder / "for_experts" / f"{name}.html")
            forms.append(folder / "for_experts" / f"{name}.toml")
            write_bytes(pages[-1], dossier_page(dossier).encode())
            write_bytes(forms[-1], opinion_form(dossier).encode())
    except (OSError, ValueError) as error:
        raise JudgingError(f"{folder} cannot be written: {error}", fix="choose another --output") from error
    return Written(pages=tuple(pages), forms=tuple(forms), key=folder / KEY)
