"""What came out: figures with their intervals, learning curves, and the table behind them."""
