"""Signs that something may be amiss: warnings with their evidence, for a person to weigh.

Each was run on the ten real entries of Matbench that the tests use; how often it raised an alarm there is on its page
in the docs, and a test keeps that figure true.
"""
