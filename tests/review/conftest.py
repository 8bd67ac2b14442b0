"""The modules beside the tests: entries, ways to damage them, and the worker that checks them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
