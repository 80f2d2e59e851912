"""The synthetic hospital of `voile demo`: ten thousand invented patients.

Nobody in it exists. Age, sex, district, insurance and diagnosis are correlated the way they are
in a real admission register, so that a demo shows what anonymisation really costs.
"""

from pathlib import Path

import numpy as np
import polars as pl

ROWS = 10_000

SPEC = """\
# The spec of the demo: one line per column. See docs/tutorial.md.
[columns]
name      = { role = "identifying" }                       # dropped
patient   = { role = "subject" }                           # the person; dropped
age       = { role = "quasi-identifying", type = "integer" }
sex       = { role = "quasi-identifying" }
district  = { role = "quasi-identifying", hierarchy = "district.csv" }
insurance = { role = "quasi-identifying" }
admitted  = { role = "quasi-identifying", type = "date" }
diagnosis = { role = "sensitive", hierarchy = "diagnosis.csv" }
"""

# diagnosis, chapter, share, mean age, spread, share of women
DIAGNOSES = (
    ("asthma", "lung", 0.08, 28, 18, 0.55),
    ("pneumonia", "lung", 0.09, 62, 20, 0.46),
    ("COPD", "lung", 0.07, 68, 10, 0.44),
    ("influenza", "lung", 0.06, 40, 24, 0.51),
    ("heart failure", "heart and vessels", 0.09, 75, 10, 0.50),
    ("infarction", "heart and vessels", 0.07, 66, 12, 0.34),
    ("hypertension", "heart and vessels", 0.08, 60, 14, 0.52),
    ("gastritis", "digestion", 0.07, 45, 17, 0.54),
    ("appendicitis", "digestion", 0.06, 24, 14, 0.47),
    ("gallstones", "digestion", 0.06, 52, 15, 0.66),
    ("breast cancer", "cancer", 0.05, 61, 12, 0.99),
    ("lung cancer", "cancer", 0.04, 67, 10, 0.42),
    ("colon cancer", "cancer", 0.04, 69, 11, 0.46),
    ("depression", "mind", 0.06, 41, 15, 0.63),
    ("schizophrenia", "mind", 0.02, 34, 12, 0.44),
    ("HIV", "infection", 0.02, 37, 11, 0.24),
    ("hepatitis C", "infection", 0.02, 46, 12, 0.38),
    ("hip fracture", "injury", 0.02, 80, 9, 0.72),
)

REGIONS = {"01": "north", "02": "north", "03": "east", "04": "east", "05": "south", "06": "south", "07": "west"}
FIRST = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gita", "Hugo", "Ines", "Jan", "Kaya", "Leo", "Mia", "Nils")
LAST = ("Abel", "Berg", "Cruz", "Dorn", "Ek", "Falk", "Gray", "Holm", "Ivers", "Juhl", "Kern", "Lund", "Moss")


def patients(rows: int = ROWS) -> pl.DataFrame:
    """The register. Always the same: it is data to look at, not a secret."""
    rng = np.random.default_rng(20)
    shares = np.array([d[2] for d in DIAGNOSES])
    disease = rng.choice(len(DIAGNOSES), rows, p=shares / shares.sum())
    mean, spread, women = (np.array([d[i] for d in DIAGNOSES])[disease] for i in (3, 4, 5))
    age = np.clip(np.rint(rng.normal(mean, spread)), 0, 99).astype(int)
    female = rng.random(rows) < women
    district = rng.choice(len(REGIONS) * 10, rows, p=_district_shares())
    private = rng.random(rows) < 0.08 + 0.12 * (age > 45) + 0.1 * (district % 7 == 0)
    public = rng.random(rows) < 0.85
    admitted = np.datetime64("2026-01-01") + rng.integers(0, 273, rows).astype("timedelta64[D]")
    return pl.DataFrame(
        {
            "name": [f"{a} {b}" for a, b in zip(rng.choice(FIRST, rows), rng.choice(LAST, rows), strict=True)],
            "patient": [f"P{number:06d}" for number in rng.permutation(rows * 7)[:rows]],
            "age": age,
            "sex": np.where(female, "female", "male"),
            "district": [districts()[i] for i in district],
            "insurance": np.where(private, "private", np.where(public, "public", "none")),
            "admitted": admitted,
            "diagnosis": [DIAGNOSES[i][0] for i in disease],
        }
    )


def districts() -> list[str]:
    """Codes with a leading zero, as real ones have: 01000, 01100, ..."""
    return [f"{prefix}{digit}00" for prefix in REGIONS for digit in range(10)]


def _district_shares() -> np.typing.NDArray[np.float64]:
    weights = 1.0 / (1.0 + np.arange(len(districts())) % 10)
    return np.asarray(weights / weights.sum())


def write_hospital(where: str | Path) -> tuple[Path, Path]:
    """The register, its spec and its hierarchies as files; returns the first two."""
    folder = Path(where)
    folder.mkdir(parents=True, exist_ok=True)
    table, spec = folder / "patients.csv", folder / "patients.toml"
    patients().write_csv(table)
    spec.write_text(SPEC, encoding="utf-8")
    places = [f"{code};{code[:2]}***;{REGIONS[code[:2]]};*" for code in districts()]
    (folder / "district.csv").write_text("\n".join(places) + "\n", encoding="utf-8")
    chapters = [f"{diagnosis};{chapter};*" for diagnosis, chapter, *_ in DIAGNOSES]
    (folder / "diagnosis.csv").write_text("\n".join(chapters) + "\n", encoding="utf-8")
    return table, spec
