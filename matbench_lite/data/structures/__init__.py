"""Structures as Arrow columns and back, without losing anything.

One row per structure:

- `lattice`: the 9 numbers of the lattice matrix, row by row, in angstrom.
- `species`: atomic numbers, one per site.
- `abc`: fractional coordinates, three per site, as written in the file.
- `label`: site labels; null where every label is the element's symbol.
- `charge`: null where the structure has none.
- `site:<name>`: a site property of floats; null where the structure does not have it. As many values as sites mean
  a number per site, three times as many a vector per site.
- `rest`: null, or the whole structure dict as JSON for a structure that does not fit in full: disorder, oxidation
  states, isotopes, partial periodicity, structure properties, site properties that are not floats or not on every
  site. The other columns are null then.
"""

from matbench_lite.data.structures.columns import StructureColumns, read_structures, write_structures
from matbench_lite.data.structures.encoding import encode_structures

__all__ = ["StructureColumns", "encode_structures", "read_structures", "write_structures"]
