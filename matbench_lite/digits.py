"""Numbers as text: as many digits as their uncertainty allows, an en dash for what is missing."""

from __future__ import annotations

import math
from typing import Protocol

MISSING = "–"


class _Summary(Protocol):
    """The mean and standard deviation of a metric over folds."""

    @property
    def mean(self) -> float: ...
    @property
    def std(self) -> float: ...


class _Interval(Protocol):
    """The ends of an interval."""

    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


def number(value: float | None, uncertainty: float | None) -> str:
    """A number with as many digits as its uncertainty allows: two of the uncertainty's own.

    Examples:
        >>> number(0.033189, 0.00047), number(103.512, 13.64), number(0.5, 0.0), number(None, None)
        ('0.03319', '104', '0.5', '–')
    """
    if value is None or math.isnan(value):
        return MISSING
    if uncertainty is None or not 0 < uncertainty < math.inf:
        return f"{value:.3g}"
    return f"{value:.{decimals(uncertainty)}f}"


def decimals(uncertainty: float) -> int:
    """How many decimals show two digits of an uncertainty.

    Examples:
        >>> decimals(0.00047), decimals(13.64)
        (5, 0)
    """
    return max(0, 1 - math.floor(math.log10(uncertainty)))


def mean_of(value: _Summary | None) -> str:
    """The mean of a metric over folds, its digits by the standard deviation."""
    return MISSING if value is None else number(value.mean, value.std)


def spread(value: _Summary | None) -> str:
    """The mean and standard deviation of a metric over folds, with as many digits as the latter allows.

    Examples:
        >>> from matbench_lite.metrics import Summary
        >>> spread(Summary(mean=0.033189, std=0.00047, min=0.0, max=1.0))
        '0.03319 ± 0.00047'
        >>> spread(Summary(mean=103.512, std=13.64, min=0.0, max=1.0))
        '104 ± 14'
    """
    if value is None or math.isnan(value.mean):
        return MISSING
    if value.std > 0:
        digits = decimals(value.std)
        return f"{value.mean:.{digits}f} ± {value.std:.{digits}f}"
    return f"{value.mean:.4g}"


def ends(interval: _Interval | None, *, sign: bool = False) -> str:
    """Both ends of an interval.

    Examples:
        >>> from matbench_lite.stats import Interval
        >>> ends(Interval(0.1660, 0.1734)), ends(Interval(-1.0, 2.0), sign=True)
        ('0.1660 to 0.1734', '-1.0 to +2.0')
    """
    if interval is None:
        return MISSING
    half = (interval.high - interval.low) / 2
    digits = f".{decimals(half)}f" if half > 0 else ".3g"
    plus = "+" if sign else ""
    return f"{interval.low:{plus}{digits}} to {interval.high:{plus}{digits}}"


def p_value(p: float | None) -> str:
    """A p-value, two digits of it.

    Examples:
        >>> p_value(0.0312), p_value(0.00001), p_value(None)
        ('0.031', '< 0.001', '–')
    """
    if p is None:
        return MISSING
    return "< 0.001" if p < 0.001 else f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


def share(value: float | None) -> str:
    """A share from 0 to 1 as a percentage.

    Examples:
        >>> share(0.123), share(None)
        ('12 %', '–')
    """
    return MISSING if value is None or math.isnan(value) else f"{100 * value:.0f} %"
