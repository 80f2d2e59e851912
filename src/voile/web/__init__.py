"""The local app: pages around the same functions that the commands call; tables are read in child processes only."""
