"""Fuzz everything that reads a submitted file: `python tests/review/fuzz_entries.py --seconds 300`.

A process does the reading; another watches it. An exception that is not ours, ten seconds of processor time for one
input, a death, or two minutes without an answer is a finding: its input is kept in the folder given by `--keep`, and
the run ends with exit code 1. Put it into `corpus/` once it is mended: the tests read all of that.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Thread

HERE = Path(__file__).parent
PATIENCE = 120.0  # seconds on the clock: the machine may be busy
PROCESSOR_TIME = 10.0


def work(seed: int, keep: Path) -> None:
    """Read mutated inputs for ever; each is on disk before it is read, and a line is printed after it."""
    sys.path[:0] = [str(HERE), str(HERE.parent.parent)]
    import warnings

    warnings.simplefilter("error")
    from entries import save_sound_entry
    from fuzz_readers import Readers, random_input

    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        readers = Readers(save_sound_entry(Path(folder) / "sound"), Path(folder))
        seeds = readers.seeds()
        while True:
            reader, content = random_input(rng, readers, seeds)
            (keep / "last").write_bytes(reader.encode() + b"\n" + content)
            signal.setitimer(signal.ITIMER_PROF, PROCESSOR_TIME)  # its signal ends the process
            readers.read(reader, content)
            signal.setitimer(signal.ITIMER_PROF, 0)
            print(reader, flush=True)


def watch(seconds: float, keep: Path, seed: int) -> int:
    """Run workers until the time is up; count what they read, keep what stopped them."""
    keep.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + seconds
    counts: dict[str, int] = {}
    found = 0
    while time.monotonic() < until:
        command = [sys.executable, __file__, "--work", "--seed", str(seed), "--keep", str(keep)]
        environment = os.environ | {"MATBENCH_LITE_AUTOFETCH": "0"}
        with (keep / f"{seed}.log").open("w") as log:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
            last = [time.monotonic()]
            Thread(target=_listen, args=(process, counts, last), daemon=True).start()
            while process.poll() is None and time.monotonic() < until and time.monotonic() - last[0] < PATIENCE:
                time.sleep(0.2)
            stopped, silent = process.poll() is not None, time.monotonic() - last[0] >= PATIENCE
            process.kill()
            process.wait()
        if stopped or silent:
            found += 1
            (keep / "last").rename(keep / f"{'crash' if stopped else 'hang'}-{seed}")
            print(f"{'a crash' if stopped else 'a hang'}: {keep}, seed {seed}", flush=True)
        seed += 1
    print(f"{sum(counts.values())} inputs: {dict(sorted(counts.items()))}; {found} findings")
    return int(found > 0)


def _listen(process: subprocess.Popen[str], counts: dict[str, int], last: list[float]) -> None:
    for line in process.stdout or ():
        counts[line.strip()] = counts.get(line.strip(), 0) + 1
        last[0] = time.monotonic()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.seed, options.keep)
    return watch(options.seconds, options.keep, options.seed)


if __name__ == "__main__":
    sys.exit(main())
