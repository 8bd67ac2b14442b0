"""`mbl judge`: judging models on accuracy, simplicity and a property."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from matbench_lite import judge, train
from matbench_lite.atomic import write_bytes
from matbench_lite.cli import competition_text as text
from matbench_lite.cli import options
from matbench_lite.cli.output import errors, print_json, say
from matbench_lite.errors import JudgingError, raising, unknown_name
from matbench_lite.text import count

app = typer.Typer(help="Judge models on accuracy, simplicity and a property.", no_args_is_help=True)

CompetitionOption = Annotated[
    Path | None,
    typer.Option("--competition", "-c", metavar="FILE.toml", help="Rules, datasets and properties of a competition."),
]
ResultsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="RESULTS", help="Folders of `mbl judge run`, or tables (.csv, .parquet) made elsewhere."),
]
RulesOption = Annotated[Literal["draft", "final"] | None, typer.Option("--rules", "-r", help="The rule set.")]


@app.command()
def rules(json: options.JsonOption = False) -> None:
    """Show the rule sets and what they mean.

    Examples:
        mbl judge rules
    """
    if json:
        sets = judge.RULE_SETS.items()
        print_json({name: {**asdict(item), "description": judge.DESCRIPTIONS[name]} for name, item in sets})
        return
    for name, item in judge.RULE_SETS.items():
        say((item.text, "bold"))
        say(f"{judge.DESCRIPTIONS[name]}\n", soft_wrap=False)


@app.command()
def datasets(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Which synthetic sets; all of them by default.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write them to this folder.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same rows: keep it secret.")] = 0,
    json: options.JsonOption = False,
) -> None:
    """List the synthetic sets, or make them: rows to learn from, and hidden ones to be judged on.

    Every set comes from a known formula, with noise, irrelevant features, a
    decoy, or rows outside the training range. OUTPUT/hidden has the formulas
    and the rows that algorithms must not see.

    Examples:
        mbl judge datasets

        mbl judge datasets --output datasets --seed 4711

        mbl judge datasets hall_petch varshni --output datasets
    """
    known = {item.name: item for item in judge.FORMULAS}
    for name in names or ():
        if name not in known:
            raise unknown_name("synthetic set", name, known)
    chosen = [known[name] for name in names or known]
    made = [] if output is None else judge.write_datasets(chosen, output, seed=seed)
    if json:
        print_json({"folder": output and str(output), "datasets": [text.plain_formula(item) for item in chosen]})
        return
    text.print_formulas(chosen)
    if output is not None:
        say(f"\n{len(made)} sets in {output}; {output / 'hidden'} is for the organiser alone")


@app.command()
def run(
    models: Annotated[list[str], typer.Argument(metavar="MODEL", help="Model files, or folders with model.py.")],
    competition: CompetitionOption = None,
    datasets: Annotated[
        Path | None, typer.Option("--datasets", "-d", help="Folder of synthetic sets, see `mbl judge datasets`.")
    ] = None,
    tasks: Annotated[list[str] | None, typer.Option("--task", "-t", help="A regression task; may be repeated.")] = None,
    benchmark: Annotated[str, typer.Option("--benchmark", "-b", help="Benchmark of the tasks.")] = "matbench_v0.1",
    features: Annotated[
        Literal["elements", "magpie", "structure", "table"] | None, typer.Option(help="Features of the tasks.")
    ] = None,
    runs: Annotated[
        int | None, typer.Option("--runs", "-n", min=1, help="Runs per dataset, each with its seed; by default 10.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of everything random; by default 0.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the results.")] = Path("judging"),
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="How many runs at a time.")] = 1,
    timeout: Annotated[float | None, typer.Option(min=0.1, help="Give a run up after this many seconds.")] = None,
    threads: options.ThreadsOption = 1,
    device: options.DeviceOption = None,
    memory: options.MemoryOption = None,
    backend: options.BackendOption = "local",
    scheduler: options.SchedulerOption = None,
    json: options.JsonOption = False,
) -> int:
    """Run models on datasets, several seeds each, and measure what comes of it.

    A model is a file with get_estimator(), as for `mbl run`. It gets a table of
    features; one that declares an input gets formulas or structures. The trained
    estimator says its formula as expression_, or its size as complexity_. The same
    command again goes on where it stopped. The model files are executed.

    Examples:
        mbl judge run linear.py search.py --datasets datasets --jobs 2

        mbl judge run search.py --task matbench_steels --features elements --runs 5

        mbl judge run linear.py search.py --competition real.toml --output real
    """
    chosen = _competition(competition)
    if datasets is not None:
        chosen = replace(chosen, folder=datasets, names=())
    sources = tuple(judge.TaskSource(name=name, benchmark=benchmark, features=features) for name in tasks or ())
    given: dict[str, Any] = {"tasks": sources or None, "runs": runs, "seed": seed}
    chosen = replace(chosen, **{name: value for name, value in given.items() if value is not None})
    ran = judge.run_algorithms(
        [train.load_model(model) for model in models],
        chosen,
        output,
        resources=options.resources_of(
            device, backend, workers=jobs, threads=threads, seconds=timeout, memory_mb=memory, scheduler=scheduler
        ),
        report=text.report_run,
    )
    if json:
        failed = [
            {"algorithm": run.algorithm, "dataset": run.dataset, "run": run.run, "reason": run.flaw}
            for run in ran.runs
            if run.flaw
        ]
        counts = {"runs": len(ran.runs), "trained": ran.trained, "kept": ran.kept}
        print_json({"results": str(ran.file), **counts, "failed": failed})
    else:
        kept = f", {ran.kept} were there already" if ran.kept else ""
        say(f"{count(ran.trained, 'run')} trained{kept}; results: {ran.file}")
        if ran.failed:
            say((f"{count(ran.failed, 'run')} cannot count", "bold red"), "; 1 point each", to=errors)
        say(f"next: mbl judge rank {ran.file.parent}")
    return int(ran.failed > 0)


@app.command()
def rank(
    results: ResultsArgument,
    competition: CompetitionOption = None,
    rules: RulesOption = None,
    ties: Annotated[
        Literal["competition", "average", "dense"] | None, typer.Option(help="Which place equals share.")
    ] = None,
    min_accuracy: Annotated[
        Literal["test", "train-and-test", "off"] | None, typer.Option(help="R2 must be more than half of the best.")
    ] = None,
    qualify: Annotated[
        Literal["elastic-net", "linear", "dummy", "none"] | None,
        typer.Option(help="Baseline to beat before being judged."),
    ] = None,
    draws: Annotated[int, typer.Option(min=1, help="Bootstrap draws for the certainty of the winner.")] = 1000,
    page: Annotated[Path | None, typer.Option(help="Write a page (HTML) to this file.")] = None,
    opinions: Annotated[
        list[Path] | None, typer.Option("--opinion", help="File of an expert; may be repeated.")
    ] = None,
    key: Annotated[Path | None, typer.Option(help="The organiser's key to the dossiers.")] = None,
    json: options.JsonOption = False,
) -> None:
    """Judge the results: scores, places, why the winner won, how certain that is.

    Examples:
        mbl judge rank judging --rules final

        mbl judge rank judging --competition real.toml --page judgement.html

        mbl judge rank table.csv --ties average --json
    """
    chosen = _competition(competition, rules, ties=ties, min_accuracy=min_accuracy, qualify=qualify)
    judgement = judge.judge_results(results, chosen, draws=draws)
    trust = _trust(opinions, key) if opinions else None
    if page is not None:
        from matbench_lite.judge.judge_pages import judgement_page

        content = judgement_page(judgement, title=chosen.title, trust=trust).encode()
        with raising(JudgingError, f"{page} cannot be written", fix="choose another --page"):
            write_bytes(page, content)
    if json:
        print_json(judge.judgement_document(judgement, trust))
        return
    text.print_judgement(judgement, chosen.title)
    if trust is not None:
        text.print_trust(trust)
    if page is not None:
        say(f"\npage: {page}")


@app.command()
def dossier(
    results: ResultsArgument,
    dataset: Annotated[list[str], typer.Option("--dataset", help="Dataset to be judged; may be repeated.")],
    competition: CompetitionOption = None,
    rules: RulesOption = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")] = Path("dossier"),
    json: options.JsonOption = False,
) -> None:
    """Write pages for experts: one model of each algorithm, under letters, without names.

    OUTPUT/for_experts has a page and a form per dataset. OUTPUT/for_organiser has
    the key that opens the names: do not send it.

    Examples:
        mbl judge dossier judging --competition real.toml --dataset mini_log_kvrh
    """
    chosen = _competition(competition, rules)
    forms, key = judge.write_dossiers(judge.collect(results, chosen), chosen, dataset, output)
    if json:
        print_json({"pages": [str(page) for page in forms], "key": str(key)})
        return
    for page, form in forms.items():
        say(f"for experts: {page} and the form {form}")
    say(f"for you alone: {key} opens the names")


@app.command()
def trust(
    opinions: Annotated[list[Path], typer.Argument(metavar="OPINION", help="Files that experts have filled in.")],
    key: Annotated[Path, typer.Option("--key", help="The organiser's key to the dossiers.")],
    json: options.JsonOption = False,
) -> None:
    """Open the names, and see whom the experts trust most.

    Examples:
        mbl judge trust anna.toml boris.toml --key dossier/for_organiser/key.json
    """
    found = _trust(opinions, key)
    if json:
        print_json(judge.trust_document(found))
    else:
        text.print_trust(found)


def _competition(file: Path | None, rules: str | None = None, **choices: str | None) -> judge.Competition:
    """The competition of a file, with the rules that were chosen by options; what is not given stays."""
    competition = judge.Competition() if file is None else judge.read_competition(file)
    chosen = competition.rules
    if rules not in (None, chosen.name):
        # The minimal accuracy goes with a rule set; the other choices are the competition's.
        chosen = replace(judge.rule_set(str(rules)), ties=chosen.ties, qualify=chosen.qualify)
    given: dict[str, Any] = {name: value for name, value in choices.items() if value is not None}
    return replace(competition, rules=replace(chosen, **given))


def _trust(opinions: list[Path], key: Path | None) -> judge.Trust:
    if key is None:
        raise typer.BadParameter("the key is needed to open the names", param_hint="--key")
    letters = judge.read_key(key)
    return judge.combine([judge.read_opinion(path, letters) for path in opinions], letters)
