"""Loading real structures, side by side with matminer.

    python perf/structures.py [matbench_log_gvrh.json.gz] [--large synthetic.json.gz]

Each side runs in a process of its own, imports done before the clock starts. `--large` also takes a large file, such
as `perf/synthetic_structures.py` writes, from JSON to Parquet.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

DATA = Path(os.environ.get("MATBENCH_LITE_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
DEFAULT = DATA / "matbench_v0.1" / "original" / "matbench_log_gvrh.json.gz"
REPEATS = 3
BOUNDS = {"frame": 1 / 20, "frame + structures": 1 / 4}

Figures = dict[str, float]


def measure_matminer(path: Path) -> Figures:
    import pymatgen.core  # noqa: F401
    from matminer.utils.io import load_dataframe_from_json

    seconds = fastest(lambda: load_dataframe_from_json(str(path), pbar=False))
    return {"frame": seconds, "frame + structures": seconds, "MB": peak()}


def measure_ours(path: Path) -> Figures:
    import pandas as pd
    import pymatgen.core  # noqa: F401

    from matbench_lite.data.parquet import read_columns
    from matbench_lite.data.structure_array import StructureArray
    from matbench_lite.data.structures import StructureColumns

    def frame() -> pd.DataFrame:
        return pd.DataFrame({"structure": StructureArray(StructureColumns(read_columns(path.read_bytes())))})

    def structures() -> None:
        frame()["structure"].to_numpy()

    frame()  # the imports that pyarrow and pandas do on first use
    frame()["structure"].iloc[0]
    return {"frame": fastest(frame), "frame + structures": fastest(structures), "MB": peak()}


def measure_adding(path: Path) -> Figures:
    import pymatgen.core  # noqa: F401

    from matbench_lite.data.original import read_original
    from matbench_lite.data.structures import write_structures

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "structures.parquet"
        start = time.perf_counter()
        original = read_original(path, input_kind="structure")
        write_structures(original.structures, target)
        return {
            "rows": len(original.targets),
            "seconds": time.perf_counter() - start,
            "MB": peak(),
            "file MB": target.stat().st_size / 1e6,
        }


def measure_writing(path: Path, target: Path) -> Figures:
    """Make the Parquet file that the second load reads."""
    from matbench_lite.data.original import read_original
    from matbench_lite.data.structures import write_structures

    write_structures(read_original(path, input_kind="structure").structures, target)
    return {"file MB": target.stat().st_size / 1e6}


def fastest(work: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
        del result
    return min(times)


def peak() -> float:
    """Peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_a_process(side: str, *paths: Path) -> Figures:
    command = [sys.executable, __file__, "--side", side, *map(str, paths)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    figures: Figures = json.loads(output.splitlines()[-1])
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="*", default=[DEFAULT])
    parser.add_argument("--large", type=Path)
    parser.add_argument("--side", choices=list(SIDES), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side:
        print(json.dumps(SIDES[arguments.side](*arguments.paths)))
        return
    with tempfile.TemporaryDirectory() as folder:
        parquet = Path(folder) / "structures.parquet"
        size = in_a_process("write", arguments.paths[0], parquet)["file MB"]
        matminer, ours = in_a_process("matminer", arguments.paths[0]), in_a_process("ours", parquet)
    print(f"{arguments.paths[0].name}: {arguments.paths[0].stat().st_size / 1e6:.1f} MB, Parquet {size:.1f} MB")
    print(f"{'second load of':20} {'matminer':>10} {'here':>10} {'ratio':>8} {'bound':>8}")
    for what, bound in BOUNDS.items():
        ratio = ours[what] / matminer[what]
        print(f"{what:20} {matminer[what]:8.2f} s {ours[what]:8.3f} s {ratio:8.4f} {bound:8.4f}")
    print(f"{'peak memory':20} {matminer['MB']:7.0f} MB {ours['MB']:7.0f} MB {ours['MB'] / matminer['MB']:8.4f}")
    if arguments.large is not None:
        figures = in_a_process("add", arguments.large)
        print(
            f"{arguments.large.name}: {figures['rows']:.0f} rows from JSON to Parquet ({figures['file MB']:.0f} MB) in "
            f"{figures['seconds']:.1f} s, peak memory {figures['MB']:.0f} MB"
        )


SIDES: dict[str, Callable[..., Figures]] = {
    "matminer": measure_matminer,
    "ours": measure_ours,
    "write": measure_writing,
    "add": measure_adding,
}

if __name__ == "__main__":
    main()
