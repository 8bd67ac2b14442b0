"""`submission.json` and `about.toml`: what they say of a submission, and the form that they must have.

`submission.json` has one form on disk and one under the digest; its reader trusts nothing.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import accumulate, islice
from pathlib import Path, PurePath
from typing import Any, NamedTuple

import orjson

from matbench_lite.documents import TomlTable, toml_document
from matbench_lite.errors import ModelError
from matbench_lite.submission import entry_rules as rules
from matbench_lite.submission.entry_rules import DOCUMENT, Complain, Finding, Rule, refuse
from matbench_lite.submission.fold_predictions import RecordedFold
from matbench_lite.tasks import Task


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_line(value: object) -> bool:
    return isinstance(value, str) and value != "" and "\n" not in value and "\r" not in value


def _each(fits: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: all(map(fits, value)) if isinstance(value, list) else fits(value)


_CARD_VALUES: dict[str, tuple[Callable[[object], bool], str]] = {
    "algorithm": (_is_line, 'one line of text, such as "My forest"'),
    "authors": (_each(_is_line), 'a list of names, each one line of text, such as ["A. Name", "B. Name"]'),
    "description": (_is_text, "a text"),
    "references": (_each(_is_text), "a list of BibTeX entries, each a text"),
    "requirements": (_each(_is_line), 'a list of packages, each one line of text, such as ["scikit-learn>=1.5"]'),
    "single_configuration": (lambda value: isinstance(value, bool), "true or false"),
    "external_data": (
        lambda value: value is False or (_is_text(value) and value != ""),
        'false, or a text that says what else it was trained on, such as "pretrained on OQMD"',
    ),
    "based_on": (_each(_is_line), 'a list of folder names of other entries, such as ["rf-magpie"]'),
}
"""What each field of the card may be in `about.toml`, and in words: where the schema's own would help nobody."""
CARD = tuple(_CARD_VALUES)
"""What the authors say of an entry: arguments of `Submission`."""
_WHERE_SAID = ("based_on",)
"""Fields of the card that stand in the file only if they say something: entries made before have none."""
BESIDE = ("metadata", "imported")
"""The other arguments of `Submission` that an entry keeps."""
_CODE = (".py", ".ipynb")
SCHEMA_VERSION = 2
SCHEMA_FILE = Path(__file__).parent / "submission.schema.json"
_SCHEMAS = {1: Path(__file__).parent / "submission-1.schema.json", 2: SCHEMA_FILE}
_FREE = ("metadata", "provenance", "imported")
_MAX_VALUES = 20_000
MAX_PROBLEMS = 100
_MAX_MESSAGE, _MAX_VALUE = 300, 60
MAX_BYTES = 8_000_000
MAX_VALUES = 500_000
"""Empty lists take two bytes in the file and a hundred times that in memory. A real entry has up to 37 000 values."""
MAX_DEPTH = 64
_EXPONENT = re.compile(rb"(?<=\d)e(-?)(\d+)(?=,?\n)")
"""The exponent of a number that orjson wrote. It ends a line; the line of a text ends with a quotation mark."""
_DEEP = b"\n" + b"  " * (MAX_DEPTH + 1)
_HUGE = re.compile(rb"\d[eE]\+?\d{3,}(?=[,\s\]}])|\d{300}")
"""What a number that is read as infinity has."""
ABOUT_FILE = "about.toml"
_PLAIN_LIMITS = {"maxLength", "maxItems", "required", "additionalProperties"}
"""What the validator says of these is plain English."""


def header_document(header: Mapping[str, Any]) -> dict[str, Any]:
    """The constructor's arguments as the file has them: what the authors say is the card."""
    rest = {key: value for key, value in header.items() if key not in CARD}
    return {**rest, "card": {key: header[key] for key in CARD if header.get(key) or key not in _WHERE_SAID}}


def constructor_arguments(document: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `header_document`, but for the benchmark."""
    return {**document["card"], **{key: document[key] for key in BESIDE if key in document}}


def task_document(task: Task, recorded: Mapping[int, RecordedFold]) -> dict[str, Any]:
    """What the file says of one task: per fold params, times and the digest of the predictions; scores follow."""
    return {
        "predictions": next(iter(recorded.values())).predictions.type,
        "folds_sha256": task.folds_sha256,
        "folds": [
            {"fold": fold, **held.facts, "values_sha256": held.predictions.sha256} for fold, held in recorded.items()
        ],
    }


def code_names(document: Mapping[str, Any], files: Iterable[str]) -> list[str]:
    """Which files of an entry are its code: those that were, and Python files and notebooks that are new.

    Nothing of the document, which is what the entry said before, need be in form. Version 1 did not name the code.
    """
    code, listed = document.get("code"), document.get("files")
    known = set(filter(_is_text, code)) if isinstance(code, list) else None
    old = set(listed) if known is not None and isinstance(listed, Mapping) else set()
    return sorted(
        name for name in files if name in (known or ()) or (name not in old and PurePath(name).suffix in _CODE)
    )


def from_version_1(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document of version 1, its tasks in form, as one of version 2; stated scores stay, as `stated` of a fold."""
    said = {key: value for key, value in document.items() if key not in CARD and key != "declarations"}
    described = {key: document[key] for key in CARD if key in document}
    tasks = {name: about | {"folds": list(map(_stated, about["folds"]))} for name, about in document["tasks"].items()}
    declared = document.get("declarations")
    card = {**described, **(declared if isinstance(declared, dict) else {})}
    return {**said, "schema_version": 2, "card": card, "tasks": tasks}


def _stated(fold: Mapping[str, Any]) -> dict[str, Any]:
    return {"stated" if key == "scores" else key: value for key, value in fold.items()}


class FormProblem(NamedTuple):
    """One difference from the schema, and the keys and positions that lead to it; none for the document as a whole."""

    place: tuple[str | int, ...]
    message: str

    def __str__(self) -> str:
        return f"{'/'.join(map(str, self.place)) or 'submission.json'}: {self.message}"


def version_finding(document: Mapping[str, Any]) -> Finding | None:
    """What is wrong with the version of a document."""
    version = document.get("schema_version")
    if type(version) is int and version in _SCHEMAS:
        return None
    known = " and ".join(map(str, _SCHEMAS))
    message = f"submission.json has schema_version {str(version)[:60]}, this matbench_lite reads {known}"
    return rules.SCHEMA.found(message, file=DOCUMENT)


def form_problems(document: Mapping[str, Any], *, partly: bool = False) -> list[FormProblem]:
    """Everything in which a document differs from the schema, each with its place; the first of very many.

    If `partly`, keys may be missing: for a submission that is not finished.
    """
    outline = _outline(document)
    if any(number > _MAX_VALUES for number in accumulate(map(len, _levels(outline)))):  # too many for the validator
        return [FormProblem(("tasks",), f"more than {_MAX_VALUES:,} values in it, params and metadata aside")]
    stated = document.get("schema_version")
    version = stated if stated in _SCHEMAS else SCHEMA_VERSION
    problems = [
        FormProblem(
            tuple(step[:100] if isinstance(step, str) else step for step in error.instance_path), _message(error)
        )
        for error in islice(_validator(version, partly).iter_errors(outline), MAX_PROBLEMS)
    ]
    return list(dict.fromkeys(problems)) or _written_as_floats(outline)  # a value may break several rules of the schema


def _written_as_floats(document: Mapping[str, Any]) -> list[FormProblem]:
    """Folds such as 1.0, in a document that fits the schema: an integer for the validator, and no index in Python."""
    places = (
        (("tasks", name, "folds", position, "fold"), fields["fold"])
        for name, about in document.get("tasks", {}).items()
        for position, fields in enumerate(about["folds"])
    )
    floats = (FormProblem(place, f"{fold} is not of type integer") for place, fold in places if type(fold) is not int)
    return list(islice(floats, MAX_PROBLEMS))


def _outline(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without what the schema says nothing of but that it is an object: validating it takes gigabytes."""
    outline = {key: {} if key in _FREE and isinstance(value, dict) else value for key, value in document.items()}
    if isinstance(outline.get("tasks"), dict):
        outline["tasks"] = {name: _task_outline(about) for name, about in outline["tasks"].items()}
    return outline


def _task_outline(about: Any) -> Any:
    if not isinstance(about, dict) or not isinstance(about.get("folds"), list):
        return about
    folds = [
        fold | {"params": {}} if isinstance(fold, dict) and isinstance(fold.get("params"), dict) else fold
        for fold in about["folds"]
    ]
    return about | {"folds": folds}


def is_deeper(document: Any, levels: int) -> bool:
    """Whether objects and lists are nested in more levels."""
    return next(islice(_levels(document), levels, None), None) is not None


def _levels(document: Any) -> Iterator[list[Any]]:
    """All values in a document, level by level, no deeper than is looked at: no recursion on a stranger's data."""
    level = [document] if isinstance(document, dict | list) else []
    while level:
        inner = (item.values() if isinstance(item, dict) else item for item in level)
        values = [value for values in inner for value in values]
        yield values
        level = [value for value in values if isinstance(value, dict | list)]


def _message(error: Any) -> str:
    value = json.dumps(error.instance, ensure_ascii=False)
    shown = value if len(value) <= _MAX_VALUE else f"{value[:_MAX_VALUE]}…"
    field = next((step for step in error.instance_path[:2] if step in CARD), None)
    if field is not None and error.kind.name not in _PLAIN_LIMITS:
        return f"{shown} is not allowed; give {_CARD_VALUES[field][1]}"
    message: str = error.message.replace(value, shown, 1)
    return message if len(message) <= _MAX_MESSAGE else f"{message[:_MAX_MESSAGE]}…"


@cache
def _validator(version: int, partly: bool) -> Any:
    import jsonschema_rs

    schema = json.loads(_SCHEMAS[version].read_text(encoding="utf-8"))
    if partly:
        del schema["required"]
    return jsonschema_rs.validator_for(schema)


class _RepeatedKeyError(ValueError):
    """An object with a key twice: readers would not agree on its value."""


_RULES: dict[type[Exception], Rule] = {UnicodeDecodeError: rules.NOT_UTF8, _RepeatedKeyError: rules.REPEATED_KEY}


def canonical_bytes(document: Mapping[str, Any]) -> bytes:
    """The one form of a document on disk: sorted keys, indent 2, UTF-8, a final newline.

    Numbers as the standard library writes them (`repr`), which is the same in every version of Python.
    """
    text = json.dumps(document, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def parse_canonical(content: bytes) -> dict[str, Any] | None:
    """Parse a stranger's document if it is in its canonical form; None if it is not, or cannot be read.

    A text that is what is written for the document read from it has no key twice, no NaN and nothing out of range: it
    need not be looked at again. orjson is quick, and differs in how it writes exponents alone.
    """
    if _too_much(content) or _DEEP in content:
        return None
    try:
        document = orjson.loads(content)
        options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
        text = orjson.dumps(document, option=options)
    except (ValueError, TypeError):
        return None
    same = text == content or _EXPONENT.sub(_as_python_writes_it, text) == content
    return document if same and isinstance(document, dict) else None


def _as_python_writes_it(number: re.Match[bytes]) -> bytes:
    return b"e" + (number[1] or b"+") + number[2].rjust(2, b"0")


def digest(document: Mapping[str, Any]) -> str:
    """The sha256 over the document without its own `digest`, as sorted compact UTF-8 JSON."""
    rest = {key: value for key, value in document.items() if key != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def parse(content: bytes, name: str) -> dict[str, Any]:
    """Parse a stranger's JSON object as plain data.

    An `EntryError` if it is too large, not UTF-8, not JSON, nested too deeply, has a key twice, or is no object.
    """
    return parse_or_complain(content, name, refuse) or {}


def parse_or_complain(content: bytes, name: str, complain: Complain) -> dict[str, Any] | None:
    """Parse a stranger's JSON object as plain data; None after a complaint about what `parse` refuses."""
    file = PurePath(name).name
    if message := _too_much(content):
        complain(rules.TOO_LARGE.found(f"{name} has {message} are read", file=file))
        return None
    try:
        if content.startswith(codecs.BOM_UTF8):
            raise UnicodeDecodeError("utf-8", content[:3], 0, 3, "a byte order mark")
        document = json.loads(content.decode(), object_pairs_hook=_without_repeats, parse_constant=_no_constant)
        if is_deeper(document, MAX_DEPTH + 1):
            raise ValueError(f"it is nested more than {MAX_DEPTH} levels deep")
        # What parses but cannot be written again: a lone surrogate, integers beyond 64 bits; 1e999.
        orjson.dumps(document)
        if _HUGE.search(content):
            json.dumps(document, allow_nan=False)
    except (ValueError, TypeError, RecursionError) as error:
        rule = _RULES.get(type(error), rules.NOT_JSON)
        complain(rule.found(f"{name} is not valid JSON: {error}", file=file))
        return None
    if not isinstance(document, dict):
        complain(rules.NOT_JSON.found(f"{name} is a JSON {type(document).__name__}, not an object", file=file))
        return None
    return document


def _too_much(content: bytes) -> str | None:
    """What there is too much of, as far as that can be told before anything is parsed."""
    containers = content.count(b"{") + content.count(b"[")
    values = containers + content.count(b",")
    if len(content) > MAX_BYTES:
        return f"{len(content):,} bytes, at most {MAX_BYTES:,}"
    if values > MAX_VALUES:
        return f"about {values:,} values, at most {MAX_VALUES:,}"
    return None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        repeated = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _RepeatedKeyError(f"the key {repeated[:60]!r} occurs twice")
    return content


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def read_about(file: Path, section: str | None = None) -> dict[str, Any]:
    """What an `about.toml` says, as arguments of `Submission`; what it does not say is not there.

    The section is the table in it that is meant, where a file is about several models. A `ModelError` names every
    mistake found, each with its place in the file.
    """
    with toml_document(file, ModelError) as top:
        table = top if section is None else TomlTable(top.take(section, dict), f"{section}.", top.problems)
        said = {key: table.allowed(key, *_CARD_VALUES[key]) for key in CARD}
        table.close()
    # One author may be given as a text.
    lists = ("authors", "references", "requirements", "based_on")
    return {
        key: [value] if key in lists and isinstance(value, str) else value
        for key, value in said.items()
        if value is not None
    }
