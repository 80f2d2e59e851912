"""One file per algorithm."""
