"""Read an evaluation file: strict JSON, checked against the schema, every mistake named at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from matbench_lite.documents import is_there, read_regular
from matbench_lite.errors import EntryError, EvaluationError, raising
from matbench_lite.evaluate.comparators import COMPARATORS
from matbench_lite.evaluate.evaluation_file import (
    Code,
    Evaluation,
    FileSource,
    Limit,
    RegistrySource,
    Setting,
    Source,
    Target,
    deprecated,
    full_path,
    mistakes,
    shown,
)
from matbench_lite.submission import parse
from matbench_lite.train import BASELINES


def read_evaluation(path: str | Path) -> Evaluation:
    """Read an evaluation file. Nothing in it is executed, no data is read.

    Raises:
        EvaluationError: With every mistake in the file: the key, its value, and what is allowed.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "mine.json"
        ...     _ = path.write_text('{"type": "cover", "data.test": "rows.csv", "models": ["dummy"]}')
        ...     read_evaluation(path)
        Traceback (most recent call last):
        matbench_lite.errors.EvaluationError: mine: type: "cover" is not allowed; give prediction, adaption ...
    """
    with raising(EvaluationError, f"{path} cannot be read", fix="give a JSON file"):
        content = read_regular(Path(path))
    path = Path(path).resolve()
    try:
        document = parse(content, path.name)
    except EntryError as error:
        raise EvaluationError(error.message, fix="correct the JSON") from error
    return parse_evaluation(document, name=path.stem, folder=path.parent)


def parse_evaluation(document: Mapping[str, Any], *, name: str, folder: Path) -> Evaluation:
    """Turn the content of an evaluation file into records.

    Its paths are relative to `folder`.

    Raises:
        EvaluationError: With every mistake.

    Examples:
        >>> document = {"type": "coverage", "data.test": {"task": "mini_gap", "group_by": "anion"}, "models": ["dummy"]}
        >>> evaluation = parse_evaluation(document, name="example", folder=Path())
        >>> evaluation.type, evaluation.test[0].group_by, evaluation.seed
        ('coverage', 'anion', 0)
    """
    if found := mistakes(document):
        raise _mistaken(name, found)
    reader = _Reader(folder=folder.resolve())
    evaluation = reader.evaluation(document, name)
    if reader.mistakes:
        raise _mistaken(name, reader.mistakes)
    return evaluation


def _mistaken(name: str, found: list[EvaluationError]) -> EvaluationError:
    if len(found) == 1:
        return EvaluationError(f"{name}: {found[0].message}", fix=found[0].fix)
    lines = "".join(f"\n  - {mistake}" for mistake in found)
    return EvaluationError(f"{name} has {len(found)} mistakes:{lines}", fix="correct them")


@dataclass
class _Reader:
    """Collects mistakes and notes while it goes through a document that fits the schema."""

    folder: Path
    mistakes: list[EvaluationError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def evaluation(self, document: Mapping[str, Any], name: str) -> Evaluation:
        for key in deprecated(document):
            self.notes.append(f"{key} is of older CCOBRA files and is not read, here and in CCOBRA 1.5")
        setting = cast("Setting", document["type"].replace("adaptation", "adaption"))
        self._check_person(setting, document)
        stated = (document.get(key) for key in ("domains", "response_types"))
        domains, types = (None if names is None else tuple(names) for names in stated)
        return Evaluation(
            name=name,
            type=setting,
            test=self._sources("data.test", document),
            pre_train=self._sources("data.pre_train", document),
            pre_train_person=self._sources("data.pre_train_person", document),
            pre_person_background=self._sources("data.pre_person_background", document),
            corresponding_data=document.get("corresponding_data", False),
            domains=domains,
            response_types=types,
            models=tuple(self._model(f"models/{number}", model) for number, model in enumerate(document["models"])),
            targets=tuple(self._targets(document)),
            seed=int(document.get("seed", 0)),
            notes=tuple(self.notes),
            stated=document,
        )

    def _check_person(self, setting: Setting, document: Mapping[str, Any]) -> None:
        key = "data.pre_train_person"
        if key not in document:
            return
        if setting in ("coverage", "loo-coverage"):
            problem = f"is not allowed in {setting}, which hands over the group's own rows"
            self._note(key, document[key], problem, "leave it out, or choose adaption")
        elif setting == "prediction":
            self.notes.append(
                f"{key} in prediction: the model learns from the groups that it is tested on; "
                "data.pre_person_background is the honest way to tell it about them"
            )

    def _sources(self, key: str, document: Mapping[str, Any]) -> tuple[Source, ...]:
        stated = document.get(key, [])
        if isinstance(stated, list):
            return tuple(self._source(f"{key}/{number}", one) for number, one in enumerate(stated))
        return (self._source(key, stated),)

    def _source(self, key: str, stated: str | Mapping[str, Any]) -> Source:
        if isinstance(stated, str):
            path = self._file(key, stated, "the path of a CSV or Parquet file", (".csv", ".parquet"))
            return FileSource(key=key, path=path or Path(stated))
        limit = stated.get("limit")
        benchmark = stated.get("benchmark")
        if benchmark is not None and benchmark.endswith(".toml"):
            allowed = "matbench_v0.1, mini, or the path of a TOML file"
            benchmark = str(self._file(f"{key}/benchmark", benchmark, allowed))
        rows = Limit(**limit) if isinstance(limit, dict) else Limit(rows=limit)
        return RegistrySource(**{**stated, "key": key, "benchmark": benchmark, "limit": rows})

    def _model(self, key: str, stated: str | Mapping[str, Any]) -> Code:
        about = {"filename": stated} if isinstance(stated, str) else stated
        filename = about["filename"]
        path = full_path(filename, self.folder)
        if filename not in BASELINES or path is None or is_there(path):
            place = key if isinstance(stated, str) else f"{key}/filename"
            allowed = f"the path of a .py file or a folder, or a baseline: {', '.join(BASELINES)}"
            return Code(key=key, path=self._file(place, filename, allowed, (".py",), folder=True), **about)
        for name in ("classname", "args"):
            if name in about:
                problem = f"is not allowed for the baseline {filename}"
                self._note(f"{key}/{name}", about[name], problem, "leave it out")
        return Code(key=key, path=None, **about)

    def _targets(self, document: Mapping[str, Any]) -> list[Target]:
        main = {**document, "data_column": "response", "prediction_fn_name": "predict", "adapt_fn_name": "adapt"}
        targets = [self._target("", main)]
        for number, about in enumerate(document.get("aux_evaluations", [])):
            key = f"aux_evaluations/{number}"
            targets.append(self._target(f"{key}/", {"comparator": "equality", **about}))
            if about["data_column"] in [target.column for target in targets[:-1]]:
                self._note(f"{key}/data_column", about["data_column"], "is there already", "give each column once")
        return targets

    def _target(self, prefix: str, about: Mapping[str, Any]) -> Target:
        names = [about[key] for key in ("adaption_fn_name", "adapt_fn_name") if key in about]
        if len(set(names)) > 1:
            self._note(f"{prefix}adapt_fn_name", names[1], f"is not the adaption_fn_name {shown(names[0])}", "give one")
        return Target(
            key=prefix,
            column=about["data_column"],
            comparator=self._comparator(f"{prefix}comparator", about.get("comparator")),
            predict=about["prediction_fn_name"],
            adapt=names[0] if names else None,
            task_encoders=self._encoders(f"{prefix}task_encoders", about.get("task_encoders", {})),
            response_encoders=self._encoders(f"{prefix}response_encoders", about.get("response_encoders", {})),
        )

    def _comparator(self, key: str, stated: str | None) -> str | Code | None:
        if stated is None or stated in COMPARATORS:
            return stated
        allowed = f"{', '.join(COMPARATORS)}, or the path of a .py file with a comparator"
        return Code(key=key, filename=stated, path=self._file(key, stated, allowed, (".py",)))

    def _encoders(self, key: str, stated: Mapping[str, Any]) -> dict[str, Code]:
        encoders = {}
        for domain, one in stated.items():
            about = {"filename": one} if isinstance(one, str) else one
            place = f"{key}/{domain}"
            if full_path(about["filename"], self.folder) is None:
                # Encoders shape one table of the report: not a reason to refuse a file that CCOBRA takes.
                self.notes.append(f"{place}: ccobra is not installed here, so {about['filename']} is left out")
                continue
            path = self._file(place, about["filename"], "the path of a .py file with an encoder", (".py",))
            encoders[domain] = Code(key=place, path=path, **about)
        return encoders

    def _file(
        self, key: str, stated: str, allowed: str, suffixes: tuple[str, ...] = (".toml",), *, folder: bool = False
    ) -> Path | None:
        path = full_path(stated, self.folder)
        # Of a link, what it leads to counts: a name may say anything.
        real = path.resolve() if path is not None and is_there(path) else None
        if path is None:
            self._note(key, stated, "needs ccobra, which is not installed here", f"give {allowed}")
        elif real is None:
            self._note(key, stated, "does not exist", f"give {allowed}")
        elif not (real.is_file() or (folder and real.is_dir())):
            self._note(key, stated, "is no file", f"give {allowed}")
        elif real.is_file() and real.suffix.lower() not in suffixes:
            self._note(key, stated, f"is not a {' or '.join(suffixes)} file", f"give {allowed}")
        return path

    def _note(self, key: str, value: Any, problem: str, fix: str) -> None:
        self.mistakes.append(EvaluationError(f"{key}: {shown(value)} {problem}", fix=fix))
