"""The whole system in one process, under a seed that says who goes on, what breaks, and what time it is."""
