"""`python -m benchmarks.papers [small|full]`: all five papers, and their index.

Each in a process of its own; in the small profile two at a time, for what it times it times in CPU seconds or as
ratios within one paper. The full one takes its time.
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from benchmarks.papers.page import asked_profile

LONGEST_FIRST = ("sweep", "m_invariance", "bsgi", "k_jump", "streamliner")

if __name__ == "__main__":
    profile = asked_profile(sys.argv[1:])
    commands = [[sys.executable, "-m", f"benchmarks.papers.{key}", profile] for key in LONGEST_FIRST]
    with ThreadPoolExecutor(1 if profile == "full" else 2) as pool:
        failed = sum(done.returncode != 0 for done in pool.map(subprocess.run, commands))
    print("written: docs/papers/README.md")
    sys.exit(f"{failed} of {len(commands)} failed" if failed else 0)
