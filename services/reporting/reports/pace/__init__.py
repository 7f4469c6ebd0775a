"""Pace and yield: how fast tables play, how full they are, and what an hour brings."""
