"""Models through their groups: every hook in its order, in one process or several, kept as it is done."""
