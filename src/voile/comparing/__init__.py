"""Several algorithms and parameters on one table, to measure them: nothing of it is ever published."""
