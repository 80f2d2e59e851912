"""Files and specs in, Tables out: everything hostile is refused before a library sees a byte."""
