"""The old name of what model files import: the code of entries stays as it is."""
