"""Progressive meters: the exact reading of each pool, its contributions and awards, and changes that people approve."""
