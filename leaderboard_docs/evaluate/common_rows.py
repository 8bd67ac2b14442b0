"""The mean error of two evaluations on the rows that both have: `python common_rows.py ONE-results OTHER-results`."""

import sys

import pandas as pd

first, second = (pd.read_parquet(f"{folder}/results.parquet") for folder in sys.argv[1:3])
both = first.merge(second, on=["model", "row"], suffixes=("_first", "_second"))
table = both.groupby("model")[["score_first", "score_second"]].mean().round(4)
print(table.set_axis(sys.argv[1:3], axis=1))
print(f"{both['row'].nunique()} rows")
