"""Rules and findings: what an entry is checked for, and what is wrong with one, each with a code and what to do.

The rules here are those of reading an entry. The reader stops at the first finding, the checks collect them all. Both
read with the same functions: each is given `complain` and calls it with every finding. The reader's `complain` raises,
so nothing after it runs; that of the checks returns, and the function goes on with what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from matbench_lite.cleaner import for_terminal
from matbench_lite.errors import EntryError

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From bad to harmless: the order in which findings are shown."""

DOCUMENT = "submission.json"
PREDICTIONS = "predictions.parquet"
MAX_ROWS = 5
"""Row ids that a finding names; how many there are in all is in `row_count`."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One problem of an entry.

    Args:
        code: The code of its rule, e.g. "MBL101"; it has a page in the docs.
        severity: An error stops an entry; a warning is for the reviewer to weigh; a note is worth knowing.
        message: What was found, with the values.
        fix: What to do about it.
        file: Name of the file in the entry's folder.
        task: Name of the task.
        fold: Number of the fold.
        rows: Ids of the first rows concerned.
        row_count: How many rows are concerned.
        evidence: The figures behind a warning, by what they are.
        parts: The findings that it sums up: a reader is told of all of them at once, the checks list each.

    Examples:
        >>> found = Finding(code="MBL307", severity="error", message="2 predictions are NaN", fix="record them again",
        ...                 task="mini_gap", fold=3, rows=("mini-gap-004", "mini-gap-017"), row_count=2)
        >>> found.place
        'mini_gap fold 3, mini-gap-004, mini-gap-017'
    """

    code: str
    severity: Severity
    message: str
    fix: str
    file: str | None = None
    task: str | None = None
    fold: int | None = None
    rows: tuple[str, ...] = ()
    row_count: int = 0
    evidence: Mapping[str, str | int | float] = field(default_factory=dict)
    parts: tuple[Finding, ...] = ()

    @property
    def place(self) -> str:
        """Where it is, in words; "" if it concerns the entry as a whole."""
        task = self.task if self.fold is None or self.task is None else f"{self.task} fold {self.fold}"
        more = [f"and {self.row_count - len(self.rows)} more"] if self.row_count > len(self.rows) > 0 else []
        return ", ".join(part for part in (self.file, task, *self.rows, *more) if part)

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain JSON; what is not known is left out."""
        content = {
            **{name: getattr(self, name) for name in ("code", "severity", "message", "fix", "file", "task", "fold")},
            "rows": list(self.rows) or None,
            "row_count": self.row_count or None,
            "evidence": dict(self.evidence) or None,
        }
        return {name: value for name, value in content.items() if value is not None}


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Errors first, then by code and place: the same in every run."""

    def key(finding: Finding) -> tuple[Any, ...]:
        place = (finding.file or "", finding.task or "", -1 if finding.fold is None else finding.fold)
        return SEVERITIES.index(finding.severity), finding.code, *place, finding.message

    return tuple(sorted(findings, key=key))


Group = Literal["form", "document", "predictions", "integrity", "honesty", "declarations", "change"]
_GROUPS: tuple[Group, ...] = get_args(Group)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One thing that an entry is checked for. Codes are never reused.

    Args:
        code: The stable code, e.g. "MBL101".
        title: What is wrong, in a few words.
        why: Why it matters, one or two sentences.
        fix: What to do, unless the finding knows better.
        severity: How bad a finding is.
        needs: What the check needs beside the entry's folder: the other entries, or the targets.
        imported: How bad it is in an entry imported from Matbench; None: the same.
    """

    code: str
    title: str
    why: str
    fix: str = "save the entry again with `Submission.save` or `mbl run`"
    severity: Severity = "error"
    needs: Literal["others", "targets"] | None = None
    imported: Severity | None = None

    @property
    def group(self) -> Group:
        """The concern it belongs to: the first digit of its code."""
        return _GROUPS[int(self.code[3]) - 1]

    def found(self, message: str, *, fix: str | None = None, imported: bool = False, **place: Any) -> Finding:
        """A finding of this rule.

        Args:
            message: What was found, with the values.
            fix: What to do, if more is known than the rule says.
            imported: Whether the entry is imported from Matbench.
            **place: Where; see `Finding`.

        Examples:
            >>> rule = Rule(code="MBL101", title="No slug", why="It is in links.", fix="rename it")
            >>> rule.found("the folder is called 'My Model'").fix
            'rename it'
        """
        severity = self.imported if imported and self.imported is not None else self.severity
        # Here, so that no finding can carry a stranger's control characters or line breaks to a terminal or a log.
        if place.get("file") is not None:
            place["file"] = _one_line(place["file"], 100)
        message, fix = _one_line(message), _one_line(fix or self.fix)
        return Finding(code=self.code, severity=severity, message=message, fix=fix, **place)


def _one_line(text: str, limit: int = 1000) -> str:
    return for_terminal(text.replace("\n", " "), limit)


Complain = Callable[[Finding], None]
"""Takes a finding; may raise."""
_MAX_SHOWN = 20


def refuse(finding: Finding, folder: Path | None = None) -> None:
    """The reader's way to complain: always an EntryError; the folder is for the message."""
    message = f"{finding.message}{as_lines([part.message for part in finding.parts])}"
    raise EntryError(f"{folder}: {message}" if folder else message, fix=finding.fix)


def as_lines(problems: Sequence[object]) -> str:
    """Problems as lines of a message."""
    shown = [str(problem) for problem in problems[:_MAX_SHOWN]]
    return "".join(f"\n  {line}" for line in (*shown, *(["… and more"] if len(problems) > _MAX_SHOWN else [])))


_SEAL = "if you meant to change it, run `mbl seal` on the entry; else restore the file"

MISSING = Rule(
    code="MBL102",
    title="A required file is missing",
    why="An entry is submission.json and predictions.parquet, with its code; without both nothing can be scored.",
    fix="give the folder of an entry; make one with `mbl run` or `Submission.save`",
)
NOT_A_FILE = Rule(
    code="MBL103",
    title="Not a regular file",
    why="A link can point to any file of the machine that checks it. Links and devices are never followed.",
    fix="put the file itself there",
)
TOO_LARGE = Rule(
    code="MBL104",
    title="Too large",
    why="Everybody who clones the repository downloads every entry, and an entry needs little.",
    fix="make it smaller, or publish it elsewhere and link to it in the README",
)
DEADLY = Rule(
    code="MBL119",
    title="A file that crashes or hangs the program that reads it",
    why="Files are decoded in a process of their own, with limits of time and memory. This one crashed it, or "
    "needed more than any entry does: it is damaged, or was made to do so.",
)
NOT_JSON = Rule(
    code="MBL201",
    title="submission.json is not valid JSON",
    why="It is read as plain JSON: no NaN, no comments, at most 64 levels deep.",
)
NOT_UTF8 = Rule(
    code="MBL202",
    title="submission.json is not UTF-8",
    why="JSON is UTF-8 without a byte order mark. Anything else is read differently on different machines.",
)
REPEATED_KEY = Rule(
    code="MBL203",
    title="A key occurs twice in submission.json",
    why="Readers do not agree on which of the two values counts: people could be shown another than programs.",
)
SCHEMA = Rule(
    code="MBL204",
    title="Unknown schema version",
    why="The version says how to read the rest.",
    fix="upgrade matbench_lite, or save the entry again",
)
MALFORMED = Rule(
    code="MBL205",
    title="submission.json does not match its schema",
    why="Boards and pages are made from it; its JSON Schema says which keys there are and what they hold.",
    fix="correct it at the place named, and run `mbl seal`; or save the entry again",
)
UNKNOWN_BENCHMARK = Rule(
    code="MBL206",
    title="Unknown benchmark",
    why="Tasks, folds and targets come from the benchmark. One that is not built in must be given to the check.",
    fix="check it with `mbl check --benchmark FILE.toml`",
)
UNKNOWN_TASK = Rule(
    code="MBL207",
    title="Unknown task",
    why="Predictions belong to a task that the benchmark has and that submission.json records.",
)
NOT_CANONICAL = Rule(
    code="MBL208",
    title="submission.json is not in its canonical form",
    why="One form on disk makes changes readable in a pull request and leaves no room to hide anything.",
    fix="run `mbl seal` on the entry",
)
NOT_PARQUET = Rule(
    code="MBL301", title="predictions.parquet cannot be read", why="It is cut off, damaged or no Parquet file at all."
)
UNPACKED_SIZE = Rule(
    code="MBL302",
    title="predictions.parquet would unpack to more than it may",
    why="A small file can unpack to gigabytes and take down the machine that opens it: pages are measured first.",
)
COLUMNS = Rule(
    code="MBL303",
    title="Wrong columns in predictions.parquet",
    why="The columns are task, fold, prediction, and where recorded std, lower, upper; each of one type.",
)
ORDER = Rule(
    code="MBL304",
    title="Folds are swapped, repeated or unknown",
    why="No row ids are stored: rows are bound to the folds by their order, so the order must be right.",
)
ROW_COUNT = Rule(
    code="MBL305",
    title="Not one prediction per row",
    why="Every row of every recorded fold is predicted exactly once; rows left out would flatter the score.",
    fix="record the fold again with one prediction per row of `task.test_ids(fold)`",
)
MISSING_FOLD = Rule(
    code="MBL306",
    title="The two files do not hold the same folds",
    why="What submission.json lists must be what predictions.parquet has, fold by fold.",
)
NOT_FINITE = Rule(
    code="MBL307",
    title="A prediction is missing, NaN or infinite",
    why="A row without a number cannot be scored, and skipping it would flatter the score.",
    fix="predict a number for every row and record the fold again",
)
OUT_OF_RANGE = Rule(
    code="MBL308",
    title="A prediction is out of range",
    why="Probabilities lie in [0, 1], labels are 0 or 1, and values small enough to be squared.",
    fix="correct the model and record the fold again",
)
UNCERTAINTY = Rule(
    code="MBL309",
    title="The uncertainty contradicts the predictions",
    why="A std is above 0, an interval holds its prediction, and a fold has them for all rows or for none.",
    fix="correct it and record the fold again",
)
PREDICTION_TYPE = Rule(
    code="MBL310",
    title="Predictions of the wrong kind",
    why="A regression task takes values, a classification task labels or probabilities; the metrics differ.",
)
DIGEST = Rule(
    code="MBL401",
    title="submission.json was changed after it was saved",
    why="Its digest is over everything it says. A wrong one means that somebody, or some tool, has edited it.",
    fix=_SEAL,
)
PREDICTIONS_CHANGED = Rule(
    code="MBL402",
    title="predictions.parquet was changed after it was saved",
    why="Its checksum in submission.json is not that of the file.",
    fix="restore the file, or save the entry again",
)
VALUES_DIGEST = Rule(
    code="MBL403",
    title="The digest of the predictions is wrong",
    why="Each fold has a digest over its numbers, and so has the entry. A wrong one means other predictions.",
)
FILE_CHANGED = Rule(
    code="MBL404",
    title="A file was changed after the entry was saved",
    why="The code in the entry should be the code that made it; its checksum is in submission.json.",
    fix=_SEAL,
)
LISTED_MISSING = Rule(
    code="MBL405",
    title="A listed file is missing",
    why="submission.json lists every file of the entry.",
    fix="put it back, or run `mbl seal` on the entry",
)
NOT_LISTED = Rule(
    code="MBL406",
    title="A file that is not listed",
    why="submission.json lists every file of the entry; one that came later may have been put there by mistake.",
    fix="run `mbl seal` if it belongs to the entry, else delete it",
)
OTHER_FOLDS = Rule(
    code="MBL407",
    title="Predictions for other folds",
    why="Scores can be compared only on the same folds; the digest in the entry is not that of the benchmark's.",
    fix="run the model on the benchmark's own folds: `task.train_data(fold)`, `task.test_inputs(fold)`",
)

READING: dict[str, Rule] = {rule.code: rule for rule in list(vars().values()) if isinstance(rule, Rule)}
"""The rules above by their codes."""
