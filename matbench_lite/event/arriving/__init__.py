"""How submissions arrive: as folders, zip files or git branches, all from strangers."""

from matbench_lite.event.arriving.limits import ArrivalLimits
from matbench_lite.event.arriving.taking import Taken, take

__all__ = ["ArrivalLimits", "Taken", "take"]
