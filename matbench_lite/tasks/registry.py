"""Finding benchmarks: the built-in ones by name, a user's own by the path of its TOML file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from matbench_lite.errors import BenchmarkFileError, unknown_name
from matbench_lite.tasks.benchmark import Benchmark
from matbench_lite.tasks.reading import BUILT_IN, read_benchmark

__all__ = ["BUILT_IN", "load_benchmark"]


def load_benchmark(name: str | Path) -> Benchmark:
    """Load a benchmark: a built-in one by name, a user's own by the path of its TOML file.

    Args:
        name: "matbench_v0.1", "mini", or the path of a TOML file.

    Raises:
        UnknownNameError: If there is neither a benchmark nor a file of that name.
        BenchmarkFileError: If the file has mistakes; the message names all of them.

    Examples:
        >>> load_benchmark("mini")["mini_gap"].unit
        'eV'
    """
    if str(name) in BUILT_IN:
        return _built_in(str(name))
    path = Path(name)
    if path.suffix == ".toml":
        if not path.is_file():
            raise BenchmarkFileError(f"there is no file {path}", fix="give the path of an existing TOML file")
        return read_benchmark(path)
    raise unknown_name("benchmark", str(name), [*BUILT_IN, "the path of a .toml file"])


@cache
def _built_in(name: str) -> Benchmark:
    return read_benchmark(Path(__file__).parent / f"{name}.toml")
