"""Submissions that lie, crash or send nonsense: named by a fixed word, and nobody else is harmed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from matbench_lite.errors import SubmittedCodeError

from .conftest import train

Contained = Callable[..., SubmittedCodeError]

FORGED = {
    "nothing": "os._exit(0)",
    "noise": "os.write(3, b'MBLP1\\0' + bytes(range(256)) * 4)",
    "endless": "while True: os.write(3, bytes(2**16))",
    "every-pipe": """
        for number in range(256):
            try:
                os.write(number, b'MBLP1\\0' + bytes(10000))
            except OSError:
                pass
        os._exit(0)
        """,
    "nan": "os.write(3, b'MBLP1\\0\\0\\0' + b'\\0\\0\\0\\0\\0\\0\\xf8\\x7f' * 7 + b'\\0\\0' + bytes(40))",
    "long": "os.write(3, b'MBLP1\\0\\0\\0' + bytes(56) + b'\\0\\0' + bytes(41))",
    "labels": "os.write(3, b'MBLP1\\0\\1\\0' + bytes(7) + b'\\1\\0' + bytes(5))",
    "unknown-stage": "os.write(3, b'MBLP1\\xffsecret')",
    "pickle": "import pickle; os.write(3, pickle.dumps([0.0] * 7))",
    "closed": "os.close(3)",
    "twice": "child = os.fork(); send_zeros(); child and os.waitpid(child, 0)",
}
PATCHED = """
import matbench_lite.train.estimators as fitting
fitting.checked_predictions = lambda values, std, X, task, place: fitting.Predicted(values=np.full(len(X), np.nan))
"""


@pytest.mark.parametrize("name", FORGED)
def test_forged_results(attack: Contained, name: str) -> None:
    error = attack(FORGED[name])
    assert error.stage == "sent no usable predictions"
    assert "secret" not in error.details


def test_the_checks_are_done_again_outside(contained: Contained) -> None:
    assert contained(top=PATCHED).stage == "sent no usable predictions"


@pytest.mark.usefixtures("isolation")
def test_a_changed_numpy_changes_its_own_predictions_only(write: Callable[..., Path]) -> None:
    predicted, _ = train(write(fit="np.isfinite = lambda array: np.ones(len(array), bool); np.mean = lambda y: 12.5"))
    assert set(predicted[0].values) == {12.5}
    assert np.mean([1.0, 2.0]) == 1.5


@pytest.mark.parametrize(
    "code",
    ["ctypes.string_at(0)", "os.abort()", "os.kill(os.getpid(), signal.SIGKILL)"],
    ids=["segfault", "abort", "kill"],
)
def test_crashes(attack: Contained, code: str) -> None:
    assert attack(code).stage == "crashed"


def test_an_error_tells_the_public_nothing(contained: Contained) -> None:
    error = contained(
        fit="""
        secret = "-".join(map(str, y.iloc[:3]))
        print("printed", secret, "\\x1b[2J")
        raise type("Leak" + "".join(filter(str.isalnum, secret)), (ValueError,), {})(secret)
        """
    )
    assert error.stage == "raised an error"
    # Numbers of the data would be digits: the message has none but the fold's.
    assert not any(letter.isdigit() for letter in str(error).replace("fold 0", ""))
    assert "printed" in error.details
    assert "Traceback" in error.details
    assert "\x1b" not in error.details


def test_an_error_crosses_processes_whole() -> None:
    import pickle

    error = SubmittedCodeError("m", fix="f", stage="crashed", details="d")
    copied = pickle.loads(pickle.dumps(error))
    assert (copied.message, copied.fix, copied.stage, copied.details) == ("m", "f", "crashed", "d")
