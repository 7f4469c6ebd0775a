"""The archive of the journals: sealed gaming days as verifiable files, and SQL queries on these files."""
