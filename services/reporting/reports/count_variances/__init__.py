"""Count variances: the report, its sections, and the rounds in play at a count."""
