"""The workflows: in form, pinned, without a way in for a stranger, and doing what they say when they are run."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))

pytestmark = pytest.mark.skipif(not GITHUB.is_dir(), reason="the workflows are in the repository, not in the package")


def load(name: str) -> dict[str, Any]:
    return yaml.safe_load((GITHUB / "workflows" / f"{name}.yml").read_text())


def steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


SCHEMAS = {
    "github-workflows": "workflows/*.yml",
    "dependabot": "dependabot.yml",
    "github-issue-forms": "ISSUE_TEMPLATE/[!c]*.yml",
    "github-issue-config": "ISSUE_TEMPLATE/config.yml",
}


def test_files_are_in_form() -> None:
    for schema, pattern in SCHEMAS.items():
        files = sorted(map(str, GITHUB.glob(pattern)))
        assert files
        result = CliRunner().invoke(check_jsonschema, ["--builtin-schema", f"vendor.{schema}", *files])
        assert result.exit_code == 0, result.output


def test_zizmor_finds_nothing_that_a_stranger_could_use() -> None:
    program = Path(sysconfig.get_path("scripts")) / "zizmor"
    options = ["--offline", "--no-config", "--persona=pedantic", "--min-severity=medium", "--quiet", "--format=plain"]
    files = [*WORKFLOWS, GITHUB / "dependabot.yml"]
    result = subprocess.run([program, *options, *files], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_to_a_commit_and_say_which_version_it_is(path: Path) -> None:
    for line in path.read_text().splitlines():
        if "uses:" in line:
            assert re.search(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_no_script_has_anything_pasted_into_it(path: Path) -> None:
    """What `${{ }}` stands for would be read as a part of the script: scripts get it from the environment."""
    for step in steps(load(path.stem)):
        assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_rights_are_named_and_small(path: Path) -> None:
    workflow = load(path.stem)
    more = {
        ("comment", "comment"): {"actions": "read", "issues": "write", "pull-requests": "write"},
        ("publish", "deploy"): {"pages": "write", "id-token": "write"},
    }
    assert workflow["permissions"] == ({} if path.stem == "comment" else {"contents": "read"})
    for name, job in workflow["jobs"].items():
        assert job.get("permissions") == more.get((path.stem, name))
    assert "secrets." not in path.read_text()


def test_the_review_has_the_base_checked_out_and_nothing_else() -> None:
    workflow = load("review")
    triggers = workflow[True]  # YAML takes the key `on` for a yes
    assert set(triggers) == {"pull_request"}
    checkouts = [step["with"] for step in steps(workflow) if "checkout" in step.get("uses", "")]
    assert [(with_["ref"], with_["persist-credentials"]) for with_ in checkouts] == [
        ("${{ github.event.pull_request.base.ref }}", False)
    ]


def test_the_comment_checks_nothing_out() -> None:
    workflow = load("comment")
    assert set(workflow[True]) == {"workflow_run"}
    assert workflow[True]["workflow_run"]["workflows"] == [load("review")["name"]]
    assert not [step for step in steps(workflow) if "uses" in step]
    assert not re.search(r"\bgit\b(?!hub)", steps(workflow)[0]["run"].replace("github", ""))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_commands_of_ours_exist_and_take_these_options(path: Path) -> None:
    import typer

    from matbench_lite.cli.app import app

    lines = [line for step in steps(load(path.stem)) for line in step.get("run", "").splitlines()]
    for line in lines:
        if found := re.match(r"\s*mbl (.*?)(?: \|\| .*)?$", line):
            words, command = shlex.split(found[1]), typer.main.get_command(app)
            while hasattr(command, "commands"):
                command = command.commands[words.pop(0)]
            known = {option for parameter in command.params for option in parameter.opts}
            assert {word for word in words if word.startswith("-")} <= known, line


def script(workflow: str, step: str) -> str:
    (found,) = [item for item in steps(load(workflow)) if item.get("name") == step]
    return found["run"]


def run_script(text: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script as GitHub does."""
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=600
    )


def program(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


# A GitHub of one file: `gh api` reads and writes state.json, and leaves the selecting to the real jq.
FAKE_GH = f"""#!{sys.executable} -IS
import json, os, sys

def read(path):
    with open(path, "rb") as stream:
        return stream.read()

state = json.loads(read(os.environ["FAKE_GITHUB"]))
assert sys.argv[1] == "api"
method, jq, fields, path = "GET", None, {{}}, None
arguments = iter(sys.argv[2:])
for argument in arguments:
    if argument == "--method":
        method = next(arguments)
    elif argument == "--jq":
        jq = next(arguments)
    elif argument in ("-f", "-F"):
        key, _, value = next(arguments).partition("=")
        raw = argument == "-F" and value.startswith("@")
        fields[key] = read(value[1:]).decode() if raw else value
    elif argument not in ("--paginate", "--silent"):
        path = argument
kind = path.removeprefix("repos/o/n/")
state["calls"].append([method, kind])
if kind == "actions/artifacts/11/zip":
    sys.stdout.buffer.write(read(state["zip"]))
    answer = None
elif kind == "actions/runs/5/artifacts":
    answer = {{"artifacts": [{{"name": "review", "id": 11}}] if state["zip"] else []}}
elif kind == "pulls/7":
    answer = {{"head": {{"sha": state["head"]}}}}
elif kind == "pulls/7/files":
    answer = [{{"filename": name}} for name in state["files"]]
elif kind == "issues/7/comments" and method == "GET":
    answer = state["comments"]
elif kind == "issues/7/comments":
    state["comments"].append({{"id": 100, "user": {{"login": "github-actions[bot]"}}, "body": fields["body"]}})
elif kind.startswith("issues/comments/"):
    (comment,) = [item for item in state["comments"] if item["id"] == int(kind.rpartition("/")[2])]
    comment["body"] = fields["body"]
elif kind == "issues/7/labels" and method == "GET":
    answer = [{{"name": name}} for name in state["labels"]]
elif kind == "issues/7/labels":
    state["labels"].append(fields["labels[]"])
elif method == "DELETE":
    state["labels"].remove(kind.rpartition("/")[2].replace("%20", " "))
else:
    sys.exit(f"not known: {{method}} {{kind}}")
with open(os.environ["FAKE_GITHUB"], "w") as stream:
    json.dump(state, stream)
if method == "GET" and answer is not None:
    with open(os.environ["FAKE_GITHUB"] + ".answer", "w") as stream:
        json.dump(answer, stream)
    os.execvp("jq", ["jq", "-r", jq, stream.name])
"""


class GitHub:
    """What the workflow sees of GitHub, and what it did to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = program(folder / "bin", "gh", FAKE_GH).parent
        self.file = folder / "state.json"
        stranger = {"id": 1, "user": {"login": "stranger"}, "body": "<!-- matbench_lite review --> mine"}
        self.save(
            zip=None, head="abc", files=["submissions/x/model.py"], comments=[stranger], labels=["nice"], calls=[]
        )

    def save(self, **values: Any) -> None:
        state = self.state if self.file.is_file() else {}
        self.file.write_text(json.dumps({**state, **values}))

    @property
    def state(self) -> dict[str, Any]:
        return json.loads(self.file.read_text())

    def upload(self, **files: str) -> None:
        path = self.folder / "review.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name.replace("__", "."), content)
            archive.writestr("../../escaped", "evil")
        self.save(zip=str(path))

    def post(self) -> subprocess.CompletedProcess[str]:
        return run_script(
            script("comment", "Post"),
            self.folder,
            PATH=f"{self.bin}:{os.environ['PATH']}",
            FAKE_GITHUB=str(self.file),
            TMPDIR=str(self.folder),
            GH_TOKEN="-",
            REPOSITORY="o/n",
            RUN="5",
            HEAD="abc",
            LOG="https://github.com/o/n/actions/runs/5",
            LC_ALL="C.UTF-8",
        )


@pytest.fixture
def github(tmp_path: Path) -> GitHub:
    for needed in ("bash", "jq", "unzip"):
        if shutil.which(needed) is None:
            pytest.skip(f"{needed} is not installed")
    return GitHub(tmp_path)


def test_the_report_is_posted_once_and_then_updated(github: GitHub) -> None:
    github.upload(
        number="7\n",
        report__md="## Review: accept\n$(touch pwned) `touch pwned`\n",
        report__json='{"verdict": "accept"}',
    )
    result = github.post()
    assert result.returncode == 0, result.stderr
    assert github.state["labels"] == ["nice", "review: accept"]
    github.upload(number="7\n", report__md="## Review: needs work\n", report__json='{"verdict": "needs work"}')
    assert github.post().returncode == 0
    stranger, ours = github.state["comments"]
    assert stranger["body"].endswith("mine")
    assert ours["body"] == "<!-- matbench_lite review -->\n\n## Review: needs work\n"
    assert github.state["labels"] == ["nice", "review: needs work"]
    assert not list(github.folder.rglob("pwned"))
    assert not list(github.folder.parent.rglob("escaped"))


@pytest.mark.parametrize("number", ["8; touch pwned", "../7", "", "07", "7\n8", "$(touch pwned)", "99999999999999"])
def test_what_is_no_number_of_a_pull_request_is_refused(github: GitHub, number: str) -> None:
    github.upload(number=number, report__md="x", report__json="{}")
    assert github.post().returncode != 0
    assert len(github.state["comments"]) == 1
    assert not list(github.folder.rglob("pwned"))


def test_the_report_of_another_pull_request_is_not_posted(github: GitHub) -> None:
    github.upload(number="7", report__md="x", report__json="{}")
    github.save(head="def")
    assert github.post().returncode == 0
    assert len(github.state["comments"]) == 1


def test_a_change_of_workflows_could_have_uploaded_anything(github: GitHub) -> None:
    github.upload(number="7", report__md="trust me", report__json='{"verdict": "accept"}')
    github.save(files=["submissions/x/model.py", ".github/workflows/review.yml"])
    assert github.post().returncode == 0
    assert "trust me" not in github.state["comments"][1]["body"]
    assert github.state["labels"] == ["nice", "review: needs a person"]


@pytest.mark.parametrize("verdict", ['"no entries"', '"accept\\n"', "[]", "not json"])
def test_only_labels_of_ours_are_set(github: GitHub, verdict: str) -> None:
    github.upload(number="7", report__md="x", report__json=f'{{"verdict": {verdict}}}')
    github.save(labels=["review: needs work"])
    assert github.post().returncode == 0
    assert set(github.state["labels"]) <= {"review: accept"}


@pytest.mark.parametrize("report", ["", "x" * 60_001])
def test_a_review_that_did_not_end_is_said(github: GitHub, report: str) -> None:
    github.upload(number="7", report__md=report, report__json="")
    assert github.post().returncode == 0
    assert "did not come to an end" in github.state["comments"][1]["body"]
    assert github.state["labels"] == ["nice"]


def test_nothing_uploaded_is_nothing_to_post(github: GitHub) -> None:
    assert github.post().returncode == 0
    assert len(github.state["comments"]) == 1


def test_the_steps_of_the_review_run_in_a_clone(tmp_path: Path) -> None:
    """The scripts themselves, with a real remote that has a pull request, in the places where GitHub runs them."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    remote = tmp_path / "remote"

    def git(*arguments: str, folder: Path = remote) -> None:
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)

    remote.mkdir()
    git("init", "--quiet", "-b", "main")
    git("commit", "--quiet", "--allow-empty", "-m", "base")
    git("switch", "--quiet", "-c", "change")
    (remote / "submissions" / "mine").mkdir(parents=True)
    (remote / "submissions" / "mine" / "submission.json").write_text("{}")
    git("add", "--all")
    git("commit", "--quiet", "-m", "change")
    git("update-ref", "refs/pull/7/head", "change")
    git("switch", "--quiet", "main")
    git("clone", "--quiet", str(remote), str(tmp_path / "base"), folder=tmp_path)
    code = "import sys; from matbench_lite.cli import main; main()"
    tools = program(tmp_path / "bin", "mbl", f'#!/bin/sh\nexec "{sys.executable}" -c "{code}" "$@"\n').parent
    environment = {"PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "NUMBER": "7", "BASE": "main"}
    assert run_script(script("review", "The change, as git objects"), tmp_path / "base", **environment).returncode == 0
    review = run_script(script("review", "Review"), tmp_path / "base", **environment)
    assert review.returncode == 1, review.stderr  # an empty entry has errors
    assert run_script(script("review", "For whom it is"), tmp_path, **environment).returncode == 0
    assert sorted(path.name for path in (tmp_path / "review").iterdir()) == ["number", "report.json", "report.md"]
    assert (tmp_path / "review" / "number").read_text() == "7\n"
    assert json.loads((tmp_path / "review" / "report.json").read_text())["verdict"] == "needs work"
    assert not (tmp_path / "base" / "submissions").exists()
