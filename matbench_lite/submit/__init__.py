"""From an idea to a pull request: a folder to start an entry from, and the exact steps to submit it."""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.submit.scaffold import make_entry_folder as make_entry_folder
    from matbench_lite.submit.steps import Plan as Plan, Step as Step, do_steps as do_steps, prepare as prepare
else:
    __getattr__, __dir__ = lazy(__name__)
