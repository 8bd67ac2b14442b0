"""Decoders that do what damaged and hostile files make decoders do."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys
import time
from pathlib import Path

import numpy as np

from matbench_lite.errors import DataFormatError


def echo(about, blobs):
    return about, {str(place): np.frombuffer(blob, dtype=np.uint8) for place, blob in enumerate(blobs)}


def columns(about, blobs):
    numbers = np.arange(5)
    return None, {
        "doubles": numbers / 7,
        "floats": (numbers / 7).astype(np.float32),
        "flags": numbers > 2,
        "big-endian": (numbers / 7).astype(">f8"),
        "none": np.empty(0),
    }


def abort(about, blobs):
    os.abort()


def fault(about, blobs):
    ctypes.string_at(8)


def spin(about, blobs):
    while True:
        pass


def spin_in_c(about, blobs):
    return sum(range(10**12)), {}


def spin_as_an_orphan(about, blobs):
    os.kill(os.getppid(), signal.SIGKILL)
    return spin_in_c(about, blobs)


def sleep(about, blobs):
    time.sleep(3600)
    return None, {}


def swell(about, blobs):
    kept = []
    while True:
        kept.append(np.ones(10_000_000))


_left = []


def litter(about, blobs):
    """Leave so many megabytes behind."""
    _left.append(np.ones(about * 125_000))
    return None, {}


def need(about, blobs):
    """Need so many megabytes."""
    return float(np.ones(about * 125_000).sum()), {}


def stumble(about, blobs):
    """Crash over what others left behind."""
    if _left:
        os.abort()
    return "fine", {}


def leave(about, blobs):
    os._exit(0)


def recurse(about, blobs):
    return recurse(about, blobs)


def raise_ours(about, blobs):
    raise DataFormatError("it is crooked", fix="straighten it")


def raise_other(about, blobs):
    raise LookupError("nothing")


def print_much(about, blobs):
    print("x" * 100_000, flush=True)
    print("y" * 100_000, file=sys.stderr, flush=True)
    return "fine", {}


def write(about, blobs):
    try:
        with Path(about).open("wb") as stream:
            stream.write(b"stolen" * 10_000)
    except OSError as error:
        return type(error).__name__, {}
    return Path(about).stat().st_size, {}


def call_home(about, blobs):
    try:
        socket.create_connection(("127.0.0.1", about), timeout=5).close()
    except OSError as error:
        return type(error).__name__, {}
    return "connected", {}


def many_files(about, blobs):
    opened = []
    try:
        for _ in range(10_000):
            opened.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        pass
    for number in opened:
        os.close(number)
    return len(opened), {}


def objects(about, blobs):
    return None, {"objects": np.array([object()])}


def process_number(about, blobs):
    return os.getpid(), {}
