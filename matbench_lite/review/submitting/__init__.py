"""From an entry on disk to a pull request: the exact steps, for what is on this machine."""

from matbench_lite.review.submitting.doing import do_steps
from matbench_lite.review.submitting.plan import Plan, Step
from matbench_lite.review.submitting.preparing import prepare

__all__ = ["Plan", "Step", "do_steps", "prepare"]
