"""Many points as few shapes: cells of a grid, coloured by how many points are in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PALEST, DARKEST = 2, 8
"""The colours in use, s2 to s8: paler ones would be lost on the page, one cell alone."""


def cell_counts(x: NDArray[np.float64], y: NDArray[np.float64], cells: int, size: int) -> NDArray[np.int64]:
    """How many points are in each cell of a square grid.

    Args:
        x: In pixels from the left edge of the grid.
        y: In pixels from its top.
        cells: Number of cells along an edge.
        size: Edge of a cell, in pixels.

    Returns:
        Counts of shape (cells, cells): row by row from the top.
    """
    column, row = (np.clip(pixels / size, 0, cells - 1).astype(np.int64) for pixels in (x, y))
    return np.bincount(row * cells + column, minlength=cells * cells).reshape(cells, cells)


def levels_of(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The colour of each cell, by the logarithm of its count: 2 for one point, 8 for the most; -1 where there is none.

    Examples:
        >>> levels_of(np.array([[0, 1, 10, 100]]))
        array([[-1,  2,  5,  8]])
    """
    most = max(2, int(counts.max()))
    with np.errstate(divide="ignore"):
        part = np.log(counts) / np.log(most)
    levels = np.where(counts > 0, np.round(PALEST + part * (DARKEST - PALEST)), -1)
    return levels.astype(np.int64)


def level_paths(levels: NDArray[np.int64], *, left: int, top: int, size: int) -> list[tuple[int, str]]:
    """One path per colour. A path also covers all cells of the colours above it: they are drawn later.

    Args:
        levels: Colour of each cell; -1 where there is nothing.
        left: Where the grid begins, in pixels.
        top: Where it begins from above.
        size: Edge of a cell, in pixels.

    Returns:
        Pairs of colour and path, in the order to be drawn.

    Examples:
        >>> level_paths(np.array([[0, 2], [-1, -1]]), left=0, top=0, size=6)
        [(0, 'M0 0h12v6h-12z'), (2, 'M6 0h6v6h-6z')]
    """
    paths = []
    for level in np.unique(levels[levels >= 0]).tolist():
        inside = np.pad(levels >= level, ((0, 0), (1, 1)))
        row, start = np.nonzero(inside[:, 1:] & ~inside[:, :-1])
        _, end = np.nonzero(~inside[:, 1:] & inside[:, :-1])
        wide = (end - start) * size
        corners = zip((left + start * size).tolist(), (top + row * size).tolist(), wide.tolist(), strict=True)
        paths.append((level, "".join(f"M{x} {y}h{run}v{size}h-{run}z" for x, y, run in corners)))
    return paths
