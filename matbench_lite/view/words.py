"""Words and numbers in plots: cut to the room there is, and set as people write them, with their units."""

from __future__ import annotations

import math
import unicodedata
from functools import lru_cache

from matbench_lite.cleaner import clean
from matbench_lite.text import number as with_digits

FONT_SIZE = 13
"""Size of the text of a plot, in the units of the drawing."""

_LONGEST = 12
"""Characters of a number beyond which it is written with a power of ten."""
_NARROW, _WIDE = "fijlrtI.,:;'|!()[]{} -/", "mwMW@%"
"""How wide letters are is measured on DejaVu Sans, one of the wide ones among the fonts of systems."""
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def text_width(text: str, *, size: float = FONT_SIZE) -> float:
    """About how wide a text is: a little too much rather than too little.

    Examples:
        >>> text_width("MAE") < text_width("balanced accuracy")
        True
    """
    return size * sum(_em(char) for char in text)


def shorten(text: str, room: float, *, size: float = FONT_SIZE) -> str:
    """A text cleaned, and cut with an ellipsis where it is wider than the room there is.

    Examples:
        >>> shorten("RF-SCM/Magpie", 200), shorten("RF-SCM/Magpie", 60)
        ('RF-SCM/Magpie', 'RF-SC…')
    """
    text = clean(text)
    if text_width(text, size=size) <= room:
        return text
    while text and text_width(text + "…", size=size) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def number(value: float, *, digits: int = 3) -> str:
    """A number with some significant digits, and a minus sign that is one.

    Examples:
        >>> number(0.033189), number(-103.5), number(106113), number(1.5e-7), number(0)
        ('0.0332', '−104', '106,000', '1.5×10⁻⁷', '0')
    """
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))
    if -4 <= exponent < 7:
        decimals = digits - 1 - exponent
        return _signed(f"{round(value, decimals):,.{max(0, decimals)}f}")
    mantissa = f"{value / 10.0**exponent:.{digits - 1}f}".rstrip("0").rstrip(".")
    return f"{_signed(mantissa)}×10{str(exponent).translate(_SUPERSCRIPTS)}"


def rounded(value: float, uncertainty: float | None) -> str:
    """A number as tables have it (`text.number`), set as people write it.

    Examples:
        >>> rounded(0.033189, 0.00047), rounded(-103.512, 13.64), rounded(0.5, None)
        ('0.03319', '−104', '0.5')
    """
    text = with_digits(value, uncertainty)
    return number(value) if "e" in text or len(text) > _LONGEST else _signed(text)


def fixed(value: float, decimals: int) -> str:
    """A number with so many decimals, as the ticks of an axis have them.

    Examples:
        >>> fixed(-0.0, 1), fixed(-2500, 0)
        ('0.0', '−2,500')
    """
    return _signed(f"{value:z,.{decimals}f}")  # z: zero has no sign


def with_unit(text: str, unit: str) -> str:
    """A number and its unit; some targets have none.

    Examples:
        >>> with_unit("12.5", "cm^-1"), with_unit("2.1", "unitless")
        ('12.5 cm⁻¹', '2.1')
    """
    return f"{text} {plain_unit(unit)}" if has_unit(unit) else text


def axis_label(name: str, unit: str, *, log: bool = False) -> str:
    """The label of an axis.

    Examples:
        >>> axis_label("MAE", "eV"), axis_label("MAE", "unitless"), axis_label("MAE", "cm^-1", log=True)
        ('MAE (eV)', 'MAE', 'MAE (cm⁻¹), logarithmic')
    """
    return f"{name}{f' ({plain_unit(unit)})' if has_unit(unit) else ''}{', logarithmic' if log else ''}"


def has_unit(unit: str) -> bool:
    """Whether there is a unit to write."""
    return unit not in ("", "unitless")


def plain_unit(unit: str) -> str:
    """A unit with its powers raised.

    Examples:
        >>> plain_unit("cm^-1")
        'cm⁻¹'
    """
    base, raised, power = clean(unit).partition("^")
    exponent = power if power.lstrip("-").isdigit() else ""
    return base + exponent.translate(_SUPERSCRIPTS) if exponent else base + raised + power


def _signed(text: str) -> str:
    return text.replace("-", "−")


@lru_cache(maxsize=1000)  # of the letters that are there, a few make up nearly all texts
def _em(char: str) -> float:
    if char in _NARROW:
        return 0.4
    if char in _WIDE or char.isupper():
        return 0.92 if char in _WIDE else 0.73
    return 1.05 if unicodedata.east_asian_width(char) in "WF" else 0 if unicodedata.combining(char) else 0.62
