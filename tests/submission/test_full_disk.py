"""A disk without room is said to be one: no traceback, and nobody's entry is accused."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import resource, signal, sys
import matbench_lite.cli
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))  # files of at most 100 bytes: what a full disk does
sys.argv = ["mbl", "leaderboard", "--benchmark", "mini", "--submissions", sys.argv[1]]
matbench_lite.cli.main()
"""


def test_a_board_that_has_no_room_for_a_temporary_file_says_so(entry) -> None:
    # -B: the limit would cut off bytecode that is written now, and the next process would stumble over it.
    command = [sys.executable, "-B", "-c", PROGRAM, str(entry.parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = " ".join(done.stderr.split())
    assert done.returncode == 1
    assert "error: there is no room for a temporary file of predictions" in said
    assert "fix: free some space" in said
    assert "Traceback" not in said
