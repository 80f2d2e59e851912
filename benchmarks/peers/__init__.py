"""The peers that the registry can install, on the same rows in the same run: `python -m benchmarks.peers`.

They live in an environment of their own (they pin other versions of numpy and pandas), installed from the registry
by name, and see files only. Each run is a process of its own with a limit of CPU time. What they publish is judged
here, by Voile's audit and one formula.
"""

from benchmarks.peers.comparison import compared

__all__ = ["compared"]
