"""The published dataset files: pandas "split" JSON, read as a stream."""

from matbench_lite.data.original.reading import Original, read_original

__all__ = ["Original", "read_original"]
