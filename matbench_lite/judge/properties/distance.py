"""How far one tree is from another: the least number of nodes to insert, delete or rename (Zhang and Shasha, 1989)."""

from __future__ import annotations

from typing import Any

Nested = Any
"""A number, a text for a feature, or a list: an operation and its parts."""


def tree_size(tree: Nested) -> int:
    """Number of nodes.

    Examples:
        >>> tree_size(["+", "x", ["*", 2, "y"]])
        5
    """
    return 1 + sum(map(tree_size, tree[1:])) if isinstance(tree, list) else 1


def tree_distance(one: Nested, other: Nested) -> int:
    """The edit distance of two ordered trees; all numbers are the same label.

    Examples:
        >>> tree_distance(["+", "x", 1], ["+", "x", 2.5]), tree_distance(["+", "x", 1], "x")
        (0, 2)
    """
    first, second = _Flat(one), _Flat(other)
    distances = [[0] * len(second.labels) for _ in first.labels]
    for i in first.keyroots:
        for j in second.keyroots:
            _fill(first, second, i, j, distances)
    return distances[-1][-1]


class _Flat:
    """A tree in postorder: label of each node, its leftmost leaf, and the roots of left-to-right paths."""

    def __init__(self, tree: Nested) -> None:
        self.labels: list[str] = []
        self.leftmost: list[int] = []
        self._add(tree)
        # Of all nodes with the same leftmost leaf, the highest.
        self.keyroots = sorted({leaf: place for place, leaf in enumerate(self.leftmost)}.values())

    def _add(self, tree: Nested) -> int:
        parts = tree[1:] if isinstance(tree, list) else ()
        leaves = [self._add(part) for part in parts]
        self.labels.append(_label(tree))
        self.leftmost.append(leaves[0] if leaves else len(self.labels) - 1)
        return self.leftmost[-1]


def _label(tree: Nested) -> str:
    if isinstance(tree, list):
        return str(tree[0])
    return f"feature {tree}" if isinstance(tree, str) else "number"


def _fill(first: _Flat, second: _Flat, i: int, j: int, distances: list[list[int]]) -> None:
    """Distances of all pairs of subtrees on the paths to two keyroots."""
    left, right = first.leftmost[i], second.leftmost[j]
    rows, columns = i - left + 2, j - right + 2
    forest = [[0] * columns for _ in range(rows)]
    for row in range(1, rows):
        forest[row][0] = row
    forest[0] = list(range(columns))
    for row in range(1, rows):
        for column in range(1, columns):
            a, b = left + row - 1, right + column - 1
            change = min(forest[row - 1][column], forest[row][column - 1]) + 1
            if first.leftmost[a] == left and second.leftmost[b] == right:
                rename = int(first.labels[a] != second.labels[b])
                distances[a][b] = forest[row][column] = min(change, forest[row - 1][column - 1] + rename)
            else:
                before = forest[first.leftmost[a] - left][second.leftmost[b] - right]
                forest[row][column] = min(change, before + distances[a][b])
