"""Fetching published data: download, check, add to the store, remove the download."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from matbench_lite.data.adding import add_original
from matbench_lite.data.download import DownloadPolicy, download, mirror_urls
from matbench_lite.data.store import Holding, Part, data_directory, holdings, is_stored, unwritable
from matbench_lite.data.verification import is_verified
from matbench_lite.errors import DataError, DownloadError

if TYPE_CHECKING:
    from matbench_lite.tasks import Task


def fetch(
    task: Task,
    *,
    targets_only: bool = False,
    mirrors: Sequence[str] = (),
    again: bool = False,
    policy: DownloadPolicy | None = None,
) -> dict[Part, Holding]:
    """Fetch the published file of a task and add it to the store.

    Args:
        task: The task.
        targets_only: Whether to keep only the targets: enough to score, review and rank.
        mirrors: Addresses to try before the published ones; see `mirror_urls`.
        again: Whether to fetch what is there already.
        policy: How patient to be.

    Returns:
        What the store holds of the task now.

    Raises:
        DataError: If the store cannot be written.
        DownloadError: If no address gave the right file.
    """
    wanted: tuple[Part, ...] = ("targets",) if targets_only else ("targets", "inputs")
    held = holdings(task)
    if not is_stored(task) or (not again and _has(task, held, wanted)):
        return held
    if task.original is None:
        raise DownloadError(f"no published file is known for {task.name}", fix="add your own with `mbl data add PATH`")
    urls = mirror_urls(task.original.name, task.original.urls, mirrors)
    # One process at a time: another one would find the download removed while it reads it, or fetch it again.
    with _only_process(task) as folder:
        held = holdings(task)
        if not again and _has(task, held, wanted):
            return held
        path = download(
            task.original.name, urls, sha256=task.original.sha256, folder=folder, policy=policy or DownloadPolicy()
        )
        held = add_original(path, task, targets_only=targets_only)
        path.unlink(missing_ok=True)
        return held


def _has(task: Task, held: dict[Part, Holding], wanted: tuple[Part, ...]) -> bool:
    """Whether all wanted parts are here, and proven to be the published ones: what is damaged is fetched again."""
    try:
        return all(part in held and is_verified(task, part, held[part]) for part in wanted)
    except (DataError, OSError):
        return False


@contextmanager
def _only_process(task: Task) -> Iterator[Path]:
    """Give the folder for downloads to one process at a time."""
    folder = data_directory() / "downloads"
    lock = FileLock(folder / f"{task.name}.lock")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except OSError as error:
        raise unwritable(error) from error
    try:
        yield folder
    finally:
        lock.release()
