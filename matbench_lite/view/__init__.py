"""How things look: plots and tables. Records and arrays in, SVG and HTML out; nothing else knows SVG.

The template `view/page.html.j2` and its stylesheet are what pages extend that are one file.
A `Column` of `Cell`s is described once, those of the boards in `board_columns.py`, and shown by every output: `csv`,
`records` (JSON), `markdown`, `latex`, a terminal (`cli/output.py`) and pages: in a template, `{{ table }}` is all of a
`Table`. `linear_axis`, `log_axis` and `score_axis` go from numbers to pixels.

Every plot is a function of records and arrays, and returns a `Plot`, or None where there is nothing to draw. In a Jinja
template `{{ plot }}` is the whole `<figure>`: the question as heading, the drawing, the caption. `plot.svg` is the
drawing alone, `plot.title`, `plot.caption` and `plot.description` (the findings in words) are plain texts. All text in
it is escaped already. The plots of an entry take what `read_predicted` gives.

There are no links in a drawing: it is one picture to assistive technology, and holds nothing that takes the focus.

`STYLESHEET` and `SCRIPT` are the paths of `look.css` (colours of light and dark, fonts, tables, plots: for pages of the
site and those that are one file) and `plots.js` (hover). The colours of series and of heat cells are CSS variables:
`--mbl-seq-0` (little) to `--mbl-seq-8` (much) with the ink that is readable on each, `--mbl-seq-ink-0` to `-8`;
`--mbl-series-1` to `-6`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.view.axis import Axis, Tick, linear_axis, log_axis, score_axis
    from matbench_lite.view.board_columns import (
        all_columns,
        best_columns,
        board_document,
        compare_columns,
        entry_columns,
        matrix_columns,
        rank_columns,
        short_name,
        task_columns,
    )
    from matbench_lite.view.classification_plots import calibration, confusion_matrix, roc_curve
    from matbench_lite.view.columns import EMPTY, Cell, Column, Output, csv, latex, linked, markdown, records, shown_in
    from matbench_lite.view.figure import Box, Label, Plot, badge, place_labels, series_colour
    from matbench_lite.view.group_plot import error_by_group
    from matbench_lite.view.histogram import residuals, target_histogram
    from matbench_lite.view.history_plot import best_by_date
    from matbench_lite.view.page_tables import DENSE, MOST_ROWS, Filter, Table
    from matbench_lite.view.parity_plot import parity
    from matbench_lite.view.periodic_table import element_errors, element_prevalence
    from matbench_lite.view.predicted import Predicted, read_predicted
    from matbench_lite.view.rank_plots import critical_difference, rank_intervals
    from matbench_lite.view.score_columns import interval_cell, unit_of
    from matbench_lite.view.score_plots import error_bars, scaled_errors
    from matbench_lite.view.words import has_unit, plain_unit, shorten, text_width, with_unit

STYLESHEET = Path(__file__).parent / "templates" / "look.css"
"""Part of the site's stylesheet."""
SCRIPT = Path(__file__).parent / "plots.js"
"""Part of the site's script."""

__all__ = [
    "DENSE", "EMPTY", "MOST_ROWS", "SCRIPT", "STYLESHEET", "Axis", "Box", "Cell", "Column", "Filter", "Label", "Output",
    "Plot", "Predicted", "Table", "Tick", "all_columns", "badge", "best_by_date", "best_columns", "board_document",
    "calibration", "compare_columns", "confusion_matrix", "critical_difference", "csv", "element_errors",
    "element_prevalence", "entry_columns", "error_bars", "error_by_group", "has_unit", "interval_cell",
    "latex", "linear_axis", "linked", "log_axis", "markdown", "matrix_columns", "parity", "place_labels", "plain_unit",
    "rank_columns", "rank_intervals", "read_predicted", "records", "residuals", "roc_curve", "scaled_errors",
    "score_axis", "series_colour", "short_name", "shorten", "shown_in", "target_histogram", "task_columns",
    "text_width", "unit_of", "with_unit",
]  # fmt: skip

__getattr__ = lazy(__name__)
