"""No bytes in a submitted file crash a reader: a short run of the fuzzer, and all that it ever found."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from fuzz_readers import Readers, random_input
from hypothesis import given, settings
from hypothesis import strategies as st

CORPUS = Path(__file__).parent / "corpus"
READERS = ("json", "parquet", "notebook", "text", "matbench", "about")


@pytest.fixture(scope="session")
def readers(sound: Path, tmp_path_factory: pytest.TempPathFactory) -> Readers:
    return Readers(sound, tmp_path_factory.mktemp("fuzz"))


@pytest.fixture(scope="session")
def seeds(readers: Readers) -> dict[str, list[bytes]]:
    return readers.seeds()


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_the_corpus(readers, path) -> None:
    reader, _, content = path.read_bytes().partition(b"\n")
    readers.read(reader.decode(), content)


def test_the_corpus_has_something_for_every_reader() -> None:
    assert {path.read_bytes().partition(b"\n")[0].decode() for path in CORPUS.iterdir()} == set(READERS)


def test_sound_inputs_are_read(readers, seeds) -> None:
    assert set(seeds) == set(READERS)
    for reader, contents in seeds.items():
        for content in contents:
            readers.read(reader, content)


@given(seed=st.integers(0, 2**32))
def test_mutated_inputs(readers, seeds, seed) -> None:
    reader, content = random_input(random.Random(seed), readers, seeds)
    readers.read(reader, content)


@pytest.mark.parametrize("reader", READERS)
@settings(max_examples=15)
@given(content=st.binary(max_size=300) | st.text(max_size=100).map(str.encode))
def test_any_bytes(readers, reader, content) -> None:
    readers.read(reader, content)
