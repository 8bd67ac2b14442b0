"""How judging looks in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from matbench_lite.cli.board_text import Column, print_fitted
from matbench_lite.cli.output import errors, out
from matbench_lite.digits import share

if TYPE_CHECKING:
    from matbench_lite.judge import Judgement, Ran, Rules, Run
    from matbench_lite.judge.datasets import KnownFormula
    from matbench_lite.judge.expert import Trust
    from matbench_lite.judge.expert.writing import Written

_MOST_FAILURES = 20


def print_rules(rules: Mapping[str, Rules], descriptions: Mapping[str, str]) -> None:
    """The rule sets, each with its description."""
    for name, item in rules.items():
        out.print(f"[bold]{escape(item.text)}[/]", highlight=False)
        out.print(f"{descriptions[name]}\n", highlight=False, markup=False)


def plain_formula(known: KnownFormula) -> dict[str, Any]:
    """A synthetic set as plain JSON, without what is hidden."""
    return {
        "name": known.name,
        "title": known.title,
        "target": known.target,
        "unit": known.unit,
        "features": sorted([*known.relevant, *known.irrelevant, *known.decoys]),
        "noise": known.noise,
        "property": known.property_spec.kind,
    }


def print_formulas(formulas: Sequence[KnownFormula]) -> None:
    """The synthetic sets."""
    described = [plain_formula(item) for item in formulas]
    print_fitted(
        [
            Column(header="dataset", cells=[item["name"] for item in described]),
            Column(header="features", cells=[str(len(item["features"])) for item in described], right=True),
            Column(header="noise", cells=[f"{item['noise']:.0%}" for item in described], right=True),
            Column(header="property", cells=[item["property"] for item in described]),
            Column(header="what it is", cells=[item["title"] for item in described], spare=1),
        ]
    )


def report_run(run: Run, done: int, total: int) -> None:
    """One line per run, as it comes in."""
    place = f"{done}/{total} {run.algorithm} on {run.dataset}, run {run.run}"
    if run.flaw:
        errors.print(f"{escape(place)}: [red]{escape(run.flaw)}[/]", highlight=False)
        return
    numbers = f"R2 {run.r2:.3f}, {run.components:g} components, property {run.property_value:.3g}"
    errors.print(f"{place}: {numbers}", highlight=False, markup=False)


def plain_ran(ran: Ran) -> dict[str, Any]:
    """What `mbl judge run` has done, as plain JSON."""
    return {
        "results": str(ran.file),
        "runs": len(ran.runs),
        "trained": ran.trained,
        "kept": ran.kept,
        "failed": [
            {"algorithm": run.algorithm, "dataset": run.dataset, "run": run.run, "reason": run.flaw}
            for run in ran.runs
            if run.flaw
        ],
    }


def print_ran(ran: Ran) -> None:
    """What `mbl judge run` has done."""
    kept = f", {ran.kept} were there already" if ran.kept else ""
    out.print(f"{ran.trained} runs trained{kept}; results: {ran.file}", highlight=False, markup=False, soft_wrap=True)
    if ran.failed:
        errors.print(f"[bold red]{ran.failed} runs cannot count[/]; they get 1 point", highlight=False)
    out.print(f"next: mbl judge rank {ran.file.parent}", highlight=False, markup=False, soft_wrap=True)


def print_judgement(judgement: Judgement, title: str) -> None:
    """Scores, places, why, how certain, and who failed where."""
    rows = judgement.algorithms
    out.print(f"[bold]{escape(title)}[/]: {escape(judgement.rules.text)}\n", highlight=False)
    first = [row.place == 1 for row in rows]
    print_fitted(
        [
            Column(header="place", cells=[str(row.place) for row in rows], right=True),
            Column(header="algorithm", cells=[row.algorithm for row in rows], strong=first),
            Column(header="score", cells=[f"{row.score:.3f}" for row in rows], right=True, strong=first),
            *(
                Column(header=name, cells=[f"{row.points[name]:.2f}" for row in rows], right=True, spare=2)
                for name in ("accuracy", "simplicity", "property")
            ),
            Column(header="datasets\nwon", cells=[str(row.won) for row in rows], right=True, spare=3),
            Column(header="wins when\ndrawn again", cells=[share(row.wins) for row in rows], right=True, spare=1),
        ]
    )
    out.print()
    for sentence in judgement.why:
        out.print(sentence, highlight=False, markup=False)
    _print_other_rules(judgement)
    _print_failures(judgement)


def _print_other_rules(judgement: Judgement) -> None:
    others = judgement.sensitivity.others
    same = [other for other in others if other.winners == judgement.winners]
    out.print(f"\nOf {len(others)} other rules, {len(same)} have the same winner.", highlight=False)
    for other in others:
        if other.winners != judgement.winners:
            out.print(f"  {other.rules.text}: {', '.join(other.winners)}", highlight=False, markup=False)


def _print_failures(judgement: Judgement) -> None:
    from matbench_lite.judge.failing import grouped_failures

    for item in judgement.disqualified:
        gate = f"beats {judgement.rules.qualify} on {item.beaten} of {item.datasets} datasets"
        out.print(f"[yellow]{escape(item.algorithm)} is not judged:[/] it {escape(gate)}", highlight=False)
    if judgement.failures:
        out.print(f"\n[yellow]{len(judgement.failures)} runs did not count:[/]", highlight=False)
    rows = list(grouped_failures(judgement.failures))
    for row in rows[:_MOST_FAILURES]:
        place = f"{row.algorithm} on {row.dataset}, run {row.runs}"
        out.print(f"  {place}: {row.reason}", highlight=False, markup=False)
    if len(rows) > _MOST_FAILURES:
        out.print(f"  and {len(rows) - _MOST_FAILURES} more; --json has them all", highlight=False)


def print_dossiers(written: Written) -> None:
    """Where dossiers were written, and what to do with them."""
    for page, form in zip(written.pages, written.forms, strict=True):
        out.print(f"for experts: {page} and the form {form}", highlight=False, markup=False, soft_wrap=True)
    out.print(f"for you alone: {written.key} opens the names", highlight=False, markup=False, soft_wrap=True)


def print_trust(trust: Trust) -> None:
    """Whom the experts trust, names opened."""
    from matbench_lite.judge.expert import COMBINING_RULE

    rows = trust.algorithms
    out.print(f"\n[bold]Trusted most:[/] {escape(', '.join(trust.winners))}\n", highlight=False)
    print_fitted(
        [
            Column(header="place", cells=[str(row.place) for row in rows], right=True),
            Column(header="algorithm", cells=[row.algorithm for row in rows], strong=[row.place == 1 for row in rows]),
            Column(header="mean trust rank", cells=[f"{row.mean_rank:.2f}" for row in rows], right=True),
            *(
                Column(header=name, cells=[f"{row.by_dataset[name]:.2f}" for row in rows], right=True, spare=1)
                for name in trust.datasets
            ),
        ]
    )
    out.print(f"\n{COMBINING_RULE}", highlight=False, markup=False)
