"""Rules and findings: what an entry is checked for, and what is wrong with one, each with a code and what to do.

The rules here are those of reading an entry. The reader stops at the first finding, the checks collect them all. Both
read with the same functions: each is given `complain` and calls it with every finding. The reader's `complain` raises,
so nothing after it runs; that of the checks returns, and the function goes on with what is left.
"""

from __future__ import annotations

import tomllib
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
    """One problem of an entry: what was found, with the values, what to do about it, and where.

    Args:
        code: The code of its rule, e.g. "MBL101"; it has a page in the docs.
        severity: An error stops an entry; a warning is for the reviewer to weigh; a note is worth knowing.
        rows: Ids of the first rows concerned; there are `row_count` of them.
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
    """One thing that an entry is checked for, and why it matters. Codes are never reused.

    Args:
        fix: What to do, unless the finding knows better.
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
        """A finding of this rule: what was found, with the values, where, and a fix that is more than the rule says."""
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


def read_rules(file: Path) -> dict[str, Rule]:
    """The rules of a TOML file by their codes."""
    rules = tomllib.loads(file.read_text(encoding="utf-8"))
    return {code: Rule(code=code, **texts) for code, texts in rules.items()}


READING = read_rules(Path(__file__).with_suffix(".toml"))
"""The rules of reading by their codes."""
MISSING = READING["MBL102"]
NOT_A_FILE = READING["MBL103"]
TOO_LARGE = READING["MBL104"]
DEADLY = READING["MBL119"]
NOT_JSON = READING["MBL201"]
NOT_UTF8 = READING["MBL202"]
REPEATED_KEY = READING["MBL203"]
SCHEMA = READING["MBL204"]
MALFORMED = READING["MBL205"]
UNKNOWN_BENCHMARK = READING["MBL206"]
UNKNOWN_TASK = READING["MBL207"]
NOT_CANONICAL = READING["MBL208"]
NOT_PARQUET = READING["MBL301"]
UNPACKED_SIZE = READING["MBL302"]
COLUMNS = READING["MBL303"]
ORDER = READING["MBL304"]
ROW_COUNT = READING["MBL305"]
MISSING_FOLD = READING["MBL306"]
NOT_FINITE = READING["MBL307"]
OUT_OF_RANGE = READING["MBL308"]
UNCERTAINTY = READING["MBL309"]
PREDICTION_TYPE = READING["MBL310"]
DIGEST = READING["MBL401"]
PREDICTIONS_CHANGED = READING["MBL402"]
VALUES_DIGEST = READING["MBL403"]
FILE_CHANGED = READING["MBL404"]
LISTED_MISSING = READING["MBL405"]
NOT_LISTED = READING["MBL406"]
OTHER_FOLDS = READING["MBL407"]
