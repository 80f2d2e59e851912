"""Audit of a series: what several releases tell together, ours or anyone's."""

from voile.series_auditing.report import SeriesReport
from voile.series_auditing.series_audit import audit_series

__all__ = ["SeriesReport", "audit_series"]
