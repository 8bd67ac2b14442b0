"""`mbl submit`: the steps that it prints are run for real, against a local remote."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from matbench_lite import Submission
from matbench_lite.cli.app import run as mbl
from matbench_lite.errors import RepositoryError
from matbench_lite.review import review
from matbench_lite.submit import do_steps, prepare
from matbench_lite.submit.clone import Address, parse_address

MODEL = "def get_estimator(task):\n    return None\n"


def git(folder: Path, *arguments: str) -> str:
    result = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def make_entry(folder: Path) -> Path:
    about = {"authors": ["A. Name"], "single_configuration": True, "external_data": False, "description": "A test."}
    entry = Submission("mini", algorithm="My model", requirements=["numpy"], **about)
    task = entry.benchmark["mini_gap"]
    for fold in task.folds:
        truth = task.target_values[task.test_rows(fold)]
        entry.record("mini_gap", fold, truth * 0.9 + 0.3 * (task.test_rows(fold) % 7 - 3), params={"alpha": 1.0})
    folder.mkdir(parents=True)
    (folder / "model.py").write_text(MODEL)
    return entry.save(folder)


@pytest.fixture(autouse=True)
def quiet_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name to commit under, whatever the settings of the machine; and no `gh`."""
    config = tmp_path / "gitconfig"
    config.write_text("[user]\n\tname = A. Name\n\temail = a@example.org\n[init]\n\tdefaultBranch = main\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("git", "sh"):
        found = subprocess.run(["which", name], capture_output=True, text=True, check=True).stdout.strip()
        (tools / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(tools))


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """The project: a bare repository."""
    work, bare = tmp_path / "work", tmp_path / "project.git"
    work.mkdir()
    git(work, "init", "--quiet")
    (work / "submissions").mkdir()
    (work / "submissions" / "README.md").write_text("# Entries\n")
    git(work, "add", "--all")
    git(work, "commit", "--quiet", "-m", "base")
    git(tmp_path, "clone", "--quiet", "--bare", str(work), str(bare))
    return bare


@pytest.fixture
def clone(remote: Path, tmp_path: Path) -> Path:
    git(tmp_path, "clone", "--quiet", str(remote), str(tmp_path / "clone"))
    return tmp_path / "clone"


def test_the_steps_take_an_entry_to_a_branch_of_the_remote(clone: Path, remote: Path) -> None:
    entry = make_entry(clone / "submissions" / "my-model")
    (clone / "notes.txt").write_text("not part of it\n")
    plan = prepare(entry, algorithm="My model")
    assert plan.route == "git"
    commands = [shlex.join(step.command) for step in plan.steps if step.command]
    assert commands == [
        "git switch -c entry-my-model",
        "git add -- submissions/my-model",
        "git commit -m 'Entry: My model' -- submissions/my-model",
        "git push -u origin entry-my-model",
    ]
    do_steps(plan, lambda step: None)
    changed = git(remote, "diff", "--name-only", "main", "entry-my-model").split("\n")
    assert changed == [
        f"submissions/my-model/{name}" for name in ("model.py", "predictions.parquet", "submission.json")
    ]
    report = review(clone, "origin/main", "origin/entry-my-model")
    assert [item.kind for item in report.entries] == ["added"]
    assert report.verdict != "needs work"


def test_what_is_done_is_not_done_twice(clone: Path, remote: Path) -> None:
    entry = make_entry(clone / "submissions" / "my-model")
    do_steps(prepare(entry, algorithm="My model"), lambda step: None)
    again = prepare(entry, algorithm="My model")
    assert [step.command[:2] for step in again.steps if step.command] == [("git", "push")]
    do_steps(again, lambda step: None)
    # On the main branch again, and with a new README.
    git(clone, "switch", "--quiet", "main")
    entry.mkdir(exist_ok=True)
    git(clone, "checkout", "--quiet", "entry-my-model", "--", "submissions/my-model")
    (entry / "README.md").write_text("# My model\n")
    commands = [step.command for step in prepare(entry, algorithm="My model").steps if step.command]
    assert commands[0] == ("git", "switch", "entry-my-model")


def test_a_branch_of_ones_own_is_used(clone: Path) -> None:
    git(clone, "switch", "--quiet", "-c", "topic")
    entry = make_entry(clone / "submissions" / "my-model")
    commands = [step.command for step in prepare(entry, algorithm="My model").steps if step.command]
    assert commands[0][:2] == ("git", "add")
    assert commands[-1] == ("git", "push", "-u", "origin", "topic")


def test_other_changes_on_the_branch_are_said(clone: Path) -> None:
    entry = make_entry(clone / "submissions" / "my-model")
    assert prepare(entry, algorithm="My model").remarks == ()
    git(clone, "switch", "--quiet", "-c", "topic")
    (clone / "code.py").write_text("pass\n")
    git(clone, "add", "code.py")
    git(clone, "commit", "--quiet", "-m", "code")
    (remark,) = prepare(entry, algorithm="My model").remarks
    assert "code.py" in remark


def test_a_failed_step_stops_the_rest(clone: Path, remote: Path) -> None:
    entry = make_entry(clone / "submissions" / "my-model")
    plan = prepare(entry, algorithm="My model")
    git(clone, "remote", "set-url", "origin", str(remote / "nowhere"))
    with pytest.raises(RepositoryError, match="git push"):
        do_steps(plan, lambda step: None)
    git(clone, "remote", "set-url", "origin", str(remote))
    do_steps(prepare(entry, algorithm="My model"), lambda step: None)
    assert "entry-my-model" in git(remote, "branch", "--list")


@pytest.mark.parametrize(
    ("remotes", "push", "page"),
    [
        (
            {"origin": "git@github.com:me/boards.git", "upstream": "https://github.com/them/boards.git"},
            "origin",
            "https://github.com/them/boards/compare/main...me:boards:entry-my-model?expand=1",
        ),
        (
            {"origin": "https://github.com/them/boards", "fork": "https://github.com/me/boards"},
            "fork",
            "https://github.com/them/boards/compare/main...me:boards:entry-my-model?expand=1",
        ),
        ({"origin": "https://github.com/me/boards"}, "origin", "https://github.com/me/boards/pull/new/entry-my-model"),
        ({"origin": "https://gitlab.example/me/boards"}, "origin", None),
    ],
)
def test_the_remote_to_push_to_and_the_page_to_open(
    clone: Path, remotes: dict[str, str], push: str, page: str | None
) -> None:
    git(clone, "remote", "remove", "origin")
    for name, address in remotes.items():
        git(clone, "remote", "add", name, address)
    entry = make_entry(clone / "submissions" / "my-model")
    plan = prepare(entry, algorithm="My model")
    pushes = [step.command for step in plan.steps if step.command and step.command[1] == "push"]
    assert pushes == [("git", "push", "-u", push, "entry-my-model")]
    pages = [step.page for step in plan.steps if step.page]
    assert pages[:1] == ([] if page is None else [page])


def test_without_a_remote_the_plan_says_how_to_get_one(clone: Path) -> None:
    git(clone, "remote", "remove", "origin")
    entry = make_entry(clone / "submissions" / "my-model")
    plan = prepare(entry, algorithm="My model", repository="them/boards")
    assert "git remote add fork" in " ".join(step.say for step in plan.steps)
    assert "https://github.com/them/boards/fork" in [step.page for step in plan.steps]


def test_outside_a_clone_there_is_the_upload_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    entry = make_entry(tmp_path / "my-model")
    plan = prepare(entry, algorithm="My model", repository="them/boards")
    assert plan.route == "upload"
    assert plan.steps[0].page == "https://github.com/them/boards/upload/main/submissions"
    assert str(entry) in plan.steps[1].say
    # The work files of a run are not part of the entry: there is a copy to drag then.
    (entry / ".run").mkdir()
    (entry / ".run" / "log.txt").write_text("log")
    for _ in range(2):
        plan = prepare(entry, algorithm="My model", repository="them/boards")
    copy = tmp_path / "build" / "upload" / "my-model"
    assert str(copy) in plan.steps[1].say
    assert sorted(path.name for path in copy.iterdir()) == ["model.py", "predictions.parquet", "submission.json"]
    assert Submission.load(copy)


def test_an_entry_in_the_wrong_place_of_a_clone_is_said(clone: Path) -> None:
    plan = prepare(make_entry(clone / "my-model"), algorithm="My model")
    assert plan.route == "upload"
    assert plan.remarks == (f"move it to {clone / 'submissions' / 'my-model'}, and git can send it in",)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://github.com/a-b/c.d.git", ("a-b", "c.d")),
        ("https://token@github.com/a/b/", ("a", "b")),
        ("ssh://git@github.com:22/a/b.git", ("a", "b")),
        ("git@github.com:a/b", ("a", "b")),
        ("https://github.com.evil.example/a/b", None),
        ("https://example.org/github.com/a/b", None),
        ("../project.git", None),
    ],
)
def test_addresses(url: str, address: tuple[str, str] | None) -> None:
    assert parse_address(url) == (None if address is None else Address(owner=address[0], name=address[1]))


def test_the_command_prints_the_steps_and_does_them_when_told(clone: Path, remote: Path, capfd, monkeypatch) -> None:
    entry = make_entry(clone / "submissions" / "my-model")
    monkeypatch.chdir(clone)
    assert mbl(["submit", "submissions/my-model"]) == 0
    said = capfd.readouterr().out
    assert "git push -u origin entry-my-model" in said
    assert git(remote, "branch", "--list", "entry-*") == ""
    # The lines as they are printed, pasted into a shell.
    lines = [line for line in said.splitlines() if line.startswith("git ")]
    subprocess.run(["sh", "-e", "-c", "\n".join(lines)], cwd=clone, check=True, capture_output=True)
    assert "entry-my-model" in git(remote, "branch", "--list")
    (entry / "README.md").write_text("# My model\n")
    assert mbl(["submit", str(entry), "--yes"]) == 1, "the README is not sealed: the check refuses it"
    assert mbl(["seal", str(entry)]) == 0
    assert mbl(["submit", str(entry), "--yes"]) == 0
    assert "README.md" in git(remote, "show", "--name-only", "--format=", "entry-my-model")


RECORDING_GH = """#!{python}
import json, os, sys
answers = {{"api": "me", "repo view": "them\\tboards\\t{permission}"}}
with open({log!r}, "a") as log:
    log.write(json.dumps(sys.argv[1:]) + "\\n")
print(answers.get(sys.argv[1], answers.get(" ".join(sys.argv[1:3]), "")))
"""


@pytest.mark.parametrize(("permission", "forks", "head"), [("READ", True, "me:topic"), ("WRITE", False, "topic")])
def test_with_gh_a_fork_is_made_where_one_is_needed(
    clone: Path, tmp_path: Path, permission: str, forks: bool, head: str
) -> None:
    """`gh` itself cannot run here: a program of its name notes what it is asked."""
    program, log = tmp_path / "tools" / "gh", tmp_path / "log"
    program.write_text(RECORDING_GH.format(python=sys.executable, permission=permission, log=str(log)))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    git(clone, "switch", "--quiet", "-c", "topic")
    git(clone, "remote", "set-url", "origin", "https://github.com/them/boards.git")
    entry = make_entry(clone / "submissions" / "my-model")
    plan = prepare(entry, algorithm="My model")
    assert plan.route == "gh"
    commands = [step.command for step in plan.steps if step.command]
    fork = ("gh", "repo", "fork", "them/boards", "--remote", "--remote-name", "fork")
    assert (fork in commands) == forks
    assert ("git", "push", "-u", "fork" if forks else "origin", "topic") in commands
    create = dict(zip(commands[-1][3::2], commands[-1][4::2], strict=True))
    assert commands[-1][:3] == ("gh", "pr", "create")
    assert create == {
        "--repo": "them/boards",
        "--base": "main",
        "--head": head,
        "--title": "Entry: My model",
        "--body": create["--body"],
    }
