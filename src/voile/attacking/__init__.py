"""Attacks on a release that lies on a disk, by somebody who knows everybody in it."""

from voile.attacking.known_audit import audit_with_known
from voile.attacking.minimality_attack import attack_minimality

__all__ = ["attack_minimality", "audit_with_known"]
