"""How things look: plots and tables. Records and arrays in, SVG and HTML out; nothing else knows SVG.

The template `view/page.html.j2` and its stylesheet are what pages extend that are one file.
A `Column` of `Cell`s is described once, those of the boards in `board_columns.py`, and shown by every output: `csv`,
`records` (JSON), `markdown`, `latex`, a terminal (`cli/output.py`) and pages: in a template, `{{ table }}` is all of a
`Table`. `linear_axis`, `log_axis` and `score_axis` go from numbers to pixels.

Every plot is a function of records and arrays, and returns a `Plot`, or None where there is nothing to draw. All text
in it is escaped already. The plots of an entry take what `read_predicted` gives. There are no links in a drawing: it is
one picture to assistive technology, and holds nothing that takes the focus.

`STYLESHEET` and `SCRIPT` are the paths of `look.css` (colours of light and dark, fonts, tables, plots: for pages of the
site and those that are one file) and `plots.js` (hover). The colours of series and of heat cells are CSS variables:
`--mbl-seq-0` (little) to `--mbl-seq-8` (much) with the ink that is readable on each, `--mbl-seq-ink-0` to `-8`;
`--mbl-series-1` to `-6`.
"""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.view.axis import (
        Axis as Axis, Tick as Tick, linear_axis as linear_axis, log_axis as log_axis, score_axis as score_axis,
    )
    from matbench_lite.view.board_columns import (
        all_columns as all_columns, best_columns as best_columns, board_document as board_document,
        compare_columns as compare_columns, entry_columns as entry_columns, matrix_columns as matrix_columns,
        rank_columns as rank_columns, reproduced_column as reproduced_column, reproduced_words as reproduced_words,
        short_name as short_name, task_columns as task_columns,
    )
    from matbench_lite.view.classification_plots import (
        calibration as calibration, confusion_matrix as confusion_matrix, roc_curve as roc_curve,
    )
    from matbench_lite.view.columns import (
        EMPTY as EMPTY, Cell as Cell, Column as Column, Output as Output, csv as csv, latex as latex, linked as linked,
        markdown as markdown, column_of_numbers as column_of_numbers, records as records, shown_in as shown_in,
        column_of_texts as column_of_texts,
    )
    from matbench_lite.view.distance_plot import error_by_distance as error_by_distance
    from matbench_lite.view.figure import (
        SCRIPT as SCRIPT, STYLESHEET as STYLESHEET, Box as Box, Label as Label, Plot as Plot, badge as badge,
        place_labels as place_labels, series_colour as series_colour,
    )
    from matbench_lite.view.group_plots import (
        element_errors as element_errors, element_prevalence as element_prevalence, error_by_group as error_by_group,
    )
    from matbench_lite.view.histogram import residuals as residuals, target_histogram as target_histogram
    from matbench_lite.view.history_plot import best_by_date as best_by_date
    from matbench_lite.view.page_tables import DENSE as DENSE, MOST_ROWS as MOST_ROWS, Filter as Filter, Table as Table
    from matbench_lite.view.parity_plot import parity as parity
    from matbench_lite.view.place_columns import (
        comparison_columns as comparison_columns, difference_column as difference_column, p_column as p_column,
        places_column as places_column, ranking_columns as ranking_columns, word_column as word_column,
    )
    from matbench_lite.view.predicted import Predicted as Predicted, read_predicted as read_predicted
    from matbench_lite.view.rank_plots import (
        critical_difference as critical_difference, rank_intervals as rank_intervals,
    )
    from matbench_lite.view.score_columns import (
        interval_cell as interval_cell, pooled_differs as pooled_differs, uncertainty_words as uncertainty_words,
        unit_of as unit_of,
    )
    from matbench_lite.view.score_plots import error_bars as error_bars, scaled_errors as scaled_errors
    from matbench_lite.view.words import (
        has_unit as has_unit, plain_unit as plain_unit, shorten as shorten, text_width as text_width,
        with_unit as with_unit,
    )
else:
    __getattr__, __dir__ = lazy(__name__)
