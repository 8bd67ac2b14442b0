"""`mbl blend`: saved local tests, averaged so that the average is best."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from matbench_lite.cleaner import for_terminal
from matbench_lite.cli.local_test import FoldOption
from matbench_lite.cli.options import BenchmarkOption, JsonOption
from matbench_lite.cli.output import errors, out, plain_table, print_json, say
from matbench_lite.errors import MatbenchLiteError, RunError
from matbench_lite.tasks import load_benchmark

if TYPE_CHECKING:
    from matbench_lite.tasks import Benchmark, Task
    from matbench_lite.train import Blend


def blend(
    models: Annotated[list[str], typer.Argument(help="Models that were tried: as for `mbl try`, or their folders.")],
    benchmark: BenchmarkOption = "matbench_v0.1",
    tasks: Annotated[
        list[str] | None,
        typer.Option("--tasks", "-t", help="Tasks to blend on; by default those that all were tried on."),
    ] = None,
    fold: FoldOption = 0,
    official_test: Annotated[
        bool, typer.Option("--official-test", help="Blend the tests that were made with --official-test.")
    ] = False,
    json: JsonOption = False,
) -> int:
    """Blend models from their saved predictions of `mbl try`, without training.

    It begins with the model whose bagged valid score is best. Then the model that
    improves the average most is added, perhaps one that is there already, as long
    as the valid score gets strictly better. Scores on `test` decide nothing.

    Examples:
        mbl try rf-magpie

        mbl try gbt-magpie

        mbl blend rf-magpie gbt-magpie
    """
    from matbench_lite.train import blend_runs, default_output, load_bagged

    bench = load_benchmark(benchmark)
    # `--tasks A B` leaves B among the models.
    more = [name for name in models if name in bench and not Path(name).exists()]
    outputs = {name: default_output(name) for name in dict.fromkeys(models) if name not in more}
    results: list[dict[str, Any]] = []
    for task in _selected(bench, [*(tasks or ()), *more], outputs, fold, official_test=official_test):
        try:
            runs = {
                name: load_bagged(output, task, fold, official_test=official_test) for name, output in outputs.items()
            }
            blended = blend_runs(task, runs)
        except MatbenchLiteError as error:
            results.append({"ok": False, "task": task.name, "error": str(error)})
            say((f"{task.name} was not blended:", "red"), f" {error}", to=errors)
            continue
        results.append({"ok": True, **asdict(blended), "contributions": blended.contributions})
        if not json:
            _print(bench, task, blended)
    if json:
        print_json(results)
    return int(not all(result["ok"] for result in results))


def _selected(
    bench: Benchmark, names: list[str], outputs: dict[str, Path], fold: int, *, official_test: bool
) -> tuple[Task, ...]:
    from matbench_lite.train import tried_tasks

    if names:
        return bench.select(names=names)
    tried = {name: tried_tasks(output, bench, fold, official_test=official_test) for name, output in outputs.items()}
    everywhere = [task for task in bench.names if all(task in each for each in tried.values())]
    if not everywhere:
        what = "; ".join(f"{name}: {', '.join(each) or 'nothing'}" for name, each in tried.items())
        raise RunError(
            f"no task of {bench.name} was tried with all of these models in fold {fold} ({what})",
            fix=f"run `mbl try MODEL --benchmark {bench.name} --tasks TASK` with each of them",
        )
    return bench.select(names=everywhere)


def _print(bench: Benchmark, task: Task, blended: Blend) -> None:
    from matbench_lite.cli.local_test import print_scores, print_title, score_text
    from matbench_lite.metrics import metric_name

    metric = metric_name(blended.metric, task.unit)
    say((f"Blending {bench.title}: {task.name}, by bagged valid {metric}", "bold yellow"))
    for step, pick in enumerate(blended.picks):
        say(f"        {step + 1:>2}  {score_text(task, blended.metric, pick.valid)}  + {pick.name}")
    print_title("Contributions")
    columns = ("contribution", "valid", "test")
    table = plain_table("model", *columns, right=columns)
    for name, share in blended.contributions.items():
        alone = [score_text(task, blended.metric, blended.singles[name][part][blended.metric]) for part in columns[1:]]
        table.add_row(Text(for_terminal(name)), f"{share:.3f}", *alone)
    out.print(Padding(table, (0, 0, 0, 8), expand=False))
    print_title("Blended bagged scores")
    print_scores(task, blended.scores)
