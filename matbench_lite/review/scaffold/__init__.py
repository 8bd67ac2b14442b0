"""A folder to start an entry from: a model that runs, who made it, and a page about it."""

from matbench_lite.review.scaffold.making import make_entry_folder

__all__ = ["make_entry_folder"]
