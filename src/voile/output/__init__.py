"""Staging, writers and the certificate: nothing is visible before it was audited."""
