"""Adversaries: an attack sees what is published and what is known of people, never the Table."""
