"""Small evaluations, in folders of their own."""

from __future__ import annotations

import json
import textwrap
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from matbench_lite.errors import EvaluationWarning
from matbench_lite.evaluate import Results, evaluate

ORACLES = Path(__file__).parent.parent / "oracles"

MEAN = """
from matbench_lite.evaluate import Model

class Mean(Model):
    def __init__(self, name="mean", start=0.0):
        super().__init__(name)
        self.seen = [start]

    def pre_train(self, dataset):
        self.seen = [row["response"] for group in dataset for row in group]

    def adapt(self, item, target, **columns):
        self.seen.append(target)

    def predict(self, item, **columns):
        return sum(self.seen) / len(self.seen)
"""

CONSTANT = """
from matbench_lite.evaluate import Model

class Constant(Model):
    def __init__(self, value=0.0, name="constant"):
        super().__init__(name)
        self.value = value

    def predict(self, item, **columns):
        return self.value

    def end_participant(self, identifier, model_log):
        model_log["value"] = self.value
"""
ROWS = """
id,sequence,task,choices,response,response_type,domain,phase,gap
a,0,Al2O3,real,1.0,free,energy,solid,0.5
a,1,AlO,real,2.0,free,energy,solid,0.6
b,0,Fe2O3,real,4.0,free,energy,liquid,0.7
b,1,FeO,real,5.0,free,energy,solid,0.8
c,0,NaCl,real,9.0,free,energy,liquid,0.9
"""


class Folder:
    """A folder with an evaluation in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.write("rows.csv", ROWS)
        self.write("mean.py", MEAN)

    def write(self, name: str, content: str | Mapping[str, Any]) -> Path:
        """Write a file: text without its indent, or an object as JSON."""
        text = textwrap.dedent(content).lstrip("\n") if isinstance(content, str) else json.dumps(content)
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def document(self, **changes: Any) -> dict[str, Any]:
        """An evaluation that works, with some keys changed; `data_test` stands for `data.test`; None removes a key."""
        document = {"type": "prediction", "data.test": "rows.csv", "models": ["mean.py"], "comparator": "absdiff"}
        for name, value in changes.items():
            key = name.replace("data_", "data.", 1) if name.startswith("data_") else name
            document[key] = value
        return {key: value for key, value in document.items() if value is not None}

    def file(self, **changes: Any) -> Path:
        """The evaluation file."""
        return self.write("evaluation.json", self.document(**changes))

    def run(self, *, notes: bool = False, **changes: Any) -> Results:
        """Run the evaluation; warnings are errors, unless notes are expected."""
        path = self.file(**changes)
        with warnings.catch_warnings():
            if notes:
                warnings.simplefilter("ignore", EvaluationWarning)
            return evaluate(path)


def hostile_results(folder: Folder, hostile: str) -> Results:
    """The results of an evaluation with a hostile text wherever somebody may write one."""
    folder.write("constant.py", CONSTANT)
    folder.write("broken.py", f"raise RuntimeError({hostile!r})")
    quoted = hostile.replace('"', '""')
    rows = [f'"{quoted}{group}",{row},"{quoted}",,{group + row},free,d' for group in range(6) for row in range(3)]
    folder.write("rows.csv", "id,sequence,task,choices,response,response_type,domain\n" + "\n".join(rows) + "\n")
    folder.write(
        "enc.py",
        f"""
        from matbench_lite.evaluate import ResponseEncoder, TaskEncoder
        class Task(TaskEncoder):
            def encode_task(self, task):
                return {hostile!r}
        class Response(ResponseEncoder):
            def encode_response(self, response, task):
                return {hostile!r}
        """,
    )
    models = [{"filename": "constant.py", "args": {"name": hostile}, "override_name": hostile}, "mean.py", "broken.py"]
    return folder.run(type="adaption", models=models, task_encoders={"d": "enc.py"}, response_encoders={"d": "enc.py"})


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture
def mean_of() -> Callable[[Results, str], float]:
    return lambda results, name: results.models[name].scores["response"].mean
