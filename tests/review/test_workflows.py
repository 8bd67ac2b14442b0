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

from matbench_lite.submission import seal
from matbench_lite.train import Plan, load_model, run_model

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
        ("stale", "take-back"): {"issues": "write", "pull-requests": "write"},
        ("review", "review"): {"actions": "read", "contents": "read"},
        ("publish", "build"): {"actions": "read", "contents": "read"},
        ("publish", "deploy"): {"pages": "write", "id-token": "write"},
    }
    assert workflow["permissions"] == ({} if path.stem in ("comment", "stale") else {"contents": "read"})
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


@pytest.mark.parametrize("name", ["review", "publish"])
def test_no_cache_is_read_that_a_pull_request_could_have_written(name: str) -> None:
    used = [step for step in steps(load(name)) if "uses" in step]
    assert not [step for step in used if "actions/cache" in step["uses"]]
    assert not [step for step in used if "cache" in step.get("with", {})]


def test_no_checkout_leaves_a_credential_behind() -> None:
    for path in WORKFLOWS:
        for step in steps(load(path.stem)):
            if "checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False, path


def test_what_takes_a_verdict_back_runs_no_code_of_the_change() -> None:
    workflow = load("stale")
    assert set(workflow[True]) == {"pull_request_target"}
    assert "synchronize" in workflow[True]["pull_request_target"]["types"]
    assert "paths" not in workflow[True]["pull_request_target"]
    assert not [step for step in steps(workflow) if "uses" in step]
    assert "git " not in steps(workflow)[0]["run"]


def test_the_comment_checks_nothing_out() -> None:
    workflow = load("comment")
    assert set(workflow[True]) == {"workflow_run"}
    assert workflow[True]["workflow_run"]["workflows"] == [load("review")["name"]]
    assert not [step for step in steps(workflow) if "uses" in step]
    assert not re.search(r"(?m)^\s*git ", steps(workflow)[0]["run"])


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


def mbl_program(folder: Path) -> Path:
    """A folder with `mbl`, the one that is tested."""
    code = "import sys; from matbench_lite.cli import main; main()"
    return program(folder, "mbl", f'#!/bin/sh\nexec "{sys.executable}" -c "{code}" "$@"\n').parent


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
    names = ["review", "targets"] if state["zip"] else []
    answer = {{"artifacts": [{{"name": name, "id": 11, "expired": False}} for name in names]}}
elif kind == "pulls/7":
    answer = {{"head": {{"sha": state["head"]}}, "base": {{"ref": "main"}}}}
elif kind == "git/ref/heads/main":
    answer = {{"object": {{"sha": state["tip"]}}}}
elif kind.startswith("compare/"):
    answer = {{"files": [{{"filename": name}} for name in state["files"]]}}
elif kind.startswith("actions/workflows/publish.yml/runs?branch=main&event=push&status=success"):
    answer = {{"workflow_runs": [{{"id": 5}}] if state["zip"] else []}}
elif kind == "issues/7/comments" and method == "GET":
    answer = state["comments"]
elif kind == "issues/7/comments":
    state["comments"].append({{"id": 100, "user": {{"login": "github-actions[bot]"}}, "body": fields["body"]}})
    answer = {{"id": 100}}
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
# What happens elsewhere after a number of calls: somebody pushes.
for change in [item for item in state["later"] if item["after"] == len(state["calls"])]:
    state.update(change["then"])
with open(os.environ["FAKE_GITHUB"], "w") as stream:
    json.dump(state, stream)
if jq and answer is not None:
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
            zip=None,
            head="abc",
            tip="base",
            files=["submissions/x/model.py"],
            comments=[stranger],
            labels=["nice"],
            calls=[],
            later=[],
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

    def run(self, text: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return run_script(
            text,
            self.folder,
            PATH=f"{self.bin}:{os.environ['PATH']}",
            FAKE_GITHUB=str(self.file),
            TMPDIR=str(self.folder),
            GH_TOKEN="-",
            REPOSITORY="o/n",
            LC_ALL="C.UTF-8",
            **environment,
        )

    def post(self, head: str = "abc") -> subprocess.CompletedProcess[str]:
        log = "https://github.com/o/n/actions/runs/5"
        return self.run(script("comment", "Post"), RUN="5", HEAD=head, LOG=log)

    def take_back(self) -> subprocess.CompletedProcess[str]:
        return self.run(script("stale", "Take back"), NUMBER="7")

    @property
    def ours(self) -> list[str]:
        """The bodies of our comments, without their marks."""
        found = [item["body"] for item in self.state["comments"] if item["user"]["login"] == "github-actions[bot]"]
        return [re.sub(r"<!--.*?-->\n*", "", body) for body in found]


def verdict(word: str, *, head: str = "abc", base: str = "base") -> str:
    return json.dumps({"verdict": word, "head": head, "base": base})


@pytest.fixture
def github(tmp_path: Path) -> GitHub:
    for needed in ("bash", "jq", "unzip"):
        if shutil.which(needed) is None:
            pytest.skip(f"{needed} is not installed")
    return GitHub(tmp_path)


def test_the_report_is_posted_once_and_then_updated(github: GitHub) -> None:
    github.upload(
        number="7\n", report__md="## Review: accept\n$(touch pwned) `touch pwned`\n", report__json=verdict("accept")
    )
    result = github.post()
    assert result.returncode == 0, result.stderr
    assert github.state["labels"] == ["nice", "review: accept"]
    github.upload(number="7\n", report__md="## Review: needs work\n", report__json=verdict("needs work"))
    assert github.post().returncode == 0
    assert github.state["comments"][0]["body"].endswith("mine")
    assert github.ours == ["## Review: needs work\n"]
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


@pytest.mark.parametrize("other", [{"head": "old"}, {"base": "older"}])
def test_a_report_on_other_commits_is_not_posted(github: GitHub, other: dict[str, str]) -> None:
    github.upload(number="7", report__md="x", report__json=verdict("accept", **other))
    assert github.post().returncode == 0
    assert github.ours == []
    assert github.state["labels"] == ["nice"]


def test_what_a_commit_changes_is_asked_by_commit(github: GitHub) -> None:
    """Not by the number of the pull request, whose files may be those of another push by then."""
    github.upload(number="7", report__md="x", report__json=verdict("accept"))
    assert github.post().returncode == 0
    assert ["GET", "compare/base...abc"] in github.state["calls"]


@pytest.mark.slow
@pytest.mark.parametrize("then", [{"head": "def"}, {"tip": "newer"}], ids=["a push", "the base moves on"])
def test_a_push_at_any_moment_leaves_no_verdict_on_what_was_not_reviewed(github: GitHub, then: dict[str, str]) -> None:
    """Whichever call it comes after: posting notices it, or the run that every push starts takes the verdict back."""
    github.upload(number="7", report__md="accept it", report__json=verdict("accept"))
    before = github.state
    github.post()
    calls = len(github.state["calls"])
    assert calls > 8
    # When the base moves on after the last look, the branch has to be brought up to date before it is merged.
    for number in range(1, calls + ("head" in then)):
        later = [{"after": number, "then": then}]
        github.file.write_text(json.dumps({**before, "calls": [], "later": later}))
        assert github.post().returncode == 0
        if "head" in then:
            assert github.take_back().returncode == 0
        assert github.state["labels"] == ["nice"], number
        assert not [body for body in github.ours if "accept it" in body], number


def test_a_push_takes_the_verdict_back_and_a_newer_review_stays(github: GitHub) -> None:
    github.upload(number="7", report__md="accept it", report__json=verdict("accept"))
    assert github.post().returncode == 0
    assert github.take_back().returncode == 0
    assert (github.ours, github.state["labels"]) == (["accept it"], ["nice", "review: accept"])  # nothing was pushed
    github.save(head="def")
    assert github.take_back().returncode == 0
    assert github.ours == [
        "The pull request has changed since it was reviewed. If it touches entries, a new review follows.\n"
    ]
    assert github.state["labels"] == ["nice"]
    assert github.state["comments"][0]["body"].endswith("mine")
    github.upload(number="7", report__md="look", report__json=verdict("needs a person", head="def"))
    assert github.post(head="def").returncode == 0
    assert github.take_back().returncode == 0
    assert (github.ours, github.state["labels"]) == (["look"], ["nice", "review: needs a person"])


def test_a_push_to_an_unreviewed_pull_request_does_nothing(github: GitHub) -> None:
    assert github.take_back().returncode == 0
    assert github.state["labels"] == ["nice"]
    assert len(github.state["comments"]) == 1


def test_targets_come_from_the_last_publication(github: GitHub) -> None:
    """A forged file among them is noticed when it is read: `tests/data/test_trust.py`."""
    fetch = f"bash {shlex.quote(str(ROOT / 'scripts' / 'last_targets.sh'))} data"
    assert github.run(fetch).returncode == 0
    assert not (github.folder / "data").exists()
    with zipfile.ZipFile(github.folder / "targets.zip", "w") as archive:
        archive.writestr("targets/matbench_steels.parquet", "bytes")
        archive.writestr("derived/scores.parquet", "forged")
    github.save(zip=str(github.folder / "targets.zip"))
    assert github.run(fetch).returncode == 0
    kept = [path.relative_to(github.folder).as_posix() for path in (github.folder / "data").rglob("*.parquet")]
    assert kept == ["data/targets/matbench_steels.parquet"]


def test_a_change_of_workflows_could_have_uploaded_anything(github: GitHub) -> None:
    github.upload(number="7", report__md="trust me", report__json=verdict("accept"))
    github.save(files=["submissions/x/model.py", ".github/workflows/review.yml"])
    assert github.post().returncode == 0
    assert "trust me" not in github.state["comments"][1]["body"]
    assert github.state["labels"] == ["nice", "review: needs a person"]


@pytest.mark.parametrize("word", ['"no entries"', '"accept\\n"', "[]", "not json"])
def test_only_labels_of_ours_are_set(github: GitHub, word: str) -> None:
    github.upload(number="7", report__md="x", report__json=f'{{"verdict": {word}, "head": "abc", "base": "base"}}')
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


def test_reproducing_is_started_by_hand_and_has_no_rights() -> None:
    workflow = load("reproduce")
    assert set(workflow[True]) == {"workflow_dispatch"}
    assert set(workflow["jobs"]) == {"reproduce"}
    assert "permissions" not in workflow["jobs"]["reproduce"]  # it can read, as said at the top
    assert "github.token" not in (GITHUB / "workflows" / "reproduce.yml").read_text()


class Reproduced:
    """The steps of `reproduce.yml` in a clone, where GitHub runs them, with the real program and a real remote."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("bash") is None or shutil.which("jq") is None:
            pytest.skip("bash and jq are not installed")
        self.folder, self.remote = folder, folder / "remote"
        self.environment = {
            "PATH": f"{mbl_program(folder / 'bin')}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "ENTRY": "mine",
            "NUMBER": "7",
            "TASK": "",
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        }
        self.remote.mkdir()
        self.git("init", "--quiet", "-b", "main")
        self.git("commit", "--quiet", "--allow-empty", "-m", "base")
        self.git("switch", "--quiet", "-c", "change")

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        command = ["git", "-C", str(self.remote), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def opened(self) -> None:
        """The pull request is there, and the base branch is cloned."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", "change")
        self.git("update-ref", "refs/pull/7/head", "change")
        self.git("switch", "--quiet", "main")
        self.git("clone", "--quiet", str(self.remote), str(self.folder / "base"))

    def step(self, name: str, **environment: str) -> subprocess.CompletedProcess[str]:
        folder = self.folder if name == "The verdict" else self.folder / "base"
        return run_script(script("reproduce", name), folder, **{**self.environment, **environment})

    @property
    def summary(self) -> str:
        return (self.folder / "summary.md").read_text()


MEAN = """
import numpy as np
input = "composition"
class Mean:
    def fit(self, X, y): self.mean = float(np.mean(y))
    def predict(self, X): return np.full(len(X), self.mean)
def get_estimator(task): return Mean()
"""


@pytest.mark.usefixtures("isolation")
@pytest.mark.parametrize("honest", [True, False])
def test_an_entry_of_a_pull_request_is_reproduced(tmp_path: Path, honest: bool) -> None:
    steps = Reproduced(tmp_path)
    (tmp_path / "model.py").write_text(MEAN)
    entry = steps.remote / "submissions" / "mine"
    run_model(Plan(model=load_model(tmp_path / "model.py"), benchmark="mini", output=entry, tasks=("mini_gap",)))
    shutil.rmtree(entry / ".run")
    if not honest:
        (entry / "model.py").write_text(MEAN.replace("self.mean)", "print('::error::x') or 9.0)"))
        seal(entry)
    (steps.remote / "scripts.sh").write_text("what else the change has is not taken")
    steps.opened()
    assert steps.step("The entry").returncode == 0
    assert not (tmp_path / "base" / "scripts.sh").exists()
    ended = steps.step("Reproduce")
    assert ended.returncode == (0 if honest else 1)
    assert ended.stdout + ended.stderr == "", "what strangers' code prints is in no log that obeys commands"
    assert steps.step("The verdict").returncode == 0
    verdict = "equal, to the last bit" if honest else "not reproduced"
    assert steps.summary.startswith(f"## mine: {verdict}\n\n| | |\n|---|---|\n| task and fold | mini_gap fold ")
    assert f"drawn with seed {(tmp_path / 'seed').read_text().strip()} |" in steps.summary
    assert f"| commit of the entry | {steps.git('rev-parse', 'change')} |" in steps.summary
    record = (tmp_path / "record" / "mine.toml").read_text()
    assert f'verdict = "{"equal" if honest else verdict}"' in record


def test_a_link_in_the_place_of_an_entry_leads_nowhere(tmp_path: Path) -> None:
    steps = Reproduced(tmp_path)
    entry = steps.remote / "submissions" / "mine"
    entry.mkdir(parents=True)
    (entry / "model.py").write_text(MEAN)
    (entry / "submission.json").symlink_to("/etc/passwd")
    (entry / "predictions.parquet").symlink_to("../../../base")
    steps.opened()
    assert steps.step("The entry").returncode == 0
    taken = tmp_path / "base" / "submissions" / "mine"
    assert [path.name for path in taken.iterdir() if path.is_symlink()] == []
    assert steps.step("Reproduce").returncode == 1
    assert steps.step("The verdict").returncode == 0
    assert steps.summary.startswith("**Nothing was compared.**")
    assert "passwd" not in steps.summary


@pytest.mark.parametrize(
    ("name", "value"),
    [("ENTRY", "../../x"), ("ENTRY", "-x"), ("ENTRY", "a b"), ("ENTRY", "a\nb"), ("NUMBER", "main"), ("NUMBER", "7/x")],
)
def test_no_other_place_than_an_entry_of_a_pull_request_is_taken(tmp_path: Path, name: str, value: str) -> None:
    steps = Reproduced(tmp_path)
    (steps.remote / "file").write_text("x")
    steps.opened()
    ended = steps.step("The entry", **{name: value})
    assert (ended.returncode, ended.stderr) == (1, "")
    assert ended.stdout.startswith("no n")


class Remote:
    """A real remote with a pull request, and the places where GitHub runs the steps of the review."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.base, self._remote = folder, folder / "base", folder / "remote"
        self._remote.mkdir()
        self.git("init", "--quiet", "-b", "main")
        self.git("commit", "--quiet", "--allow-empty", "-m", "base")
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")  # as on GitHub
        self.git("switch", "--quiet", "-c", "change")
        self.entry = self._remote / "submissions" / "mine"
        self.entry.mkdir(parents=True)

    def git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self._remote), "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def review(self, head: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Fetch the change and review it, from the files `number`, `report.md` and `report.json` in `review`."""
        self.git("update-ref", "refs/pull/7/head", "change")
        self.git("switch", "--quiet", "main")
        self.git("clone", "--quiet", str(self._remote), str(self.base))
        code = "import sys; from matbench_lite.cli import main; main()"
        tools = program(self.folder / "tools", "mbl", f'#!/bin/sh\nexec "{sys.executable}" -c "{code}" "$@"\n').parent
        environment |= {"PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
        environment |= {"NUMBER": "7", "BASE": "main", "HEAD": head}
        fetched = run_script(script("review", "The change, as git objects"), self.base, **environment)
        assert fetched.returncode == 0, fetched.stderr
        result = run_script(script("review", "Review"), self.base, **environment)
        assert run_script(script("review", "For whom it is"), self.folder, **environment).returncode == 0
        return result


def test_the_steps_of_the_review_run_in_a_clone(tmp_path: Path) -> None:
    """The scripts themselves, with a real remote that has a pull request, in the places where GitHub runs them."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    remote = Remote(tmp_path)
    (remote.entry / "submission.json").write_text("{}")
    reviewed = remote.commit()
    remote.git("commit", "--quiet", "--allow-empty", "-m", "pushed while the review was waiting")
    review = remote.review(reviewed)
    assert review.returncode == 1, review.stderr  # an empty entry has errors
    assert sorted(path.name for path in (tmp_path / "review").iterdir()) == ["number", "report.json", "report.md"]
    assert (tmp_path / "review" / "number").read_text() == "7\n"
    report = json.loads((tmp_path / "review" / "report.json").read_text())
    assert (report["verdict"], report["head"]) == ("needs work", reviewed)
    assert {"base", "rules", "targets"} <= report.keys()
    assert not (tmp_path / "base" / "submissions").exists()


@pytest.mark.slow
@pytest.mark.parametrize("accepted", [True, False], ids=["marked as other data", "passed off as the published"])
def test_poisoned_targets_verify_nothing(
    github: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, accepted: bool
) -> None:
    """Were they believed, the entry would be right in every row."""
    import numpy as np
    import pandas as pd

    from matbench_lite import Submission, load_benchmark
    from matbench_lite.data import add

    remote, bench = Remote(tmp_path), load_benchmark("matbench_v0.1")
    task, model = bench["matbench_steels"], tmp_path / "model.py"
    forged = np.random.default_rng(0).normal(1400, 300, task.rows)
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(tmp_path / "poison"))
    columns = {"mbid": task.ids, "target": forged, "composition": ["Fe"] * task.rows}
    pd.DataFrame(columns).to_parquet(tmp_path / "forged.parquet")
    (added,) = add([tmp_path / "forged.parquet"], bench, allow_unverified=True)
    assert added.error is None
    entry = Submission(
        bench, algorithm="A", authors=["B"], description="C", single_configuration=True, external_data=False
    )
    for fold in task.folds:
        entry.record(task.name, fold, forged[task.test_rows(fold)] + 1)
    model.write_text("x = 1\n")
    entry.save(remote.entry, code=model, overwrite=True)
    with zipfile.ZipFile(tmp_path / "targets.zip", "w") as archive:
        for path in (each for each in (tmp_path / "poison").rglob("*") if each.is_file()):
            content = path.read_bytes()
            if not accepted and path.suffix == ".json":
                content = json.dumps(_without(json.loads(content), "accepted")).encode()
            archive.writestr(path.relative_to(tmp_path / "poison").as_posix(), content)
    github.save(zip=str(tmp_path / "targets.zip"))
    fetched = github.run(f"bash {shlex.quote(str(ROOT / 'scripts' / 'last_targets.sh'))} data")
    assert (tmp_path / "data" / "matbench_v0.1").is_dir(), fetched.stderr

    head = remote.commit()
    remote.review(head, MATBENCH_LITE_DATA=str(tmp_path / "data"))
    left = {path.name.replace(".", "__"): path.read_text() for path in (tmp_path / "review").iterdir()}
    github.upload(**left)
    github.save(head=head, tip=remote.git("rev-parse", "main"))
    assert github.post(head=head).returncode == 0
    (comment,) = github.ours
    assert ("unverified" if accepted else "did not come to an end") in comment
    assert github.state["labels"] == ["nice", *(["review: needs a person"] if accepted else [])]


def _without(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return {name: _without(item, key) for name, item in value.items() if name != key}
    return value
