"""The accountability of the cage: movements into and out of each location, and what was counted there."""
