"""`mbl reproduce`: the code of an entry, trained again, and whether it makes what is recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from matbench_lite import submission, train
from matbench_lite.cli import options
from matbench_lite.cli.output import errors, print_json, say
from matbench_lite.errors import SubmittedCodeError
from matbench_lite.metrics import METRICS
from matbench_lite.tasks import Task, load_benchmark
from matbench_lite.text import duration, share
from matbench_lite.view import with_unit


def reproduce(
    entry: Annotated[Path, typer.Argument(metavar="ENTRY", help="The folder of the entry.")],
    task: Annotated[
        str | None, typer.Option("--task", "-t", help="Which task; by default the recorded one with the fewest rows.")
    ] = None,
    fold: Annotated[int | None, typer.Option(help="Which fold; by default the first.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Draw task and fold, as far as they are not given, with this seed.")
    ] = None,
    benchmark: options.OwnBenchmarkOption = None,
    run_submitted_code: Annotated[
        bool, typer.Option("--run-submitted-code", help="Execute what a stranger sent, in a sandbox.")
    ] = False,
    timeout: Annotated[float, typer.Option(min=0.1, help="Give up after this many seconds.")] = 3600,
    memory: Annotated[int, typer.Option(metavar="MB", min=1, help="Give up on what takes more than this.")] = 8192,
    threads: options.ThreadsOption = 1,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Keep the record in this folder, e.g. reproductions.")
    ] = None,
    json: options.JsonOption = False,
) -> int:
    """Train the code of an entry again on one fold, and compare with the predictions that it recorded.

    Equal: they are the same, within rounding. Within spread: the score differs
    by at most two standard deviations over the entry's folds, and the predictions
    by at most six tenths of the mean error of the recorded ones, which are not
    nearer to the truth on more than three rows in four. Exit code 1 if they are
    neither, or the code cannot be trained.

    The code runs in a sandbox, which has no network and sees none of your files:
    neither the recorded predictions nor the targets of the test part.

    A record in the folder reproductions beside that of the entries is shown on
    boards and on the entry's page, as long as predictions and code stay the same.

    Examples:
        mbl reproduce submissions/dummy --run-submitted-code

        mbl reproduce submissions/my-model --task matbench_steels --fold 3 --run-submitted-code

        mbl reproduce submissions/my-model --seed 17 --run-submitted-code --output reproductions
    """
    try:
        read, found = train.reproduce(
            entry,
            benchmark=None if benchmark is None else load_benchmark(benchmark),
            task=task,
            fold=fold,
            draw=seed,
            run_submitted_code=run_submitted_code,
            limits=train.Limits(seconds=timeout, memory_mb=memory),
            threads=threads,
        )
    except SubmittedCodeError as error:
        say(error.details, to=errors)
        raise
    slug, kept = entry.resolve().name, None
    try:
        if output is not None:
            kept = submission.keep_reproduction(output, slug, read.document, found)
    finally:  # what took an hour is said, kept or not
        if json:
            values, code = read.document["values_sha256"], submission.code_sha256(read.document)
            digests = {"values_sha256": values, "code_sha256": code}
            print_json({"entry": slug, **digests, **vars(found), "kept": None if kept is None else str(kept)})
        else:
            drawn = "" if seed is None else f", drawn with seed {seed}"
            say(f"{slug}, {found.place}{drawn}: trained in {duration(found.seconds)} with seed {found.seed}")
            _print(found, read.benchmark[found.task])
    if kept is not None and not json:
        say(f"kept: {kept}")
    return int(found.verdict == "not reproduced")


def _print(found: submission.ReproducedFold, task: Task) -> None:
    metric, unit = METRICS[found.metric], task.unit if task.kind == "regression" else ""
    colour = "red" if found.verdict == "not reproduced" else "green"
    said = ", to the last bit" if found.identical else ""
    say((f"{found.verdict}{said}", f"bold {colour}"))
    largest, mean, error = (
        with_unit(f"{value:.3g}", unit) for value in (found.largest_difference, found.mean_difference, found.mean_error)
    )
    say(f"predictions differ by at most {largest}, {mean} in the mean; the recorded ones err by {error} in the mean")
    if found.largest_difference:
        say(f"where they differ, the recorded ones are nearer to the truth on {share(found.nearer)} of the rows")
    score, before = (with_unit(f"{value:.6g}", unit) for value in (found.score, found.recorded_score))
    say(f"{metric.label}: {score}, recorded {before}; standard deviation over its folds {found.spread:.3g}")
    bits = f"{found.code_bits:.3g} bits of code for each different prediction of the entry"
    if found.code_bits < train.FEW_BITS:
        say(f"{bits}: too few to carry answers")
    else:
        say(f"{bits}: enough to carry answers, so read that it computes them")
