"""`python -m matbench_lite`: the same as `mbl`."""

from __future__ import annotations

from matbench_lite.cli import main

if __name__ == "__main__":
    main()
