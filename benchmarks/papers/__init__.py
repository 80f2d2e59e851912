"""The evaluation of each paper, run again: a command, a page in docs/papers and its pictures per paper."""
