"""Voile: publish tables about people, and say how surely a stated reader can infer anybody's sensitive value.

>>> import voile
>>> schema = voile.Schema.of({"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"})
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOMES = {
    "Cluster": "voile.spark.cluster",
    "Hierarchy": "voile.core.hierarchy",
    "Infeasible": "voile.errors",
    "Release": "voile.core.release",
    "Schema": "voile.core.schema",
    "Series": "voile.series.publishing",
    "Table": "voile.core.table",
    "VoileError": "voile.errors",
    "anonymize": "voile.pipeline",
    "attack_minimality": "voile.attacking",
    "audit": "voile.auditing",
    "audit_series": "voile.series_auditing",
    "audit_with_known": "voile.attacking",
    "compare": "voile.comparing.comparison",
    "database": "voile.sql.source",
    "estimate": "voile.estimating",
    "explain": "voile.explaining",
    "export_hierarchy": "voile.pipeline",
    "inspect": "voile.inspection.inspecting",
    "publish": "voile.pipeline",
    "read": "voile.pipeline",
    "report": "voile.reporting.rebuilding",
}
__all__ = [
    "Cluster",
    "Hierarchy",
    "Infeasible",
    "Release",
    "Schema",
    "Series",
    "Table",
    "VoileError",
    "anonymize",
    "attack_minimality",
    "audit",
    "audit_series",
    "audit_with_known",
    "compare",
    "database",
    "estimate",
    "explain",
    "export_hierarchy",
    "inspect",
    "publish",
    "read",
    "report",
]

if TYPE_CHECKING:  # what a type checker sees: no `__getattr__`, so that a name which is not there is an error
    from voile.attacking import attack_minimality, audit_with_known
    from voile.auditing import audit
    from voile.comparing.comparison import compare
    from voile.core.hierarchy import Hierarchy
    from voile.core.release import Release
    from voile.core.schema import Schema
    from voile.core.table import Table
    from voile.errors import Infeasible, VoileError
    from voile.estimating import estimate
    from voile.explaining import explain
    from voile.inspection.inspecting import inspect
    from voile.pipeline import anonymize, export_hierarchy, publish, read
    from voile.reporting.rebuilding import report
    from voile.series.publishing import Series
    from voile.series_auditing import audit_series
    from voile.spark.cluster import Cluster
    from voile.sql.source import database
else:

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used: `voile --help` needs no data frame library."""
        if name in _HOMES:
            return getattr(import_module(_HOMES[name]), name)
        raise AttributeError(f"module 'voile' has no attribute {name!r}")
