"""What is wrong with the files themselves: each problem that reading the entry met becomes a finding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule
from matbench_lite.submission import DOCUMENT, Problem, ProblemKind

_SAVE_AGAIN = "save the entry again with `Submission.save` or `mbl run`"
_SEAL = "if you meant to change it, run `mbl seal` on the entry; else restore the file"

RULES_BY_KIND: dict[ProblemKind, Rule] = {
    "missing file": Rule(
        code="MBL102",
        severity="error",
        title="A required file is missing",
        why="An entry is submission.json and predictions.parquet, with its code; without both nothing can be scored.",
        fix="make the entry with `mbl run` or `Submission.save`",
    ),
    "not a file": Rule(
        code="MBL103",
        severity="error",
        title="Not a regular file",
        why="A link can point to any file of the machine that checks it. Links and devices are never followed.",
        fix="put the file itself there",
    ),
    "too large": Rule(
        code="MBL104",
        severity="error",
        title="Too large",
        why="Everybody who clones the repository downloads every entry, and an entry needs little.",
        fix="make it smaller, or publish it elsewhere and link to it in the README",
    ),
    "deadly": Rule(
        code="MBL119",
        severity="error",
        title="A file that ends the program that reads it",
        why="Files are decoded in a process of their own, with limits of time and memory. This one crashed it, or "
        "needed more than any entry does: it is damaged, or was made to do so.",
        fix=_SAVE_AGAIN,
    ),
    "encoding": Rule(
        code="MBL202",
        severity="error",
        title="submission.json is not UTF-8",
        why="JSON is UTF-8 without a byte order mark. Anything else is read differently on different machines.",
        fix=_SAVE_AGAIN,
    ),
    "not JSON": Rule(
        code="MBL201",
        severity="error",
        title="submission.json is not valid JSON",
        why="It is read as plain JSON: no NaN, no comments, at most 64 levels deep.",
        fix=_SAVE_AGAIN,
    ),
    "repeated key": Rule(
        code="MBL203",
        severity="error",
        title="A key occurs twice in submission.json",
        why="Readers do not agree on which of the two values counts: people could be shown another than programs.",
        fix=_SAVE_AGAIN,
    ),
    "schema version": Rule(
        code="MBL204",
        severity="error",
        title="Unknown schema version",
        why="The version says how to read the rest.",
        fix="upgrade matbench_lite, or save the entry again",
    ),
    "out of form": Rule(
        code="MBL205",
        severity="error",
        title="submission.json is out of form",
        why="Boards and pages are made from it; its JSON Schema says which keys there are and what they hold.",
        fix="correct it where the message says, and run `mbl seal`; or save the entry again",
    ),
    "benchmark": Rule(
        code="MBL206",
        severity="error",
        title="Unknown benchmark",
        why="Tasks, folds and targets come from the benchmark. One that is not built in must be given to the check.",
        fix="check it with `mbl check --benchmark FILE.toml`",
    ),
    "unknown task": Rule(
        code="MBL207",
        severity="error",
        title="Unknown task",
        why="Predictions belong to a task that the benchmark has and that submission.json records.",
        fix=_SAVE_AGAIN,
    ),
    "not canonical": Rule(
        code="MBL208",
        severity="error",
        title="submission.json is not in its canonical form",
        why="One form on disk makes changes readable in a pull request and leaves no room to hide anything.",
        fix="run `mbl seal` on the entry",
    ),
    "not Parquet": Rule(
        code="MBL301",
        severity="error",
        title="predictions.parquet cannot be read",
        why="It is cut off, damaged or no Parquet file at all.",
        fix=_SAVE_AGAIN,
    ),
    "unpacked size": Rule(
        code="MBL302",
        severity="error",
        title="predictions.parquet would unpack to too much",
        why="A small file can unpack to gigabytes and take down the machine that opens it: pages are measured first.",
        fix=_SAVE_AGAIN,
    ),
    "columns": Rule(
        code="MBL303",
        severity="error",
        title="Wrong columns in predictions.parquet",
        why="The columns are task, fold, prediction, and where recorded std, lower, upper; each of one type.",
        fix=_SAVE_AGAIN,
    ),
    "order": Rule(
        code="MBL304",
        severity="error",
        title="Folds are swapped, repeated or unknown",
        why="No row ids are stored: rows are bound to the folds by their order, so the order must be right.",
        fix=_SAVE_AGAIN,
    ),
    "row count": Rule(
        code="MBL305",
        severity="error",
        title="Not one prediction per row",
        why="Every row of every recorded fold is predicted exactly once; rows left out would flatter the score.",
        fix="record the fold again with one prediction per row of `task.test_ids(fold)`",
    ),
    "missing fold": Rule(
        code="MBL306",
        severity="error",
        title="The two files do not hold the same folds",
        why="What submission.json lists must be what predictions.parquet has, fold by fold.",
        fix=_SAVE_AGAIN,
    ),
    "not finite": Rule(
        code="MBL307",
        severity="error",
        title="A prediction is missing, NaN or infinite",
        why="A row without a number cannot be scored, and skipping it would flatter the score.",
        fix="predict a number for every row and record the fold again",
    ),
    "range": Rule(
        code="MBL308",
        severity="error",
        title="A prediction is out of range",
        why="Probabilities lie in [0, 1], labels are 0 or 1, and values small enough to be squared.",
        fix="correct the model and record the fold again",
    ),
    "uncertainty": Rule(
        code="MBL309",
        severity="error",
        title="The uncertainty contradicts the predictions",
        why="A std is above 0, an interval holds its prediction, and a fold has them for all rows or for none.",
        fix="correct it and record the fold again",
    ),
    "prediction type": Rule(
        code="MBL310",
        severity="error",
        title="Predictions of the wrong kind",
        why="A regression task takes values, a classification task labels or probabilities; the metrics differ.",
        fix=_SAVE_AGAIN,
    ),
    "digest": Rule(
        code="MBL401",
        severity="error",
        title="submission.json was changed after it was saved",
        why="Its digest is over everything it says. A wrong one means that somebody, or some tool, has edited it.",
        fix=_SEAL,
    ),
    "changed predictions": Rule(
        code="MBL402",
        severity="error",
        title="predictions.parquet was changed after it was saved",
        why="Its checksum in submission.json is not that of the file.",
        fix="restore the file, or save the entry again",
    ),
    "values digest": Rule(
        code="MBL403",
        severity="error",
        title="The digest of the predictions is wrong",
        why="Each fold has a digest over its numbers, and so has the entry. A wrong one means other predictions.",
        fix=_SAVE_AGAIN,
    ),
    "changed file": Rule(
        code="MBL404",
        severity="error",
        title="A file was changed after the entry was saved",
        why="The code in the entry should be the code that made it; its checksum is in submission.json.",
        fix=_SEAL,
    ),
    "missing listed": Rule(
        code="MBL405",
        severity="error",
        title="A listed file is not there",
        why="submission.json lists every file of the entry.",
        fix="put it back, or run `mbl seal` on the entry",
    ),
    "not listed": Rule(
        code="MBL406",
        severity="error",
        title="A file that is not listed",
        why="submission.json lists every file of the entry; one that came later may have been put there by mistake.",
        fix="run `mbl seal` if it belongs to the entry, else delete it",
    ),
    "other folds": Rule(
        code="MBL407",
        severity="error",
        title="Predictions for other folds",
        why="Scores can be compared only on the same folds; the digest in the entry is not that of the benchmark's.",
        fix="run the model on the benchmark's own folds: `task.train_data(fold)`, `task.test_inputs(fold)`",
    ),
}
_ALSO: dict[ProblemKind, ProblemKind] = {"unreadable": "not a file", "too many files": "too large"}

RULES = tuple(RULES_BY_KIND.values())


def check(material: Material) -> Iterator[Finding]:
    """One finding for each problem; of a document that is out of form, one for each place."""
    for problem in material.problems:
        rule = RULES_BY_KIND[_ALSO.get(problem.kind, problem.kind)]
        if problem.kind == "out of form":
            for item in material.examined.form or ():
                yield rule.found(str(item), file=DOCUMENT)
        else:
            yield rule.found(problem.message, fix=_fix(problem, rule), **_place(material, problem))


def _fix(problem: Problem, rule: Rule) -> str:
    """The rule knows better than a problem whose fix is to save again."""
    return problem.fix if problem.kind in ("benchmark", "schema version", "too many files") else rule.fix


def _place(material: Material, problem: Problem) -> dict[str, Any]:
    benchmark = material.examined.benchmark
    place: dict[str, Any] = {"file": problem.file, "task": problem.task, "fold": problem.fold}
    if benchmark is not None and problem.task is not None and problem.fold is not None and problem.rows:
        task = benchmark[problem.task]
        place |= material.row_ids(task, problem.fold, problem.rows) | {"row_count": problem.row_count}
    return place
