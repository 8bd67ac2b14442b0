"""How often an address is tried, how long to wait in between, and when it is given up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DownloadPolicy:
    """How patient a download is.

    Args:
        attempts: Failed attempts in a row after which an address is given up.
        progress_bytes: An attempt that brought at least this many new bytes starts the row anew: a line that is cut
            every few hundred megabytes still gets a large file through.
        backoff: Seconds to wait after the first failure; doubled after each further one.
        longest_wait: Seconds that no wait exceeds, whatever the server's `Retry-After` says.
        connect_timeout: Seconds until a connection must be there.
        read_timeout: Seconds within which the next bytes must come.
        stall_seconds: Seconds over which the speed is judged.
        stall_bytes: Bytes that must come in `stall_seconds`; fewer is a failed attempt.

    Examples:
        >>> policy = DownloadPolicy(backoff=0.5, longest_wait=60)
        >>> [policy.wait(failures) for failures in (1, 2, 3)]
        [0.5, 1.0, 2.0]
        >>> policy.wait(1, asked=3600)
        60
    """

    attempts: int = 5
    progress_bytes: int = 2**20
    backoff: float = 0.5
    longest_wait: float = 60.0
    connect_timeout: float = 10.0
    read_timeout: float = 30.0
    stall_seconds: float = 60.0
    stall_bytes: int = 2**16

    def wait(self, failures: int, *, asked: float = 0.0) -> float:
        """Give the seconds to wait after `failures` in a row, when the server asked for `asked` seconds."""
        return min(max(self.backoff * 2.0 ** (failures - 1), asked), self.longest_wait)


class AddressFailedError(Exception):
    """This address does not give the file, now or after another attempt; the message says why."""


class AttemptFailedError(Exception):
    """This attempt failed, another one may not.

    Args:
        reason: What happened.
        asked: Seconds that the server asked to wait.
    """

    def __init__(self, reason: str, *, asked: float = 0.0) -> None:
        super().__init__(reason)
        self.asked = asked
