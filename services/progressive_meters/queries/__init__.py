"""Read the tables: pools and their terms, what the interface lists, and the books of a gaming day."""
