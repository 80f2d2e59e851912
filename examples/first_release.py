"""Ten patients, from a CSV to an audited release: run it from this folder."""

import tempfile
from pathlib import Path

import voile

here = Path(__file__).parent
table = voile.read(here / "patients.csv", here / "patients.toml")
release = voile.anonymize(table, "elig", l=3)
print(release.frame)
with tempfile.TemporaryDirectory() as folder:
    written = release.write(Path(folder) / "release")
    report = voile.audit(written, here / "patients.toml", require="l>=3")
    print("audited:", "all promises met" if report.ok else report.failures)
