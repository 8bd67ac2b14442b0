"""Plots as SVG: records and arrays in, a `Plot` out; nothing else of the site knows SVG.

Every function returns a `Plot`, or None where there is nothing to draw. In a Jinja template `{{ plot }}` is the whole
`<figure>`: the question as heading, the drawing, the caption. `plot.svg` is the drawing alone, `plot.title`,
`plot.caption` and `plot.description` (the findings in words) are plain texts. All text in it is escaped already.

    error_bars(board, by_fold=None)                            task page: `by_fold` = {slug: result.by_fold}
    target_histogram(task, targets)                            task page, dataset card
    element_prevalence(task, formulas)                         task page, dataset card
    best_by_date(history)                                      task page
    scaled_errors(general_board, tasks)                        home; `tasks` = the benchmark
    critical_difference(general_board)                         statistics page
    rank_intervals(general_board)                              statistics page
    predicted = read_predicted(task, entry.recorded(task.name))   what the next ones draw: truth and predictions in file
                                                               order; None without targets or with a fold missing
    parity(task, predicted, *, score=None, worst=())           entry page, regression; `worst` = anatomy.worst
    residuals(task, predicted)                                 entry page, regression
    roc_curve(task, predicted, *, score=None)                  entry page, classification; None for labels
    confusion_matrix(task, predicted)                          entry page, classification
    calibration(task, predicted)                               entry page; None where nothing says how sure it was
    error_by_group(task, anatomy, by)                          entry page; `by`: "target", "crystal system", …
    element_errors(task, anatomy)                              entry page
    badge(label, message, *, good=True)                        Markup: an SVG file of its own, for a README

There are no links in a drawing: it is one picture to assistive technology, and holds nothing that takes the focus.

`STYLESHEET` and `SCRIPT` are the paths of `plots.css` (colours of light and dark, print) and `plots.js` (hover): part
of the site's one stylesheet and one script. The colours of series and of heat cells are CSS variables there:
`--mbl-seq-0` (little) to `--mbl-seq-8` (much) with the ink that is readable on each, `--mbl-seq-ink-0` to `-8`;
`--mbl-series-1` to `-4`.
"""

from __future__ import annotations

from pathlib import Path

from matbench_lite.site.plots.badge import badge
from matbench_lite.site.plots.best_by_date import best_by_date
from matbench_lite.site.plots.calibration import calibration
from matbench_lite.site.plots.confusion_matrix import confusion_matrix
from matbench_lite.site.plots.critical_difference import critical_difference
from matbench_lite.site.plots.error_bars import error_bars
from matbench_lite.site.plots.error_by_group import error_by_group
from matbench_lite.site.plots.figure import Plot
from matbench_lite.site.plots.parity import parity
from matbench_lite.site.plots.periodic_table import element_errors, element_prevalence
from matbench_lite.site.plots.predicted import Predicted, read_predicted
from matbench_lite.site.plots.rank_intervals import rank_intervals
from matbench_lite.site.plots.residuals import residuals
from matbench_lite.site.plots.roc_curve import roc_curve
from matbench_lite.site.plots.scaled_errors import scaled_errors
from matbench_lite.site.plots.target_histogram import target_histogram

STYLESHEET = Path(__file__).parent / "plots.css"
"""Part of the site's stylesheet."""
SCRIPT = Path(__file__).parent / "plots.js"
"""Part of the site's script."""

__all__ = [
    "SCRIPT",
    "STYLESHEET",
    "Plot",
    "Predicted",
    "badge",
    "best_by_date",
    "calibration",
    "confusion_matrix",
    "critical_difference",
    "element_errors",
    "element_prevalence",
    "error_bars",
    "error_by_group",
    "parity",
    "rank_intervals",
    "read_predicted",
    "residuals",
    "roc_curve",
    "scaled_errors",
    "target_histogram",
]
