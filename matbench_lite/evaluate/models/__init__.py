"""Models: the base class, estimators as models, and those that an evaluation file names."""
