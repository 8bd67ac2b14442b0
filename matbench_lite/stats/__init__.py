"""Statistics: arrays in, numbers out.

One model of variance (`variance`) says how far apart two entries are and how sure that is; `certainty`
says what follows in words and groups, `places` who is ahead of whom; `bootstrap` has the interval of a score,
`over_tasks` and `ranks` what is said over several tasks.
"""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.stats.bootstrap import (
        DRAWS as DRAWS, ENDS as ENDS, Interval as Interval,
        score_interval as score_interval,
    )
    from matbench_lite.stats.over_tasks import (
        LEAST_SCALED_ERROR as LEAST_SCALED_ERROR, MANY_TASKS as MANY_TASKS, GeometricMean as GeometricMean,
        geometric_means as geometric_means, places_over_tasks as places_over_tasks,
    )
    from matbench_lite.stats.ranks import (
        ALPHA as ALPHA, Friedman as Friedman, average_ranks as average_ranks,
        critical_difference as critical_difference, friedman as friedman, ranked as ranked,
        tied_ranks as tied_ranks,
    )
    from matbench_lite.stats.places import Place as Place, TaskPairs as TaskPairs, order as order
    from matbench_lite.stats.signs import (
        Field as Field, NearLabels as NearLabels, least_median as least_median, near_labels as near_labels,
        shared_by_at_most as shared_by_at_most,
    )
    from matbench_lite.stats.variance import (
        FOLD_WEIGHT as FOLD_WEIGHT, TOLD_APART as TOLD_APART, Design as Design,
        Differences as Differences, Moments as Moments, class_losses as class_losses, differences as differences,
        moments as moments, score_variances as score_variances,
    )
    from matbench_lite.stats.certainty import (
        EQUIVALENT as EQUIVALENT, ONE_SPLIT as ONE_SPLIT, Leaders as Leaders, Pair as Pair, Verdicts as Verdicts,
        Word as Word, fold_scatter as fold_scatter, leaders as leaders, pair as pair, verdicts as verdicts,
    )
else:
    __getattr__, __dir__ = lazy(__name__)
