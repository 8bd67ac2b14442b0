"""Properties: what a dataset asks of a model besides accuracy and simplicity. Larger is always better."""

from matbench_lite.judge.properties.case import Case
from matbench_lite.judge.properties.measuring import measure_property
from matbench_lite.judge.properties.spec import ABOUT, KINDS, PropertySpec

__all__ = ["ABOUT", "KINDS", "Case", "PropertySpec", "measure_property"]
