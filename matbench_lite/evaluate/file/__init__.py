"""The evaluation file: its schema, what it says as records, and the code that it names."""
