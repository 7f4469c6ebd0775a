"""Counter Checks: the report, the checks on hand at the cage, and the copies of each check."""
