"""The same algorithms on a cluster: counts and plans on the driver, the same kernels inside bounded cells.

There is no privacy logic here. A plan looks at counts that executors have summed, and asks the kernels of the
local algorithm what to do; then every cell, a bounded share of the rows, is a table of its own for that algorithm.
"""
