"""A judgement as plain JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from matbench_lite.documents import plain
from matbench_lite.judge.expert import COMBINING_RULE, Trust
from matbench_lite.judge.judgement import Judgement


def judgement_document(judgement: Judgement, trust: Trust | None = None) -> dict[str, Any]:
    """All of a judgement but the runs themselves; what is not a number becomes null.

    Args:
        judgement: The judgement.
        trust: The outcome of the expert track, if there was one.
    """
    document = {
        "rules": asdict(judgement.rules),
        "winners": list(judgement.winners),
        "why": list(judgement.why),
        "algorithms": [asdict(row) for row in judgement.algorithms],
        "datasets": list(judgement.datasets),
        "runs": dict(judgement.runs),
        "failures": [asdict(item) for item in judgement.failures],
        "disqualified": [asdict(item) for item in judgement.disqualified],
        "notes": {note: list(where) for note, where in judgement.notes.items()},
        "sensitivity": asdict(judgement.sensitivity),
    }
    if trust is not None:
        document["trust"] = trust_document(trust)
    cleaned: dict[str, Any] = plain(document)
    return cleaned


def trust_document(trust: Trust) -> dict[str, Any]:
    """The outcome of the expert track as plain JSON."""
    document: dict[str, Any] = plain({"rule": COMBINING_RULE, **asdict(trust)})
    return document
