"""What a change as a whole is checked for; the rules for an entry are in `matbench_lite.check.rules`."""

from __future__ import annotations

from matbench_lite.check import ENTRY_RULES, Rule

MIXED = Rule(
    code="MBL701",
    title="Entries and other files in one change",
    why="An entry is checked with the rules of the base. A change that brings rules of its own could pass itself.",
    fix="make two pull requests: one with the entries, one with the rest",
)
NAME = Rule(
    code="MBL702",
    title="A file name that cannot be used",
    why="Names become addresses, links and paths on many machines; some are made to fool a reader or a program.",
    fix="use letters, digits, '.', '_' and '-' in names of folders and files",
)
LINK = Rule(
    code="MBL703",
    title="A link or a submodule",
    why="What it points to is not part of the change, and may be anything.",
    fix="put the file itself there",
)
EXECUTABLE = Rule(
    code="MBL704",
    title="A file marked as executable",
    why="Nothing in an entry is run from its folder.",
    fix="`git update-index --chmod=-x FILE`, and commit",
)
SIZE = Rule(
    code="MBL705",
    title="Too large to be read",
    why="Everybody who clones the repository downloads it.",
    fix="leave out what is not needed to understand the entry; link to models and data elsewhere",
)
CONFLICT = Rule(
    code="MBL706",
    title="The base has changed the same entry since",
    why="What the merge would give is not what was reviewed.",
    fix="merge the base into the branch (git merge origin/main) and settle which version is meant",
)
EDITED = Rule(
    code="MBL707",
    severity="warning",
    title="Changes an entry that is on the board",
    why="Only its authors may. Git cannot tell who they are: a person has to look.",
    fix="nothing, if you are the author: say so in the pull request",
)
REMOVED = Rule(
    code="MBL708",
    severity="warning",
    title="Removes an entry that is on the board",
    why="Only its authors may, and others may cite it: a person has to look.",
    fix="nothing, if you are the author: say why in the pull request",
)
RENAMED = Rule(
    code="MBL709",
    severity="warning",
    title="Renames an entry that is on the board",
    why="Its address changes, and what others cite breaks: a person has to look.",
    fix="nothing, if you are the author: say why in the pull request",
)

_ALL = (*ENTRY_RULES, MIXED, NAME, LINK, EXECUTABLE, SIZE, CONFLICT, EDITED, REMOVED, RENAMED)
RULES: dict[str, Rule] = {rule.code: rule for rule in sorted(_ALL, key=lambda rule: rule.code)}
"""Every rule, for entries and for changes, by its code, in the order of the codes."""
