"""Damage, one bit at a time; and copies of the files of the package that data is read from."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import matbench_lite
from matbench_lite.data import store
from matbench_lite.tasks import folds
from matbench_lite.tasks.benchmark import _built_in

PACKAGE = Path(matbench_lite.__file__).parent


def flips(files: Sequence[Path], count: int, *, seed: int) -> Iterator[str]:
    """Flip a random bit of one of some files, say which, and put it back; again and again, from file to file."""
    rng = random.Random(seed)
    whole = {path: path.read_bytes() for path in files}
    for number in range(count):
        path = files[number % len(files)]
        place, bit = rng.randrange(len(whole[path])), rng.randrange(8)
        damaged = bytearray(whole[path])
        damaged[place] ^= 1 << bit
        path.write_bytes(damaged)
        forget_folds()
        yield f"bit {bit} of byte {place} of {path.name}"
        path.write_bytes(whole[path])
    forget_folds()


def forget_folds() -> None:
    """As in a new process: folds are read once, when they are first asked for."""
    folds._shipped.cache_clear()
    _built_in.cache_clear()


def copy_of_mini(folder: Path, monkeypatch: pytest.MonkeyPatch, *tasks: str) -> list[Path]:
    """Have the data of mini read from copies.

    Returns:
        The files that hold folds, targets and checksums of some of its tasks.
    """
    home = shutil.copytree(PACKAGE / "data" / "mini", folder / "mini")
    monkeypatch.setattr(store, "_PACKAGED", home)
    targets = [home / f"{name}.targets.parquet" for name in tasks]
    return [*targets, home / "SHA256SUMS", copy_of_folds(folder, monkeypatch, "mini", *tasks)]


def copy_of_folds(folder: Path, monkeypatch: pytest.MonkeyPatch, benchmark: str, *tasks: str) -> Path:
    """Have the folds of some tasks read from a file that holds no others."""
    path = folder / f"{benchmark}.folds.npz"
    with np.load(PACKAGE / "tasks" / path.name) as shipped:
        np.savez_compressed(path, **{name: shipped[name] for name in tasks})
    monkeypatch.setattr(folds, "_HERE", folder)
    forget_folds()
    return path
