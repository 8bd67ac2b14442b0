"""Numbers and words as text: digits as the uncertainty allows, shares, times, sizes, counts, names of files."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Protocol

MISSING = "–"
_ROUNDING = 1e-12
_DEVICES = {
    *("con", "prn", "aux", "nul", "conin$", "conout$"),
    *(f"{port}{n}" for port in ("com", "lpt") for n in "123456789¹²³"),
}


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
        >>> number(0.033189, 0.00047), number(103.512, 13.64), number(0.5, 1e-17), number(None, None)
        ('0.03319', '104', '0.5', '–')
    """
    if value is None or math.isnan(value):
        return MISSING
    # Below the last digits that a number has, an uncertainty is a rounding error of the machine.
    if uncertainty is None or not _ROUNDING * abs(value) < uncertainty < math.inf:
        return f"{value:.3g}"
    return f"{value:.{decimals(uncertainty)}f}"


def decimals(uncertainty: float) -> int:
    """How many decimals show two digits of an uncertainty.

    Examples:
        >>> decimals(0.00047), decimals(13.64)
        (5, 0)
    """
    return max(0, 1 - math.floor(math.log10(uncertainty)))


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
    if value.std > _ROUNDING * abs(value.mean):
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


def place_range(first: int, last: int) -> str:
    """Between which places something is.

    Examples:
        >>> place_range(4, 9), place_range(1, 1)
        ('4–9', '1')
    """
    return str(first) if first == last else f"{first}–{last}"


def share(value: float | None) -> str:
    """A share from 0 to 1 as a percentage: never 0 % for what is something, nor 100 % for what is not all.

    Examples:
        >>> share(0.4312), share(0.062), share(0.0004), share(0.00001), share(None)
        ('43 %', '6.2 %', '0.04 %', '< 0.01 %', '–')
        >>> share(0.0), share(0.9936), share(0.9996), share(0.999999), share(1.0)
        ('0 %', '99.4 %', '99.96 %', '> 99.99 %', '100 %')
    """
    if value is None or math.isnan(value):
        return MISSING
    percent = 100 * value
    if not 0 < value < 1 or 9.95 <= percent <= 99:
        return f"{percent:.0f} %"
    if percent < 99:
        return f"{percent:.2g} %" if percent >= 0.01 else "< 0.01 %"
    return "> 99.99 %" if percent > 99.99 else f"{percent:.{1 if percent < 99.95 else 2}f} %"


def duration(seconds: float) -> str:
    """A time for people, two or three digits of it.

    Examples:
        >>> duration(0.412), duration(75), duration(600), duration(5400), duration(200_000)
        ('0.41 s', '75 s', '10 min', '1.5 h', '2.3 days')
    """
    if seconds < 90:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 36 * 3600 else f"{seconds / 86400:.1f} days"


def file_size(size: int) -> str:
    """A number of bytes for people.

    Examples:
        >>> file_size(1), file_size(999), file_size(4200), file_size(5_130_000), file_size(2 * 10**9)
        ('1 byte', '999 bytes', '4.2 kB', '5.1 MB', '2.0 GB')
    """
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return count(size, "byte")


def count(amount: int, what: str) -> str:
    """So many of a thing.

    Examples:
        >>> count(1, "row"), count(106113, "row"), count(2, "entry")
        ('1 row', '106,113 rows', '2 entries')
    """
    many = f"{what[:-1]}ies" if re.search("[^aeiou]y$", what) else f"{what}s"
    return f"{amount:,} {what if amount == 1 else many}"


def px(value: float) -> str:
    """A coordinate in as few characters as a tenth of a pixel needs.

    Examples:
        >>> px(12.0), px(3.14159), px(-0.01)
        ('12', '3.1', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def in_words(texts: Sequence[str]) -> str:
    """A list as a sentence has it.

    Examples:
        >>> in_words(["a", "b", "c"]), in_words(["a"]), in_words([])
        ('a, b and c', 'a', '')
    """
    return f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else "".join(texts)


def slug(name: str, otherwise: str) -> str:
    """A name as part of a file's name: small letters, digits and dashes; `otherwise` where it has none of these.

    Several names may have the same.

    Examples:
        >>> slug("Équipe  A!", "team"), slug("../../etc", "team"), slug("研究室", "team")
        ('equipe-a', 'etc', 'team')
    """
    plain = unicodedata.normalize("NFKD", name.casefold())
    words = re.findall("[a-z0-9]+", "".join(each for each in plain if not unicodedata.combining(each)))
    return "-".join(words)[:60].strip("-") or otherwise


def is_device_name(name: str) -> bool:
    """Whether Windows keeps this name for a device, whatever its ending: there, such a file cannot be made.

    Examples:
        >>> is_device_name("con"), is_device_name("AUX.tar.gz"), is_device_name("console.py")
        (True, True, False)
    """
    return name.partition(".")[0].rstrip(" ").lower() in _DEVICES
