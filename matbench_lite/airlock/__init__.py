"""The airlock: a child process in which strangers' files are decoded. A crash, a hang or a bomb is an error there."""

from __future__ import annotations

from matbench_lite.airlock.parent import Limits, close, inside
from matbench_lite.airlock.wire import Reply

__all__ = ["Limits", "Reply", "close", "inside"]
