"""Events: a public board, a private test, a final ranking."""
