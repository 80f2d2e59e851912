"""Databases: one connection, one transaction, Arrow in and out; the drivers come with the extra [sql]."""
