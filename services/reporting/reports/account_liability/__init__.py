"""Account liability: the report, and its promotional money."""
