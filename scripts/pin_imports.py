"""Pin the entries that Matbench has published: which predictions are in which file.

Run it on the folder `benchmarks` of a checkout of Matbench, at the commit that is to be believed:
`python scripts/pin_imports.py matbench/benchmarks`. It writes `matbench_lite/matbench/published_files.toml`; read the
difference before you commit it.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import warnings
from pathlib import Path

from matbench_lite.matbench import read_results

TARGET = Path(__file__).parent.parent / "matbench_lite" / "matbench" / "published_files.toml"
HEAD = """\
# What Matbench has published: the sha256 of each results.json.gz, and the digest of the predictions in it.
# Written by scripts/pin_imports.py. An entry that says it was imported is believed if its predictions are here.
"""


def main(benchmarks: Path) -> int:
    """Write the list; the number of files."""
    lines = [HEAD]
    files = sorted(benchmarks.glob("*/results.json.gz"))
    for file in files:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            entry = read_results(file)
        name = file.parent.name.removeprefix("matbench_v0.1_")
        with tempfile.TemporaryDirectory() as folder:
            saved = json.loads((entry.save(Path(folder) / "entry") / "submission.json").read_bytes())["values_sha256"]
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        lines.append(f'["{name}"]\nsha256 = "{digest}"\nvalues_sha256 = "{saved}"\n')
    TARGET.write_text("\n".join(lines), encoding="utf-8")
    return len(files)


if __name__ == "__main__":
    print(f"{main(Path(sys.argv[1]))} entries are pinned in {TARGET.name}")
