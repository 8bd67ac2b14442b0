"""What is written: plain data, tables, and the report, one page drawn from the results."""
