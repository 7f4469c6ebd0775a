"""Statistics: the report, its sections, and payouts against exact distributions."""
