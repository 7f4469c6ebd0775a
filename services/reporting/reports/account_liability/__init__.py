"""Account liability: the report, and its part on promotional money."""
