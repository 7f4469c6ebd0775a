"""Pace and yield: pace of play, occupancy of tables, and yield per hour."""
