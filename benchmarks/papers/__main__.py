"""`python -m benchmarks.papers [small|full]`: all five papers, and their index."""

import sys

from benchmarks.papers.contents import studies, write_contents
from benchmarks.papers.page import asked_profile, regenerate

profile = asked_profile(sys.argv[1:])
for study in studies():
    print(f"paper {study.PAPER.number}: {study.PAPER.title}", flush=True)
    regenerate(study, profile)
write_contents()
print("written: docs/papers/README.md")
