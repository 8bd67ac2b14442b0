"""From a prediction to a score: comparators, encoders at work, and what a constant guess would score."""
