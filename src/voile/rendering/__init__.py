"""The only place where codes become labels."""
