"""The expert track: one model of each algorithm under a letter, the key, the opinions, and whom they trust most."""

from __future__ import annotations

import json
import random
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase

import numpy as np

from matbench_lite.atomic import write_bytes
from matbench_lite.documents import read_json, toml_document
from matbench_lite.errors import JudgingError, raising
from matbench_lite.judge.competition import Competition
from matbench_lite.judge.judge_dataset import Dataset
from matbench_lite.judge.judge_rules import RuleName, Rules, qualified
from matbench_lite.judge.runs import Field, Run, arrange
from matbench_lite.stats import average_ranks, ranked
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


def read_key(path: Path) -> dict[str, dict[str, str]]:
    """Read the organiser's key: by dossier, its dataset, and the algorithm behind each letter."""
    wrong, fix = f"{path} is not the key of a dossier", "see `mbl judge dossier`"
    with raising(JudgingError, wrong, fix=fix, on=(OSError, ValueError)):
        key = read_json(path)
        entries = list(key.values()) if isinstance(key, dict) else [None]
        if not all(isinstance(entry, dict) and "dataset" in entry for entry in entries):
            raise ValueError("it does not have letters by dossier")
        return {dossier: {letter: str(name) for letter, name in entry.items()} for dossier, entry in key.items()}


def read_opinion(path: Path, key: Mapping[str, Mapping[str, str]]) -> Opinion:
    """Read an expert's file.

    The organiser's key has the letters by dossier.

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


def write_dossiers(
    runs: Iterable[Run], competition: Competition, datasets: Sequence[str], folder: Path
) -> tuple[dict[Path, Path], Path]:
    """Write a page and a form per dataset, and the key to all letters; gives the form of each page, and the key.

    A key that is there already is kept: letters of dossiers that were sent out can still be opened. The rules of the
    competition choose the runs that are shown, its datasets give the plots.

    Raises:
        JudgingError: If there are no runs on a dataset, or the folder cannot be written.
    """
    from matbench_lite.judge.judge_pages import dossier_page

    field, _ = qualified(arrange(runs), competition.rules)
    about = {item.name: item for item in competition.datasets()} if competition.dataset_names else {}
    forms: dict[Path, Path] = {}
    with raising(JudgingError, f"{folder} cannot be written", fix="choose another --output", on=(OSError, ValueError)):
        key = read_key(folder / KEY) if (folder / KEY).is_file() else {}
        for name in datasets:
            dossier = make_dossier(field, name, competition.rules, about=about.get(name))
            key.update(dossier.key)
            # The key first: a page without it could never be opened.
            write_bytes(folder / KEY, json.dumps(key, indent=2).encode() + b"\n")
            page, form = (folder / "for_experts" / f"{name}.{kind}" for kind in ("html", "toml"))
            write_bytes(page, dossier_page(dossier).encode())
            write_bytes(form, opinion_form(dossier).encode())
            forms[page] = form
    return forms, folder / KEY


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

    The key says which algorithm is behind each letter, by dossier.

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
    given: dict[str, list[list[float]]] = {dataset: [] for dataset in datasets}
    ranks: dict[str, dict[str, dict[str, float]]] = {name: {} for name in algorithms}
    notes: dict[str, dict[str, dict[str, Mapping[str, str]]]] = {name: {} for name in algorithms}
    for item, letters in zip(opinions, named, strict=True):
        dataset = key[item.dossier]["dataset"]
        given[dataset].append([item.trust[letters[name]] if name in letters else WORST_RANK for name in algorithms])
        for name, letter in letters.items():
            ranks[name].setdefault(dataset, {})[item.expert] = item.trust[letter]
            notes[name].setdefault(dataset, {})[item.expert] = item.notes.get(letter, {})
    by_dataset = np.stack([average_ranks(np.transpose(given[dataset])).mean(axis=1) for dataset in datasets])
    means = dict(zip(algorithms, np.round(by_dataset.mean(axis=0), 9).tolist(), strict=True))
    rows = [
        Trusted(
            algorithm=name,
            place=place,
            mean_rank=means[name],
            by_dataset=dict(zip(datasets, by_dataset[:, algorithms.index(name)].tolist(), strict=True)),
            ranks=ranks[name],
            notes=notes[name],
        )
        for name, place in ranked(means).items()
    ]
    return Trust(
        algorithms=tuple(rows),
        winners=tuple(row.algorithm for row in rows if row.place == 1),
        experts=tuple(sorted({item.expert for item in opinions})),
        datasets=tuple(datasets),
    )
