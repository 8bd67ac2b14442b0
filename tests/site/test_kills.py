"""Killed before any file operation that replaces a site: the old one or the new one, complete, at every moment."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from matbench_lite import atomic

from ..killing import killed_at_each_step

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that begin with all that is imported"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]

OLD = {"index.html": "old", "tasks/a.html": "old a", "gone.html": "old"}
NEW = {"index.html": "new", "tasks/a.html": "new a", "tasks/b.html": "new b"}


def put(folder: Path, files: dict[str, str]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def content(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("exchange", [True, False], ids=["one step", "two steps"])
@pytest.mark.parametrize("old", [OLD, None], ids=["over an old one", "the first one"])
def test_a_site_is_replaced_as_a_whole(tmp_path: Path, monkeypatch, old, exchange: bool) -> None:
    home = tmp_path / "output"
    target, draft = home / "site", home / ".site.new"
    if not exchange:
        monkeypatch.setattr(atomic, "_exchange", lambda *_: False)

    def prepare() -> None:
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        if old is not None:
            put(target, old)

    def work() -> None:
        atomic.finish_replacing_folder(target)
        put(draft, NEW)
        atomic.replace_folder(draft, target)

    steps = 0
    for step in killed_at_each_step(home, prepare, work):
        if exchange:  # nobody has to mend anything before it can be looked at
            assert (content(target) if target.exists() else None) in (old, NEW), step
        atomic.finish_replacing_folder(target)
        assert (content(target) if target.exists() else None) in (old, NEW), step
        work()
        assert content(target) == NEW
        assert [path.name for path in home.iterdir()] == ["site"], step
        steps += 1
    assert steps > 5
    assert content(target) == NEW
