"""Structures kept as the JSON text of their whole dict, because the columns cannot hold them in full."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.errors import DataFormatError

if TYPE_CHECKING:
    from pymatgen.core import Structure

_DECODED = (("numpy", "array"), ("pymatgen.electronic_structure.core", "Magmom"))
"""What pymatgen may make objects of inside a site property. It would import any module that the text names."""


def build_whole(text: str) -> Structure:
    """Build the structure that a JSON text describes.

    Args:
        text: JSON of a pymatgen `Structure` dict.

    Raises:
        DataFormatError: If pymatgen cannot read it, a number is missing, or a site property names a Python class
            that is not data.

    Examples:
        >>> site = {"species": [{"element": "Fe", "occu": 0.5}, {"element": "Ni", "occu": 0.5}], "abc": [0, 0, 0]}
        >>> cell = {"matrix": [[3, 0, 0], [0, 3, 0], [0, 0, 3]]}
        >>> build_whole(json.dumps({"lattice": cell, "sites": [site]})).formula
        'Fe0.5 Ni0.5'
    """
    from pymatgen.core import Structure

    try:
        structure = json.loads(text)
        if not isinstance(structure, dict):
            raise DataFormatError(f"it is a {type(structure).__name__}, not a dict")
        for site in structure["sites"]:
            _check_decoded(site.get("properties"))
        with without_notes():
            built = Structure.from_dict(structure)
        if not (np.isfinite(built.lattice.matrix).all() and np.isfinite(built.frac_coords).all()):
            raise DataFormatError("a coordinate or the lattice is not a finite number")
        return built
    except DataFormatError:
        raise
    except KeyError as error:
        raise DataFormatError(f"{error} is missing") from error
    except Exception as error:  # pymatgen raises whatever the first operation on a wrong value raises
        raise DataFormatError(f"pymatgen cannot read it: {type(error).__name__}: {error}") from error


@contextmanager
def without_notes() -> Iterator[None]:
    """Silence what pymatgen notes about data and nobody who reads a file can change."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Not all sites have property")
        warnings.filterwarnings("ignore", message="No Pauling electronegativity")
        yield


def _check_decoded(value: Any) -> None:
    if isinstance(value, dict):
        if "@module" in value and (value["@module"], value.get("@class", value.get("@callable"))) not in _DECODED:
            name = f"{value['@module']}.{value.get('@class', value.get('@callable'))}"
            raise DataFormatError(f"a site property names the Python object {name}, which is not data")
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            _check_decoded(part)
