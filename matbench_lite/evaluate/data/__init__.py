"""The rows of an evaluation: where they come from, what a model sees of them, and who is shown what when."""
