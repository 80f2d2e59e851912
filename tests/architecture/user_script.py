"""What a user writes; `mypy --strict` reads it as a user's type checker would."""

import voile


def published(table_file: str, spec_file: str) -> float:
    table: voile.Table = voile.read(table_file, spec_file)
    try:
        release: voile.Release = voile.anonymize(table, against="algorithm", l=5)
    except voile.Infeasible as refusal:
        raise SystemExit(f"at most l = {refusal.largest_l}") from None
    release.write("out")
    kept: bool = voile.audit("out", spec_file, require="l>=5").ok
    return release.frame.height if kept else 0.0
