"""A month on the clock, compressed: what grows with rounds, and that nothing grows with time alone."""
