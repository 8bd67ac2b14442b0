"""Dossiers on disk: what experts get, and apart from it what only the organiser may have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from matbench_lite.atomic import write_bytes
from matbench_lite.errors import JudgingError
from matbench_lite.judge.competition import Competition
from matbench_lite.judge.expert.dossier import make_dossier
from matbench_lite.judge.expert.opinions import opinion_form
from matbench_lite.judge.qualifying import qualified
from matbench_lite.judge.runs import Run, arrange

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
    from matbench_lite.judge.pages import dossier_page

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
