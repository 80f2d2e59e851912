"""Speed, memory and quality, as ratios measured in one run. Releases are timed without their reports: what these
cost is in docs/reports.md."""

import os

os.environ.setdefault("VOILE_REPORT", "no")
