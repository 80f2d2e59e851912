"""Arrays in, arrays out: compiled loops that know no nouns, no files and no thresholds."""
