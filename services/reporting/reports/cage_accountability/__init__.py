"""The accountability of the cage: what came in and went out of each location, and what was counted there."""
