"""Write stiffness.csv: the first 200 rows of mini_log_kvrh as three classes, grouped by anion."""

import csv

from matbench_lite import load_benchmark
from matbench_lite.evaluate.benchmark_rows import anion

targets = load_benchmark("mini")["mini_log_kvrh"].targets.iloc[:200]
with open("stiffness.csv", "w", newline="") as stream:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["id", "sequence", "task", "choices", "response", "response_type", "domain"])
    seen = {}
    for formula, value in zip(targets["formula"], targets["target"], strict=True):
        group = anion(formula)
        label = "soft" if value < 1.7 else "medium" if value < 2.1 else "stiff"  # log10(GPa): 50 and 126 GPa
        seen[group] = seen.get(group, -1) + 1
        writer.writerow([group, seen[group], formula, "soft|medium|stiff", label, "single-choice", "stiffness"])
