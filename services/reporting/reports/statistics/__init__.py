"""Statistics: the report, its sections, and payouts compared with exact distributions."""
