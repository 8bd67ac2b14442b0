"""Entries to make a site from: good ones, one with errors, and one whose every text is an attack."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from matbench_lite import Benchmark, Submission
from matbench_lite.review import Checked, Finding

ATTACKS = (
    "<script>document.title='hacked'</script>",
    "<img src=x onerror=\"document.title='hacked'\">",
    "[click](javascript:alert(1)) ![](http://evil.example/x.png)",
    "{{ 7 * 7 }} {% for x in y %} ${7*7}",
    "</div></td></table></script></style></title>",
    '" onmouseover="alert(1)" x="',
    "\u202egnp.exe\u202c \u200frtl \u2066x\u2069",
    "=HYPERLINK(1) | +1 | @SUM(1)",
    "a\u2028b\u2029c `code` **bold** _em_ ~~del~~ {: .cls onclick=alert(1) } [^1] [[x]] :smile: <!-- c -->",
    "http://evil.example/auto <https://evil.example/> www.evil.example",
    "::: matbench_lite.Submission",
    "\u0391\u0301" * 40 + "W" * 300,
)


def record(
    benchmark: Benchmark,
    noise: float,
    *,
    tasks: Sequence[str] | None = None,
    seed: int = 0,
    uncertain: bool = False,
    created: str | None = "2024-05-01T00:00:00+00:00",
    **about,
) -> Submission:
    """An entry that is off by `noise` standard deviations of the target."""
    usual = {"authors": ["A. Name"], "description": "The truth, and noise.", "external_data": False}
    entry = Submission(benchmark, **{"algorithm": f"Noise {noise:g}", "single_configuration": True, **usual, **about})
    rng = np.random.default_rng(seed)
    for task in benchmark.select(names=tasks):
        for fold in task.folds:
            truth = task.target_values[task.test_rows(fold)]
            error = rng.normal(size=len(truth))
            if task.kind == "classification":
                entry.record(task.name, fold, 1 / (1 + np.exp(-(2 * truth - 1 + 2 * noise * error))))
            else:
                std = noise * task.target_values.std()
                more = {"std": np.full(len(truth), std)} if uncertain else {}
                entry.record(task.name, fold, truth + std * error, **more)
    entry.created = created
    entry.provenance = {"python": "3.11", "hardware": {"cpu": "A processor", "cores": 2, "gpus": []}}
    return entry


def hostile(benchmark: Benchmark) -> Submission:
    """Every text of it is an attack."""
    everything = " ".join(ATTACKS).replace("\u2028", " ").replace("\u2029", " ")
    entry = record(
        benchmark,
        0.3,
        seed=7,
        algorithm=everything[:490],
        authors=[attack[:400] for attack in ATTACKS],
        description="\n\n".join(ATTACKS) + "\n\n" + "long " * 2000,
        references=["@misc{x, title={</pre><script>document.title='hacked'</script>}}", *ATTACKS],
        requirements=[attack[:400] for attack in ATTACKS],
        external_data="\n".join(ATTACKS),
        metadata={attack: list(ATTACKS) for attack in ATTACKS},
        imported={"from": "matbench", "url": "javascript:alert(1)"},
    )
    entry.provenance = {"hardware": {"cpu": everything, "cores": everything, "gpus": list(ATTACKS)}}
    return entry


def checked(slug: str, folder: Path, entry: Submission, *findings: Finding) -> Checked:
    """What the checks might say of an entry."""
    return Checked(
        slug=slug,
        folder=folder,
        findings=findings,
        not_run={},
        submission=entry,
        category=entry.category,
        verified={task.name: True for task in entry.tasks},
        digest=None,
        size=0,
    )
