"""Which entries Matbench has published: what an import is compared with before it is believed."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class PublishedFile:
    """A result that Matbench has published: the entry's folder there, and the sha256 of its `results.json.gz`."""

    name: str
    sha256: str


@cache
def published_results() -> dict[str, PublishedFile]:
    """The published results that are pinned in this package, by the digest of the predictions in them."""
    listed = tomllib.loads(Path(__file__).with_name("published_files.toml").read_text(encoding="utf-8"))
    return {about["values_sha256"]: PublishedFile(name=name, sha256=about["sha256"]) for name, about in listed.items()}
