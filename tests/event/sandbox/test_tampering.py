"""Submissions that lie, crash or send nonsense: named by a fixed word, and nobody else is harmed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from matbench_lite.errors import SubmittedCodeError

from .conftest import mean, train

Contained = Callable[..., SubmittedCodeError]

UNUSABLE = {
    "nan": "return np.full(len(X), np.nan)",
    "too-few": "return np.zeros(len(X) - 1)",
    "huge": "return np.zeros((len(X), 1000))",
}
FORGED = {
    "nothing": "os._exit(0)",
    "noise": "os.write(3, b'MBLP1' + os.urandom(1000)); os._exit(0)",
    "endless": "\nwhile True: os.write(3, bytes(2**16))",
    "every-pipe": """
        for number in range(256):
            try:
                os.write(number, b'MBLP1\\0' + bytes(10000))
            except OSError:
                pass
        os._exit(0)
        """,
    "nan": "os.write(3, b'MBLP1\\0\\0\\0' + np.full(7, np.nan).tobytes() + b'\\0\\0' + bytes(40)); os._exit(0)",
    "long": "os.write(3, b'MBLP1\\0\\0\\0' + bytes(56) + b'\\0\\0' + bytes(41)); os._exit(0)",
    "labels": "os.write(3, b'MBLP1\\0\\1\\0' + bytes(7) + b'\\1\\0' + bytes(5)); os._exit(0)",
    "unknown-stage": "os.write(3, b'MBLP1\\xffsecret'); os._exit(0)",
    "pickle": "import pickle; os.write(3, pickle.dumps(np.zeros(7))); os._exit(0)",
    "closed": "os.close(3)",
    "twice": "os.fork()",
}
PATCHED = """
import matbench_lite.run.fitting as fitting, matbench_lite.event.sandbox.protocol as protocol
fitting.checked_predictions = lambda values, std, X, task, place: fitting.Predicted(values=np.full(len(X), np.nan))
"""
EVIL = """
class Evil:
    def __init__(self, length): self.length = length
    def __len__(self): return self.length
    def __reduce__(self): return os.system, ("touch /tmp/evil",)
    def __array__(self, dtype=None, copy=None): return np.array([os] * self.length, dtype=object)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", UNUSABLE)
def test_predictions_that_are_none(contained: Contained, name: str) -> None:
    assert contained(predict=UNUSABLE[name]).stage == "sent no usable predictions"


@pytest.mark.slow
@pytest.mark.parametrize("name", FORGED)
def test_forged_results(contained: Contained, name: str) -> None:
    error = contained(fit=FORGED[name])
    assert error.stage == "sent no usable predictions"
    assert "secret" not in error.details


@pytest.mark.slow
def test_the_checks_are_done_again_outside(contained: Contained) -> None:
    assert contained(top=PATCHED).stage == "sent no usable predictions"


@pytest.mark.slow
def test_objects_with_a_will_of_their_own(contained: Contained) -> None:
    assert contained(top=EVIL, predict="return Evil(len(X))").stage == "sent no usable predictions"


@pytest.mark.slow
@pytest.mark.usefixtures("isolation")
def test_a_changed_numpy_changes_its_own_predictions_only(write: Callable[..., Path]) -> None:
    changed = train(write(fit="np.isfinite = lambda array: np.ones(len(array), bool); np.mean = lambda y: 12.5"))
    assert set(changed.predicted[0].values) == {12.5}
    assert set(train(write()).predicted[0].values) == {mean()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "fit",
    ["ctypes.string_at(0)", "os.abort()", "os.kill(os.getpid(), signal.SIGKILL)"],
    ids=["segfault", "abort", "kill"],
)
def test_crashes(contained: Contained, fit: str) -> None:
    assert contained(fit=fit).stage == "crashed"


@pytest.mark.slow
def test_endless_recursion(contained: Contained) -> None:
    assert contained(top="def f(x): return f(x)", fit="f(0)").stage == "raised an error"


@pytest.mark.slow
def test_ends_while_it_is_imported(contained: Contained) -> None:
    assert contained(top="os._exit(0)").stage == "sent no usable predictions"
    assert contained(top="sys.exit(0)").stage == "could not be loaded"
    assert contained(top="raise KeyboardInterrupt").stage == "could not be loaded"
    assert contained(top="del Path\n1 +").stage == "could not be loaded"


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


@pytest.mark.slow
def test_an_error_that_cannot_be_printed(contained: Contained) -> None:
    top = """
class Awkward(Exception):
    def __str__(self): raise self
    __repr__ = __str__
"""
    assert contained(top=top, fit="raise Awkward").stage == "raised an error"


def test_an_error_crosses_processes_whole() -> None:
    import pickle

    error = SubmittedCodeError("m", fix="f", stage="crashed", details="d")
    copied = pickle.loads(pickle.dumps(error))
    assert (copied.message, copied.fix, copied.stage, copied.details) == ("m", "f", "crashed", "d")
