"""What the tests of several metrics share: an oracle, and a way to call one that warns."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="session")
def quiet() -> Callable[..., Any]:
    """Call a third party's function; its warnings are not ours to fix."""

    def call(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*args, **options)

    return call


@pytest.fixture(scope="session")
def toolbox() -> ModuleType:
    """The uncertainty-toolbox package, an oracle; it loads matplotlib, which may warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import uncertainty_toolbox
    return uncertainty_toolbox
