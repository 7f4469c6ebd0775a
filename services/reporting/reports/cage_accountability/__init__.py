"""Cage accountability: movements into and out of each location, and the counts of each location."""
