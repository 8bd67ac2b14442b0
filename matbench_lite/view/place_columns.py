"""Columns of what is said of entries beside the best, and of two; of tables of predictions, compared and ranked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from matbench_lite.stats import Interval, Place, Word
from matbench_lite.text import p_value
from matbench_lite.view.columns import (
    EMPTY,
    PEOPLE,
    Cell,
    Column,
    column_of_numbers,
    column_of_texts,
    data_column,
    data_columns,
)
from matbench_lite.view.score_columns import interval_cell, places_cell

if TYPE_CHECKING:
    from matbench_lite.train import Comparison, RankedModel

_PLACES = "The first and the last place that it may have: behind all that are better, before all that are worse."
_BESIDE = (
    "What is said of it beside the best: worse (p below 1 %), equivalent (90 % sure to be within 5 % of the smaller "
    "error) or not told apart. Wide: it stands below an entry that is worse, and scatters too widely to say."
)
_DIFFERENCE = (
    "Score less that of the {}, as its 99 % interval: by the scatter of clusters of rows, and of folds beyond that. "
    "It excludes zero exactly when the two are told apart."
)
_P = "P-value of the difference; below 0.01 the two are told apart."
_VERDICT = (
    "Better: p below 1 %. Equivalent: 90 % sure to differ by less than 5 % of the smaller error. Else the two are not "
    "told apart."
)
_CLUSTERS = "Rows of one cluster, e.g. of one chemical system, are no independent witnesses."


def ink(leading: bool | None) -> str:
    """How entries of the leading group are set apart."""
    return "leading" if leading else ""


def places_column(rows: Sequence[Place | None], *, spare: int = 0) -> Column:
    """Between which places entries are, for people."""
    cells = [
        EMPTY if row is None else places_cell(row.first_place, row.last_place, ink=ink(row.leading)) for row in rows
    ]
    return Column("places", "places", cells, kind="places", spare=spare, outputs=PEOPLE, note=_PLACES)


def word_column(rows: Sequence[Place | None]) -> Column:
    """What is said of entries beside the best."""
    cells = [
        EMPTY
        if row is None or row.first_place is None
        else Cell(
            text=row.word or "best", value=row.word or math.nan, ink=ink(row.leading), small="wide" if row.wide else ""
        )
        for row in rows
    ]
    return Column("word", "beside the best", cells, kind="word", spare=1, note=_BESIDE)


def difference_column(
    intervals: Sequence[Interval | None], *, path: str, than: str = "best", down: bool = False, spare: int = 1
) -> Column:
    """The 99 % interval of the difference from the best, or from the second of two."""
    header = "difference from best" if than == "best" else "difference"
    cells = [interval_cell(interval, sign=True) for interval in intervals]
    unit, note = "99 % interval", _DIFFERENCE.format(than)
    return Column("difference", header, cells, path=(path,), unit=unit, right=True, down=down, spare=spare, note=note)


def p_column(values: Sequence[float | None], *, down: bool = False, shown: bool = True, spare: int = 1) -> Column:
    """P-values of differences."""
    cells = [Cell(text=p_value(value), value=value) for value in values]
    return Column("p", "p", cells, right=True, down=down, shown=shown, spare=spare, note=_P)


def verdict_column(words: Sequence[Word | None], winners: Sequence[tuple[str, str] | None]) -> Column:
    """Who of two is better, or that neither is: the key and the name of the better one."""
    cells = [
        EMPTY
        if word is None
        else Cell(text=f"{winner[1]} is better", data=winner[0], ink="leading")
        if winner
        else Cell(text=word, value=math.nan)
        for word, winner in zip(words, winners, strict=True)
    ]
    return Column("verdict", "verdict", cells, path=("winner",), kind="entry", foreign=True, note=_VERDICT)


def comparison_columns(found: Sequence[Comparison]) -> list[Column]:
    """Two models, or two folders of them, on the rows that both predicted: tasks and parts down."""
    # The same model of two folders has one name.
    alike = any(one.first == one.second for one in found)
    names = [("the first", "the second") if alike else (one.first, one.second) for one in found]
    winners = [
        None if one.winner is None else (one.winner, own[one.word == "worse"])
        for one, own in zip(found, names, strict=True)
    ]
    losses = [f"{one.losses[0]:.4g}, {one.losses[1]:.4g}" for one in found]
    return [
        column_of_texts("task", [one.task for one in found], foreign=True),
        column_of_texts("part", [one.part for one in found], spare=2),
        verdict_column([one.word for one in found], winners),
        *data_columns(found, "word", "first", "second"),
        data_column("first_loss", [one.losses[0] for one in found]),
        data_column("second_loss", [one.losses[1] for one in found]),
        column_of_texts(
            "models", [f"{one.first}, {one.second}" for one in found], outputs=PEOPLE, foreign=True, spare=3
        ),
        column_of_texts("losses", losses, outputs=PEOPLE, right=True, unit="first, second"),
        *data_columns(found, "difference"),
        difference_column([one.interval for one in found], path="interval", than="second"),
        p_column([one.p for one in found]),
        column_of_numbers("pieces", [one.pieces for one in found], spare=4),
        column_of_numbers("rows", [one.rows for one in found], spare=4),
        column_of_numbers("clusters", [one.clusters for one in found], spare=5, note=_CLUSTERS),
        *data_columns(found, "note"),
    ]


def ranking_columns(rows: Sequence[RankedModel]) -> list[Column]:
    """Models by their mean loss, as `train.ranking` has them."""
    places = [row.place for row in rows]
    ranks = [Cell(text=str(place.rank), value=place.rank) if place.rank else EMPTY for place in places]
    losses = [Cell(text=f"{row.loss:.4g}", value=row.loss) for row in rows]
    return [
        column_of_texts("task", [row.task for row in rows], foreign=True),
        column_of_texts("protocol", [row.protocol for row in rows], spare=5),
        column_of_texts("part", [row.part for row in rows]),
        column_of_texts("model", [place.slug for place in places], foreign=True),
        Column("rank", "rank", ranks),
        places_column(places, spare=2),
        *data_columns(places, "first_place", "last_place", "leading", "wide"),
        Column("loss", "mean loss", losses, right=True),
        *data_columns(places, "difference"),
        difference_column([place.difference_interval for place in places], path="interval", spare=3),
        word_column(places),
        p_column([place.p for place in places], spare=4),
        column_of_numbers("rows", [row.rows for row in rows], spare=2),
    ]
