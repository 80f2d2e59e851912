"""A table without a spec: proposes roles and types, warns, and writes a first spec with its doubts."""
