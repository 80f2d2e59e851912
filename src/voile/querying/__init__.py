"""Questions about a release: what a query says, and what published cells mean."""
