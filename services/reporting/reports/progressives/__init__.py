"""Progressive reconciliation: the report and its sections."""
