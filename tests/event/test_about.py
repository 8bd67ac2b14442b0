from __future__ import annotations

from pathlib import Path

import pytest

from matbench_lite.errors import EventError
from matbench_lite.event import Event
from matbench_lite.event.submission_files import About, identity, named, read_about
from matbench_lite.text import slug


def test_what_it_says(tmp_path: Path) -> None:
    assert read_about(tmp_path) == About()
    (tmp_path / "submission.toml").write_text('participant = " Team\\n A "\ntitle = "Ünïcode ✓"\n')
    assert read_about(tmp_path) == About(participant="Team A", title="Ünïcode ✓")


def test_the_kits_placeholder_is_no_name(tmp_path: Path) -> None:
    (tmp_path / "submission.toml").write_text('participant = "Your name or that of your team"\n')
    assert read_about(tmp_path).participant == ""


def test_the_kits_file_has_neither_name_nor_title(event: Event) -> None:
    assert read_about(event.kit / "models" / "start") == About()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("participant = 3", "participant: 3 is not a string"),
        ('title = "' + "x" * 300 + '"', "title: is longer than 200"),
        ('title = "a\\u202eb"', "title: has characters that cannot be shown"),
        ('price = "1"', "price: is not a known key"),
        ("a = [", "is not a TOML file"),
        ("a = " + "[" * 5000, "is not a TOML file"),
        ("#" * 200_000, "is larger than"),
    ],
)
def test_every_mistake_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "submission.toml").write_text(text)
    with pytest.raises(EventError) as caught:
        read_about(tmp_path)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "a\u202eb", "!!!"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(EventError, match="no name of a participant"):
        named(name)


def test_names_are_folder_names() -> None:
    assert slug("../../etc/passwd", "participant") == "etc-passwd"
    assert slug("研究室", "participant") == "participant"


def test_one_name_can_be_written_in_several_ways() -> None:
    assert identity("Team A") == identity("team   a") == identity("TEAM-A")
    assert identity("Жa") != identity("Щa")
