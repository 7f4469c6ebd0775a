"""The accountability of the cage: movements into and out of each location, and the counts of each location."""
