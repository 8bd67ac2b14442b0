"""Submissions that are made to be read off the public board: with every digit the attacks work, on the board they fail.

Every attack is first tried on the scores as they lie in the private folder, so that a board that showed them would be
found out; then on all that anybody may see.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pandas as pd
import pytest

from matbench_lite.cli.app import run
from matbench_lite.event import (
    Event,
    Received,
    ReceivedFolder,
    Scale,
    ShownScore,
    SubmissionLimits,
    board_document,
    clock,
    load_event,
    open_kit,
    private_board,
    public_board,
    receive,
    score_submissions,
    table_source,
    told,
    waiting,
)
from matbench_lite.event.event_data import read_inputs

from .making import make_event, send_numbers, write_model
from .test_table_event import write_wine
from .test_whole_event import own_data

FAR = 11.0
"""Above every target, and near enough not to be off the scale."""


@pytest.fixture
def planted(tmp_path: Path) -> Event:
    """Targets with digits that occur nowhere else."""
    own_data(tmp_path / "my.csv")
    return make_event(tmp_path / "planted", source=table_source(tmp_path / "my.csv", target="y", input="composition"))


def shown(event: Event) -> Any:
    """The document of the public board, as it is published."""
    return orjson.loads(orjson.dumps(board_document(event, public_board(event), None, event.closing)))


def scored(event: Event) -> Event:
    score_submissions(event, waiting(event))
    return event


def numbers(document: Any) -> Iterator[float]:
    """Every number of a document."""
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        for each in document:
            yield from numbers(each)
    elif isinstance(document, int | float) and np.isfinite(document):
        yield float(document)


def found(document: Any, event: Event, secrets: np.ndarray) -> int:
    """How many secret targets follow from the numbers of a document, alone, by sums and differences, however scaled.

    Whoever has made a submission knows how many rows and folds there are, and in which steps it was made.
    """
    task, folds = event.private_task, event.inner_folds
    rows = np.array([len(task.train_rows(0)), len(task.test_rows(0))])
    known = np.unique([*numbers(document), 0.0])
    pairs = [first + sign * second for first, second in combinations(known, 2) for sign in (1, -1)]
    # The score of a fold from their mean, the smallest and the largest, and how it differs from these.
    three = (
        [folds * a - b - c * more for a, b, c in permutations(known, 3) for more in (1, 2)] if len(known) < 6 else []
    )
    spread = folds / np.sqrt(folds - 1)  # of one fold that differs from all others
    scales = np.outer([1, *rows, *(1 / rows)], [1, 1e-12, 1 / 2, folds, spread, spread / 2]).ravel()
    values = np.sort(np.abs(np.outer([*known, *pairs, *three], scales).ravel()))
    nearest = np.searchsorted(values, secrets).clip(1, len(values) - 1)
    distance = np.minimum(np.abs(values[nearest] - secrets), np.abs(values[nearest - 1] - secrets))
    return int((distance < 1e-9 * secrets).sum())


def exact(event: Event, received: Received) -> dict[str, float]:
    """What the board once showed."""
    summary = ReceivedFolder(event).scores(received.id).public.mean[event.metric]
    return {name: getattr(summary, name) for name in ("mean", "std", "min", "max")}


def flipping(event: Event, *flipped: str) -> Any:
    """Predicts the same in all inner folds but for one row each, which is once below its target and once above."""
    middle = float(np.median(open_kit(event.kit).task.target_values))

    def predict(fold: int, part: str, ids: pd.Index) -> Any:
        values = pd.Series(middle, index=ids)
        for number, row in enumerate(flipped):
            if row in ids:
                values[row] = FAR if fold == number + 1 else -FAR
        return values.to_numpy()

    return predict


def test_two_targets_are_not_read_off_one_submission(planted: Event, tmp_path: Path) -> None:
    """Of three inner folds, mean, smallest and largest score give all three, and their differences two targets."""
    task = planted.private_task
    hidden = task.train_rows(0)[:8]
    secrets = task.target_values[hidden]
    sent = [
        send_numbers(planted, tmp_path / str(at), flipping(planted, *task.ids[hidden[at : at + 2]])) for at in (0, 2, 4)
    ]
    sent.append(send_numbers(planted, tmp_path / "6", flipping(planted, task.ids[hidden[6]])))  # in the std
    scored(planted)
    read = [exact(planted, each) for each in sent]
    assert [found(each, planted, secrets) for each in read] == [2, 2, 2, 1]
    board = shown(planted)
    lines = board["public_board"]["submissions"]
    assert [line["score"]["off_the_scale"] for line in lines] == [False] * 4
    assert [set(line["score"]) for line in lines] == [{"mean", "std", "off_the_scale"}] * 4
    assert [found(each, planted, secrets) for each in (board, *lines)] == [0] * 5


def test_a_target_is_not_read_off_the_difference_of_two_submissions(planted: Event, tmp_path: Path) -> None:
    task = planted.private_task
    row = task.ids[task.train_rows(0)[0]]
    secret = task.target_values[task.train_rows(0)[:1]]
    middle = float(np.median(open_kit(planted.kit).task.target_values))
    sent = []
    for name, value in (("below", -FAR), ("above", FAR)):
        predict = lambda fold, part, ids, value=value: np.where(ids == row, value, middle)  # noqa: E731
        sent.append(send_numbers(planted, tmp_path / name, predict, participant=name))
    scored(planted)
    assert found([exact(planted, each) for each in sent], planted, secret) == 1
    assert found(shown(planted), planted, secret) == 0
    # What is left: the target in steps of the last digit shown, times the rows.
    below, above = (line.score for line in public_board(planted).submissions)
    rows = len(task.train_rows(0))
    assert isinstance(below, ShownScore)
    assert isinstance(above, ShownScore)
    assert (below.mean - above.mean) * rows / 2 == pytest.approx(secret[0], abs=rows * 1e-3)


@pytest.mark.parametrize("size", [1e6, 1e9, 1e12, 1e99])
def test_huge_values_on_chosen_rows_are_off_the_scale(planted: Event, tmp_path: Path, size: float) -> None:
    rows = planted.private_task.ids[planted.private_task.train_rows(0)]
    for at in (0, 1):
        predict = lambda fold, part, ids, at=at: np.where(ids == rows[at], -size * (1 + fold), 1.0)  # noqa: E731
        send_numbers(planted, tmp_path / str(at), predict, participant=f"Team {at}")
    board = shown(scored(planted))
    assert found(board, planted, planted.private_task.target_values) == 0
    first, second = (line["score"] for line in board["public_board"]["submissions"])
    assert first["off_the_scale"]
    assert repr(first) == repr(second)
    assert [row["rank"] for row in board["public_board"]["rows"]] == [1, 1]


def packed_labels(event: Event, rows: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
    """Probabilities whose losses add up to a number with a label in each binary digit; both losses of every row."""
    logits = 12.0 * 2.0 ** -np.arange(len(rows))
    classes = open_kit(event.kit).task.classes
    several = len(classes) > 2
    others = len(classes) - 1 if several else 1
    p = 1 / (1 + others * np.exp(-logits))  # both losses differ by the logit

    def predict(fold: int, part: str, ids: pd.Index) -> Any:
        first = pd.Series(1 / 3 if several else 0.5, index=ids)
        first[ids.intersection(event.private_task.ids[rows])] = 0.0
        for row, each in zip(event.private_task.ids[rows], p, strict=True):
            if row in ids:
                first[row] = each
        if not several:
            return first.to_numpy()
        rest = (1 - first) / others
        columns = {name: rest if number else first for number, name in enumerate(classes)}
        return {f"probability of {name}": column.to_numpy() for name, column in columns.items()}

    return predict, -np.log(p), -np.log((1 - p) / others)


@pytest.mark.parametrize("classes", [2, 3])
def test_labels_are_not_read_off_the_digits_of_a_log_loss(tmp_path: Path, classes: int) -> None:
    if classes == 2:
        event = make_event(tmp_path / "e", task="mini_is_ductile", metric="log_loss", inner_folds=2)
    else:
        write_wine(tmp_path / "wine.csv")
        source = table_source(tmp_path / "wine.csv", target="grape", input="table")
        event = make_event(tmp_path / "e", source=source, metric="log_loss", inner_folds=2)
    hidden = event.private_task.train_rows(0)
    rows = hidden[: min(30, len(hidden) - 1)]
    truth = event.private_task.target_values[rows].astype(int)
    is_first = truth == 0 if classes == 3 else truth == 1
    predict, if_first, if_other = packed_labels(event, rows)
    received = send_numbers(event, tmp_path / "mine", predict)
    scored(event)

    def read(mean: float) -> list[bool]:
        """The labels that a score has in its digits, the most telling first."""
        rest = -np.log(1 / 3 if classes == 3 else 0.5) * (len(hidden) - len(rows))
        left = mean * len(hidden) - if_first.sum() - rest
        labels = []
        for more in if_other - if_first:
            labels.append(left < more * (1 - 1e-9) - 1e-9)
            left -= 0 if labels[-1] else more
        return labels

    assert read(exact(event, received)["mean"]) == list(is_first)
    score = public_board(event).rows[0].score
    assert not score.off_the_scale
    right = np.array(read(score.mean)) == is_first
    assert not right.all()
    assert right.argmin() < told(event)["bits_per_submission"] / 2


def test_ranks_and_their_order_do_not_tell_what_digits_do_not(planted: Event, tmp_path: Path) -> None:
    """Twins that differ below what is shown share a rank, and stand as they came, whoever is better."""
    row = planted.private_task.ids[planted.private_task.train_rows(0)[0]]
    secret = planted.private_task.target_values[planted.private_task.train_rows(0)[0]]
    better, worse = secret + 1e-6, secret + 2e-6
    for name, value in (("A", worse), ("B", better), ("C", worse), ("C", better), ("D", better), ("D", worse)):
        predict = lambda fold, part, ids, value=value: np.where(ids == row, value, 1.0)  # noqa: E731
        folder = tmp_path / f"{name}{value!r}"
        assert send_numbers(planted, folder, predict, participant=f"Team {name}").mark is None
    scored(planted)
    counted = ReceivedFolder(planted).all()
    assert len({exact(planted, each)["mean"] for each in counted}) == 2
    board = public_board(planted)
    assert [(row.rank, row.submission.participant) for row in board.rows] == [(1, f"Team {name}") for name in "ABCD"]
    first = {name: min(each.id for each in counted if each.participant == f"Team {name}") for name in "ABCD"}
    assert [row.submission.id for row in board.rows] == list(first.values())


def with_other_targets(event: Event, folder: Path, part: str, change: Any) -> Event:
    """The same event, but for the targets of one private part."""
    shutil.copytree(event.folder, folder)
    file = folder / "private" / "data" / "private.csv"
    frame = pd.read_csv(file)
    there = frame["part"] == part
    frame.loc[there, "target"] = change(frame.loc[there, "target"].to_numpy())
    frame.to_csv(file, index=False)
    return load_event(folder)


BROKEN = {
    "NaN": lambda ids: np.where(np.arange(len(ids)) == 3, "nan", "1"),
    "infinite": lambda ids: np.where(np.arange(len(ids)) == 3, "inf", "1"),
    "too large": lambda ids: np.full(len(ids), 1e200),
    "as large as may be": lambda ids: np.full(len(ids), 1e100),
    "no number": lambda ids: np.full(len(ids), "cheap"),
}


def test_nothing_follows_from_targets_that_decide_or_that_differ_below_what_is_shown(
    event: Event, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Taken in, failed, scored, ranked, on the terminal and as JSON: the same whatever those targets are."""
    rng = np.random.default_rng(0)
    events = [
        event,
        with_other_targets(event, tmp_path / "test", "test", lambda y: rng.permutation(y) * 7 + 3),
        with_other_targets(event, tmp_path / "hidden", "train", lambda y: y + rng.normal(scale=1e-9, size=len(y))),
    ]
    said = []
    for number, each in enumerate(events):
        home = tmp_path / f"sent-{number}"
        home.mkdir()
        for name, values in BROKEN.items():
            predict = lambda fold, part, ids, values=values: values(ids)  # noqa: E731
            send_numbers(each, home / name, predict, participant=name)
        send_numbers(each, home / "good", lambda fold, part, ids: np.linspace(0, 2 + fold, len(ids)))
        records = ReceivedFolder(each).all()
        assert [one.mark for one in records] == [None] * 6
        scored(each)
        lines = public_board(each).submissions
        assert run(["event", "board", str(each.folder), "--no-page"]) == 0
        # All but when it came and where it lay.
        kept = [replace(one, received="", source="") for one in records]
        said.append((kept, [replace(one, received=event.opening) for one in lines], capsys.readouterr().out))
    assert len({repr(each) for each in said}) == 1
    states = {line.participant: (line.state, line.stage) for line in said[0][1]}
    assert states["as large as may be"] == states["Mallory"] == ("scored", None)
    assert {states[name] for name in ("NaN", "infinite", "too large", "no number")} == {
        ("error", "its predictions cannot be used")
    }
    exacts = [exact(each, ReceivedFolder(each).all()[-1])["mean"] for each in events]
    assert exacts[0] == exacts[1] != exacts[2]


def test_submissions_above_the_limit_tell_nothing_even_if_somebody_scores_them(event: Event, tmp_path: Path) -> None:
    event = replace(event, participant=SubmissionLimits(submissions=1, per_day=1))
    for number in range(2):
        send_numbers(event, tmp_path / str(number), lambda fold, part, ids, at=number: np.full(len(ids), 1.0 + at))
    first, second = ReceivedFolder(event).all()
    assert (first.mark, second.mark) == (None, "over the limit")
    score_submissions(event, waiting(event, [first.id, second.id]))
    lines = public_board(event).submissions
    assert [line.state for line in lines] == ["scored", "scored"]
    assert [line.score is None for line in lines] == [False, True]
    assert lines[1].own_valid is None


def test_a_copy_of_the_kits_targets_is_not_the_first(event: Event, tmp_path: Path) -> None:
    known = pd.Series(event.public_task.target_values, index=event.public_task.ids)
    guess = float(known.median())
    copied = send_numbers(
        event, tmp_path / "copy", lambda fold, part, ids: known[ids] if part == "valid" else np.full(len(ids), 9.0)
    )
    send_numbers(event, tmp_path / "honest", lambda fold, part, ids: np.full(len(ids), guess), participant="Honest")
    scored(event)
    board = public_board(event)
    assert [row.submission.participant for row in board.rows] == ["Honest", "Mallory"]
    assert board.rows[1].submission.own_valid == ShownScore(mean=0.0, std=0.0)
    assert ReceivedFolder(event).scores(copied.id).valid.mean["mae"].mean == 0
    ids = set(read_inputs(event.kit, event.public_task).index)
    assert ids.isdisjoint(event.public_task.ids)


def test_targets_that_decide_are_not_read_off_the_final_ranking_either(planted: Event, tmp_path: Path) -> None:
    task = planted.private_task
    rows = task.test_rows(0)[:2]
    deciding = set(task.test_ids(0))
    sent = send_numbers(planted, tmp_path / "flips", flipping(planted, *task.ids[rows]), participant="Flips")
    for name, far in (("Far", 1e9), ("Near", 1.0)):
        predict = lambda fold, part, ids, far=far: np.where(ids.isin(deciding), far, 1.0)  # noqa: E731
        send_numbers(planted, tmp_path / name, predict, participant=name)
    scored(planted)
    secret = task.target_values[rows]
    read = ReceivedFolder(planted).scores(sent.id).test.mean["mae"]
    # As many rows as decide: two targets with every digit.
    exactly = [(read.max - each) * len(deciding) / 2 for each in (read.min, 3 * read.mean - read.max - read.min)]
    assert sorted(exactly) == pytest.approx(sorted(secret), rel=1e-9)
    public = public_board(planted)
    final = private_board(planted, public)
    assert {row.submission.participant: row.test.off_the_scale for row in final.rows} == {
        "Flips": False,
        "Near": False,
        "Far": True,
    }
    last = final.rows[-1]
    assert (last.rank, last.submission.participant, last.interval, last.place.word) == (3, "Far", None, None)
    assert "Far" not in final.headline
    document = orjson.loads(orjson.dumps(board_document(planted, public, final, planted.closing)))
    assert found(document["private_board"], planted, task.target_values) == 0


SPY = """
import numpy as np

input = "composition"


class Spy:
    def fit(self, X, y):
        self.secret = float(y.iloc[0])
        {act}
        return self

    def predict(self, X):
        return np.full(len(X), {value})


def get_estimator(task):
    return Spy()
"""
SPIES = {
    "all digits": ("pass", "self.secret * 1e12"),
    "as it is": ("pass", "self.secret"),
    "the last digits": ("pass", "self.secret * 1e6 % 5"),
    "NaN if odd": ("pass", "float('nan') if int(self.secret * 1e9) % 2 else 1.0"),
    "infinite": ("pass", "1e308"),
    "an error if odd": ("1 / (int(self.secret * 1e9) % 2)", "1.0"),
}


@pytest.mark.slow
@pytest.mark.usefixtures("isolation")
def test_code_cannot_write_what_it_was_shown_on_the_board(tmp_path: Path) -> None:
    own_data(tmp_path / "my.csv")
    source = table_source(tmp_path / "my.csv", target="y", input="composition")
    event = make_event(tmp_path / "planted", mode="code", source=source, inner_folds=2)
    for number, (name, (act, value)) in enumerate(SPIES.items()):
        code = SPY.format(act=act, value=value)
        receive(event, write_model(tmp_path / str(number), participant=name, source=code))
    score_submissions(event, waiting(event), run_submitted_code=True)
    task = event.private_task
    secrets = task.target_values[task.train_rows(0)]
    received = {each.participant: each for each in ReceivedFolder(event).all()}
    assert found(exact(event, received["all digits"]), event, secrets) == 2
    board = shown(event)
    assert found(board, event, secrets) == 0
    lines = {line["participant"]: line for line in board["public_board"]["submissions"]}
    assert lines["all digits"]["score"]["off_the_scale"]
    assert not lines["as it is"]["score"]["off_the_scale"]
    said = {(line["state"], line["stage"]) for line in lines.values()}
    assert said <= {
        ("scored", None),
        ("error", "raised an error"),
        ("error", "sent no usable predictions"),
        ("error", "its predictions cannot be ranked"),
    }
    assert Scale.of(event, event.public).states > len(said)
    assert "seconds" not in json.dumps(board)
    assert clock() < event.closing
