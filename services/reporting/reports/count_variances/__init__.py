"""Count variances: the report, its sections, and the rounds that were in play at a count."""
