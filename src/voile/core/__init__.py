"""The nouns: schema, hierarchy, table, partition, release, and what judges them."""
