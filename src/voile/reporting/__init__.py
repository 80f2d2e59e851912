"""Reports: one self-contained page for a release, an audit or a comparison."""
