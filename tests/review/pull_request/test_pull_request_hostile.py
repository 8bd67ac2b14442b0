"""A change from a stranger: names, kinds and sizes of files, and texts, that are made to do harm."""

from __future__ import annotations

import pickle
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from matbench_lite.review import MAX_CHARACTERS, render_markdown, report_json, review

HOSTILE_NAMES = [
    b"$(touch pwned).py",
    b"`touch pwned`.py",
    b"; touch pwned #.py",
    b"line\nbreak.py",
    b"tab\tand\x1b[31mcolour.py",
    b"\xe2\x80\xaeyp.txt",  # turns the direction of writing
    b"not\xff\xfeutf8.py",
    b"<img src=x onerror=alert(1)>.py",
    b"| a | table |.py",
    b"[link](http:x).py",
    b"@everyone #1.py",
    b"-rf",
    b"C:\\windows.py",
    b"a" * 300 + b".py",
    b"one/two/three/four/five.py",
]
GITHUB_LINKS = re.compile(r"@\w|#\d|\bGH-\d|\bwww\.|\bhttps?://|\b[0-9a-f]{7,40}\b|:\w+:", re.IGNORECASE)
"""What GitHub would make a link, a mention or a picture of, in the text of the finished page."""


class Page(HTMLParser):
    """The elements and the text of a page; the text inside code apart, where GitHub makes no links."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.text = ""
        self._in_code = 0

    def handle_starttag(self, tag: str, attrs) -> None:
        self.elements.add(tag)
        assert not attrs, f"<{tag} {attrs}>"
        self._in_code += tag == "code"

    def handle_endtag(self, tag: str) -> None:
        self._in_code -= tag == "code"

    def handle_data(self, data: str) -> None:
        if not self._in_code:
            self.text += data


def page_of(markdown: str) -> Page:
    page = Page()
    page.feed(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown))
    return page


PLAIN = {
    *(
        "p",
        "ul",
        "ol",
        "li",
        "strong",
        "em",
        "code",
        "h2",
        "h3",
        "h4",
        "hr",
        "blockquote",
        "details",
        "summary",
        "span",
    ),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


@pytest.fixture
def fork(clone, tmp_path: Path):
    """A fork: a bare repository of its own, and a clone of it that a stranger works in."""
    upstream, copy = tmp_path / "upstream.git", tmp_path / "fork.git"
    for bare in (upstream, copy):
        shutil.copytree(clone.folder / ".git", bare)
        type(clone)(bare).git("config", "core.bare", "true")
    clone.git("remote", "add", "origin", str(upstream))
    work = type(clone)(tmp_path / "stranger")
    clone.git("clone", "--quiet", str(copy), str(work.folder))
    return work


def pull(clone, fork) -> None:
    """Get the branch of a fork as CI does: its objects, under a name of ours; nothing is checked out."""
    fork.git("push", "--quiet", "origin", "HEAD:refs/heads/evil")
    clone.git(
        "fetch", "--quiet", "--no-tags", str(fork.folder.parent / "fork.git"), "+refs/heads/evil:refs/review/head"
    )


def test_hostile_file_names_from_a_fork_are_findings_and_nothing_else(clone, fork, entry, same_as_before) -> None:
    fork.branch("evil")
    fork.entry("mine", entry("Mine", 0.5))
    fork.git("add", "--all")
    for name in HOSTILE_NAMES:
        fork.put(b"submissions/mine/" + name, b"print('evil')\n")
    fork.commit_index()
    pull(clone, fork)
    before = sorted(clone.folder.parent.rglob("*"))
    report = review(clone.folder, "main", "refs/review/head")
    assert sorted(clone.folder.parent.rglob("*")) == before
    assert clone.git("status", "--porcelain") == ""
    (mine,) = report.entries
    assert [finding.code for finding in mine.findings].count("MBL702") == len(HOSTILE_NAMES)
    assert report.verdict == "needs work"
    page = page_of(render_markdown(report))
    assert page.elements <= PLAIN
    assert not GITHUB_LINKS.search(page.text)
    assert "\u202e" not in render_markdown(report)
    assert "\x1b" not in render_markdown(report)
    same_as_before("hostile_names", report)


@pytest.mark.parametrize("slug", [b"..", b".git", b"$(touch pwned)", b"A B", b"a\nb", b"-x", b"\xff", b"\xe2\x80\xaex"])
def test_a_hostile_folder_name_is_never_used(clone, slug: bytes) -> None:
    clone.branch("evil")
    # Past the index, which refuses the worst of them: trees made by hand, as an attacker can push them.
    blob = clone.git("hash-object", "-w", "--stdin", stdin=b"{}").encode()
    tree = b"100644 submission.json\0" + bytes.fromhex(blob.decode())
    folder = _tree(clone, tree)
    entries = _tree(clone, b"40000 " + slug + b"\0" + bytes.fromhex(folder))
    root = _tree(clone, b"40000 submissions\0" + bytes.fromhex(entries))
    commit = clone.git("commit-tree", "-p", "main", "-m", "evil", root)
    report = review(clone.folder, "main", commit)
    bad = [item for item in report.entries if item.kind == "added"]
    assert [[finding.code for finding in item.findings] for item in bad] == [["MBL702"]]
    assert report.verdict == "needs work"
    assert page_of(render_markdown(report)).elements <= PLAIN


def _tree(clone, content: bytes) -> str:
    return clone.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=content)


def test_a_path_that_leaves_the_folder_is_not_followed(clone) -> None:
    blob = clone.git("hash-object", "-w", "--stdin", stdin=b"evil")
    inner = _tree(clone, b"100644 escaped.py\0" + bytes.fromhex(blob))
    entry = _tree(clone, b"40000 ..\0" + bytes.fromhex(inner))
    entries = _tree(clone, b"40000 mine\0" + bytes.fromhex(entry))
    root = _tree(clone, b"40000 submissions\0" + bytes.fromhex(entries))
    commit = clone.git("commit-tree", "-p", "main", "-m", "evil", root)
    report = review(clone.folder, "main", commit)
    mine = next(item for item in report.entries if item.slug == "mine")
    assert "MBL702" in [finding.code for finding in mine.findings]
    assert not list(clone.folder.parent.rglob("escaped.py"))


@pytest.mark.parametrize(
    ("path", "mode"),
    [
        (b"submissions/mine/model2.py", "120000"),
        (b"submissions/mine/predictions.parquet", "120000"),
        (b"submissions/linked", "120000"),
    ],
)
def test_a_link_is_an_error_and_is_not_made(clone, entry, path: bytes, mode: str) -> None:
    clone.branch("evil")
    clone.entry("mine", entry("Mine", 0.5))
    clone.git("add", "--all")
    clone.put(path, b"/etc/passwd", mode)
    clone.commit_index()
    report = review(clone.folder, "main", "evil")
    found = [finding.code for item in report.entries for finding in item.findings]
    assert "MBL703" in found
    assert report.verdict == "needs work"
    assert "root:" not in report_json(report).decode()


def test_a_submodule_is_an_error(clone, entry) -> None:
    clone.branch("evil")
    clone.entry("mine", entry("Mine", 0.5))
    clone.git("add", "--all")
    commit = clone.git("rev-parse", "HEAD")
    clone.git("update-index", "--add", "--cacheinfo", f"160000,{commit},submissions/mine/sub")
    clone.commit_index()
    report = review(clone.folder, "main", "evil")
    assert "MBL703" in [finding.code for finding in report.entries[0].findings]


def test_an_executable_file_is_an_error(clone, entry) -> None:
    clone.branch("evil")
    clone.entry("mine", entry("Mine", 0.5))
    clone.git("add", "--all")
    clone.git("update-index", "--chmod=+x", "submissions/mine/model.py")
    clone.commit_index()
    report = review(clone.folder, "main", "evil")
    assert [finding.code for finding in report.entries[0].findings if finding.severity == "error"] == ["MBL704"]
    assert report.entries[0].standings, "the rest is reviewed all the same"


def test_nothing_of_the_change_is_executed_or_unpickled(clone, entry, tmp_path: Path) -> None:
    marker = tmp_path / "executed"

    class Bomb:
        def __reduce__(self):
            return Path.touch, (marker,)

    trap = f"import pathlib; pathlib.Path({str(marker)!r}).touch()\n"
    clone.branch("evil")
    folder = clone.entry("mine", entry("Mine", 0.5))
    for name in ("model.py", "conftest.py", "sitecustomize.py", "numpy.py", "matbench_lite.py"):
        (folder / name).write_text(trap)
    (folder / "model.pkl").write_bytes(pickle.dumps(Bomb()))
    (folder / "predictions.parquet").write_bytes(pickle.dumps(Bomb()))
    clone.commit()
    clone.git("switch", "--quiet", "main")
    report = review(clone.folder, "main", "evil")
    assert report.verdict == "needs work"
    assert not marker.exists()
    pickle.loads(pickle.dumps(Bomb()))
    assert marker.exists(), "the trap works"


@pytest.mark.slow
def test_a_huge_file_is_not_read(clone, entry) -> None:
    clone.branch("evil")
    folder = clone.entry("mine", entry("Mine", 0.5))
    with (folder / "predictions.parquet").open("wb") as stream:
        stream.truncate(90_000_000)
    clone.commit()
    report = review(clone.folder, "main", "evil")
    (mine,) = report.entries
    assert mine.size > 90_000_000
    assert any("90,000,000 bytes" in finding.message for finding in mine.findings)
    assert report.verdict == "needs work"


def test_too_many_files_or_entries_are_refused(clone, entry) -> None:
    clone.branch("evil")
    clone.entry("mine", entry("Mine", 0.5, tasks=["mini_gap"]))
    clone.git("add", "--all")
    oid = clone.git("hash-object", "-w", "--stdin", stdin=b"x")
    many = "".join(f"100644 {oid} 0\tsubmissions/mine/f{number}.txt\n" for number in range(250))
    clone.git("update-index", "--add", "--index-info", stdin=many.encode())
    clone.commit_index()
    report = review(clone.folder, "main", "evil")
    assert "MBL705" in [finding.code for finding in report.entries[0].findings]

    clone.git("switch", "--quiet", "--discard-changes", "-c", "flood", "main")
    flood = "".join(f"100644 {oid} 0\tsubmissions/e{number}/submission.json\n" for number in range(101))
    clone.git("update-index", "--add", "--index-info", stdin=flood.encode())
    clone.commit_index()
    report = review(clone.folder, "main", "flood")
    assert [finding.code for finding in report.findings] == ["MBL705"]
    assert report.verdict == "needs work"


HOSTILE_TEXT = (
    "<script>alert(1)</script> <!-- --> [me](https://evil.example) ![i](https://evil.example/i.png) "
    "https://evil.example www.evil.example a@evil.example @admin #1 GH-2 owner/repo#3 "
    "0123456789abcdef0123456789abcdef01234567 `code` | cell | ~~gone~~ **bold** __bold__ :tada: $x$ \\ &lt; "
    "\u202eturned\u2066 </details> CVE-2024-12345"
)


def test_whatever_an_entry_says_is_shown_as_it_was_written(clone, entry) -> None:
    clone.branch("evil")
    mine = entry(
        HOSTILE_TEXT,
        0.5,
        authors=[HOSTILE_TEXT, "# heading", "1. list", "- item", "=== ==="],
        description=f"{HOSTILE_TEXT}\n\n# heading\n\n| a |\n| --- |\n{HOSTILE_TEXT}",
        external_data=HOSTILE_TEXT,
    )
    mine.provenance = {
        "python": HOSTILE_TEXT,
        "platform": ["not", "a", "text"],
        "packages": HOSTILE_TEXT,
        "git": {"commit": {"a": HOSTILE_TEXT}},
        "hardware": {"cpu": HOSTILE_TEXT, "cores": HOSTILE_TEXT, "gpus": [HOSTILE_TEXT, {"a": 1}]},
    }
    clone.entry("mine", mine)
    clone.commit()
    report = review(clone.folder, "main", "evil")
    text = render_markdown(report)
    page = page_of(text)
    assert page.elements <= PLAIN
    assert not GITHUB_LINKS.search(page.text), GITHUB_LINKS.search(page.text)
    assert "\u202e" not in text
    # Shown all the same, for those who read it.
    shown = page.text.replace("\u200b", "")
    for part in (
        "<script>alert(1)</script>",
        "[me](https://evil.example)",
        "@admin #1 GH-2",
        "| cell |",
        "$x$ \\ &lt;",
    ):
        assert part in shown
    assert report_json(report)


def test_a_long_report_leaves_out_whole_sections_and_says_which(clone, entry) -> None:
    clone.branch("many")
    mine = entry("Long " + "x" * 450, 0.3, description="word " * 3000)
    mine.authors = [f"Author {name} " + "y" * 400 for name in range(60)]
    clone.entry("mine", mine)
    clone.commit()
    report = review(clone.folder, "main", "many")
    many = tuple(replace(report.entries[0], slug=f"mine-{number}") for number in range(40))
    text = render_markdown(replace(report, entries=many))
    assert 40_000 < len(text) <= MAX_CHARACTERS
    assert "Left out for want of room" in text
    assert "mine-39: size and provenance" in text
    assert "mine-0: summary" not in text, "the first are shown in full before the last are"
    page = page_of(text)
    assert page.elements <= PLAIN


def test_sections_go_one_after_the_other_until_the_rest_fits(clone, entry, monkeypatch) -> None:
    clone.branch("new")
    clone.entry("mine", entry("Mine", 0.5))
    clone.commit()
    report = review(clone.folder, "main", "new")
    whole = render_markdown(report)
    lengths = set()
    for limit in range(len(whole), 500, -50):
        monkeypatch.setattr("matbench_lite.review.markdown.MAX_CHARACTERS", limit)
        text = render_markdown(report)
        lengths.add(len(text))
        if len(text) > limit:  # the verdict stays, come what may
            break
        assert text.count("<details>") == text.count("</details>")
        assert "## Review: accept" in text
        assert ("Left out" in text) == (text != whole)
    assert len(lengths) > 3
