"""The rules for entries: one module per concern, with its rules and the checks that yield findings. All always run.

Nothing lists them: every `Rule` at the top of a module here is a rule, every function `check_*` a check.
"""
