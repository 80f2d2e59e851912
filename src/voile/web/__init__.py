"""The local app: pages around the functions that the commands call; tables are read in child processes only."""
