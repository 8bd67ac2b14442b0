from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from matbench_lite import metrics
from matbench_lite.cli.app import run
from matbench_lite.errors import EventError
from matbench_lite.event import Event, ReceivedFolder, load_event, open_kit, receive, score_submissions, waiting
from matbench_lite.event.event_data import read_inputs
from matbench_lite.event.kit import predict_folds
from matbench_lite.train import load_model, predictions_table, try_model

from .making import Send, make_event, write_model


def test_scores_are_those_of_the_local_test_on_the_same_data(event: Event, send: Send, tmp_path: Path) -> None:
    model = write_model(tmp_path / "mine", quantile=0.1)
    received = send(event, model)
    (scored,) = score_submissions(event, waiting(event))
    assert scored.state == "scored"
    scores = ReceivedFolder(event).scores(received.id)
    trial = try_model(load_model(model), event.public_task, tmp_path / "output", n_folds=event.inner_folds)
    assert trial.scores is not None
    assert scores.valid.mean == trial.scores.mean["valid"]
    assert scores.valid.bagged == trial.scores.bagged["valid"][-1]
    assert len(scores.test.folds) == 3


def test_test_scores_are_on_the_private_rows(event: Event, send: Send, tmp_path: Path) -> None:
    received = send(event, write_model(tmp_path / "mine", quantile=0.1))
    score_submissions(event, waiting(event))
    scores = ReceivedFolder(event).scores(received.id)
    task, kit = event.private_task, open_kit(event.kit)
    folds = predict_folds(kit, load_model(tmp_path / "mine"))
    places = {id: place for place, id in enumerate(read_inputs(event.kit, event.public_task).index)}
    for part, rows in ((scores.hidden, task.train_rows(0)), (scores.test, task.test_rows(0))):
        assert part is not None
        asked, truth = [places[id] for id in task.ids[rows]], task.target_values[rows]
        predicted = [fold["test"].prediction[asked] for fold in folds]
        assert [fold["mae"] for fold in part.folds] == [metrics.mae(truth, each) for each in predicted]
        assert part.bagged["mae"] == metrics.mae(truth, np.mean(predicted, axis=0))
    assert scores.public == scores.hidden


def test_one_that_fails_does_not_stop_the_others(event: Event, send: Send, tmp_path: Path) -> None:
    bad = write_model(tmp_path / "bad", participant="Team B")  # no predictions in it
    ids = [send(event, write_model(tmp_path / "a", quantile=0.1)).id, receive(event, bad).id]
    ids.append(send(event, write_model(tmp_path / "c", quantile=0.45)).id)
    done = {each.id: each for each in score_submissions(event, waiting(event))}
    assert [done[id].state for id in ids] == ["scored", "error", "scored"]
    assert done[ids[1]].stage == "its predictions cannot be used"
    assert "predictions.csv" in (done[ids[1]].trace or "")
    assert waiting(event) == ()
    assert [each.id for each in waiting(event, again=True)] == ids


def test_marked_ones_wait_for_nobody_unless_they_are_named(event: Event, send: Send, tmp_path: Path) -> None:
    first = send(event, write_model(tmp_path / "a"))
    second = receive(event, tmp_path / "a.zip", participant="Copy")
    assert second.mark == "duplicate"
    assert [each.id for each in waiting(event)] == [first.id]
    (scored,) = score_submissions(event, waiting(event, [second.id]))
    assert scored.state == "scored"


def test_labels_cannot_be_ranked_by_what_needs_probabilities(send: Send, tmp_path: Path) -> None:
    event = make_event(tmp_path / "e", task="mini_is_ductile", metric="rocauc", inner_folds=2)
    send(event, write_model(tmp_path / "labels"))
    (failed,) = score_submissions(event, waiting(event))
    assert (failed.state, failed.stage) == ("error", "its predictions cannot be ranked")
    assert "probabilities" in (failed.trace or "")


def test_code_does_not_run_unless_it_is_asked_for(code_event: Event, tmp_path: Path) -> None:
    marker = tmp_path / "executed"
    receive(code_event, write_model(tmp_path / "mine", source=f"open({str(marker)!r}, 'w')\n"))
    with pytest.raises(EventError, match="--run-submitted-code"):
        score_submissions(code_event, waiting(code_event))
    assert not marker.exists()
    assert ReceivedFolder(code_event).all()[0].state == "new"


def test_code_in_an_event_of_predictions_never_runs(event: Event, tmp_path: Path) -> None:
    marker = tmp_path / "executed"
    receive(event, write_model(tmp_path / "mine", source=f"open({str(marker)!r}, 'w')\n"))
    (failed,) = score_submissions(event, waiting(event), run_submitted_code=True)
    assert failed.state == "error"
    assert not marker.exists()


def test_two_programs_do_not_score_at_once(event: Event, send: Send, tmp_path: Path) -> None:
    send(event, write_model(tmp_path / "a"))
    submissions = waiting(event)
    with ReceivedFolder(event).locked(), pytest.raises(EventError, match="another program is at work"):
        score_submissions(load_event(event.folder), submissions)


def test_what_was_sent_is_in_the_one_table_of_predictions(
    event: Event, send: Send, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = [
        send(event, write_model(tmp_path / str(share), participant=f"P{share}", quantile=share)).id
        for share in (0.1, 0.5)
    ]
    received = [event.private / "received" / id for id in ids]
    assert run(["compare", *map(str, received)]) == 1
    assert "an event whose submissions were scored" in " ".join(capsys.readouterr().err.split())
    score_submissions(event, waiting(event))
    table = predictions_table(event.folder)
    for (id, part, piece), rows in table.groupby(["model", "part", "piece"]):
        scores = getattr(ReceivedFolder(event).scores(id), part)
        assert rows["loss"].mean() == pytest.approx(scores.folds[int(piece)]["mae"], rel=1e-12)
    assert set(table["model"]) == set(ids)
    assert run(["predictions", str(event.folder)]) == 0
    assert run(["compare", *map(str, received), "--json"]) == 0
    assert ids[0] in capsys.readouterr().out
