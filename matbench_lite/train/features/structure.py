"""A few cheap, strong features of crystal structures: how dense, how bonded, how symmetric."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.data import ATOMIC_NUMBERS
from matbench_lite.errors import ModelError
from matbench_lite.train.features.feature_cache import Array, cached_features
from matbench_lite.train.features.magpie import PROPERTIES, element_table, magpie_array

if TYPE_CHECKING:
    import pandas as pd
    from pymatgen.core import Structure

STRUCTURE_NAMES = (
    "sites", "volume per atom", "density", "packing fraction",
    "volume per atom / of the elements", "shortest lattice vector / longest",
    *(f"nearest distance, {statistic}" for statistic in ("minimum", "mean", "maximum", "standard deviation")),
    *(f"coordination, {statistic}" for statistic in ("minimum", "mean", "maximum")),
    *(f"bond length / covalent radii, {statistic}" for statistic in ("minimum", "mean", "standard deviation")),
    *(f"bond electronegativity difference, {statistic}" for statistic in ("mean", "maximum")),
    "bonds between like atoms, share",
    "space group", "crystal system", "operations of the point group",
)  # fmt: skip
"""Names of the features; lengths in Å, volumes in Å³, density in g/cm³."""

_VERSION = 1
_SHELL = 1.2  # neighbours up to this many times the nearest distance are bonded
_CUTOFFS = (4.0, 8.0, 16.0, 32.0, 64.0)  # Å; the first that finds every site a neighbour
_SYSTEMS = ("triclinic", "monoclinic", "orthorhombic", "tetragonal", "trigonal", "hexagonal", "cubic")
_ORDERS = {
    "1": 1, "-1": 2, "2": 2, "m": 2, "2/m": 4, "222": 4, "mm2": 4, "mmm": 8, "4": 4, "-4": 4, "4/m": 8, "422": 8,
    "4mm": 8, "-42m": 8, "-4m2": 8, "4/mmm": 16, "3": 3, "-3": 6, "32": 6, "3m": 6, "-3m": 12, "6": 6, "-6": 6,
    "6/m": 12, "622": 12, "6mm": 12, "-6m2": 12, "-62m": 12, "6/mmm": 24, "23": 12, "m-3": 24, "432": 24,
    "-43m": 24, "m-3m": 48,
}  # fmt: skip
_RADIUS, _NEGATIVITY, _VOLUME = (
    PROPERTIES.index(name) for name in ("CovalentRadius", "Electronegativity", "GSvolume_pa")
)
_PM = 0.01  # Å; covalent radii are in picometres


def structure_features() -> Any:
    """A scikit-learn transformer from structures to the features of `STRUCTURE_NAMES` and the Magpie features.

    Examples:
        >>> from pymatgen.core import Lattice, Structure
        >>> salt = Structure.from_spacegroup("Fm-3m", Lattice.cubic(5.69), ["Na", "Cl"], [[0, 0, 0], [0.5, 0.5, 0.5]])
        >>> structure_features().fit_transform([salt]).shape
        (1, 154)
    """
    from sklearn.preprocessing import FunctionTransformer

    return FunctionTransformer(structure_and_composition_array)


def structure_and_composition_array(structures: pd.Series | Iterable[Structure]) -> Array:
    """Structure features, then the Magpie features of the composition."""
    all_ = list(structures)
    features = structure_array(all_)
    with _quiet():
        formulas = [structure.composition.reduced_formula for structure in all_]
    return np.hstack([features, magpie_array(formulas)])


def structure_array(structures: pd.Series | Iterable[Structure]) -> Array:
    """The features of structures, from the cache where they are there.

    Shape (structures, 22), in the order of `STRUCTURE_NAMES`.

    Raises:
        ModelError: If one is not a structure.

    Examples:
        >>> from pymatgen.core import Lattice, Structure
        >>> polonium = Structure(Lattice.cubic(3.35), ["Po"], [[0, 0, 0]])
        >>> features = dict(zip(STRUCTURE_NAMES, structure_array([polonium])[0].tolist()))
        >>> features["nearest distance, mean"], features["coordination, mean"], features["space group"]
        (3.35, 6.0, 221.0)
    """
    all_ = list(structures)
    with _quiet():
        return cached_features(
            f"structure-{_VERSION}",
            map(_content, all_),
            len(STRUCTURE_NAMES),
            lambda rows: np.array([_features(all_[row]) for row in rows], dtype=np.float64),
        )


def _features(structure: Structure) -> list[float]:
    properties = np.array([_site_properties(site.species) for site in structure])
    atoms = len(structure)
    volume = structure.volume / atoms
    radii = properties[:, _RADIUS] * _PM
    lengths = sorted(structure.lattice.abc)
    return [
        atoms,
        volume,
        structure.density,
        4 / 3 * np.pi * np.sum(radii**3) / structure.volume,
        volume / properties[:, _VOLUME].mean(),
        lengths[0] / lengths[-1],
        *_bonds(structure, radii, properties[:, _NEGATIVITY]),
        *_symmetry(structure),
    ]


def _bonds(structure: Structure, radii: Array, negativity: Array) -> list[float]:
    """Statistics of each site's nearest neighbours."""
    for cutoff in _CUTOFFS:
        centres, neighbours, _, distances = structure.get_neighbor_list(cutoff)
        nearest = np.full(len(structure), np.inf)
        np.minimum.at(nearest, centres, distances)
        if np.isfinite(nearest).all():
            break
    else:
        nearest = np.where(np.isfinite(nearest), nearest, _CUTOFFS[-1])
    bonded = distances <= _SHELL * nearest[centres]
    one, other, length = centres[bonded], neighbours[bonded], distances[bonded]
    if not len(one):  # a gas so thin that no cutoff finds a neighbour
        one = other = np.arange(len(structure))
        length = nearest
    coordination = np.bincount(one, minlength=len(structure))
    relative = length / (radii[one] + radii[other])
    difference = np.abs(negativity[one] - negativity[other])
    like = np.array([site.species_string for site in structure])
    return [
        *(nearest.min(), nearest.mean(), nearest.max(), nearest.std()),
        *(coordination.min(), coordination.mean(), coordination.max()),
        *(relative.min(), relative.mean(), relative.std()),
        *(difference.mean(), difference.max()),
        np.mean(like[one] == like[other]),
    ]


def _symmetry(structure: Structure) -> list[float]:
    """Space group, crystal system and order of the point group (symprec 0.1); those of P1 where spglib finds none."""
    from pymatgen.symmetry.analyzer import SpacegroupAnalyzer

    try:
        analyser = SpacegroupAnalyzer(structure, symprec=0.1)
    except Exception:  # spglib's errors have no common class, and differ between its versions
        return [1.0, 0.0, 1.0]
    number, system = analyser.get_space_group_number(), analyser.get_crystal_system()
    # Of the crystal, not of the cell that was chosen for it.
    operations = _ORDERS[analyser.get_symmetry_dataset().pointgroup]
    return [number, _SYSTEMS.index(system), operations]


def _site_properties(species: Any) -> Array:
    """Element properties of a site; of a mixed one, the mean."""
    table = element_table()
    weights = [(ATOMIC_NUMBERS.get(element.symbol, 1), amount) for element, amount in species.items()]
    total = sum(amount for _, amount in weights)
    mean: Array = np.sum([table[number] * (amount / total) for number, amount in weights], axis=0)
    return mean


def _content(structure: Structure) -> bytes:
    try:
        species = "|".join(site.species_string for site in structure)
        content: bytes = structure.lattice.matrix.tobytes() + structure.frac_coords.tobytes() + species.encode()
        return content
    except AttributeError:
        raise ModelError(
            f"structure features are made from structures, not from {type(structure).__name__}",
            fix='declare input = "structure" in the model file, and run it on structure tasks',
        ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Without spglib's and pymatgen's remarks on single structures."""
    with warnings.catch_warnings(action="ignore"):
        logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)
