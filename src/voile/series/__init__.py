"""A table that is published again and again, and the ledger that remembers."""
