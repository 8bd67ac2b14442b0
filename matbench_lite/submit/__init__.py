"""From an idea to a pull request: a folder to start an entry from, and the exact steps to submit it."""

from matbench_lite.submit.scaffold import make_entry_folder
from matbench_lite.submit.steps import Plan, Step, do_steps, prepare

__all__ = ["Plan", "Step", "do_steps", "make_entry_folder", "prepare"]
