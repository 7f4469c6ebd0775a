"""Assessed vigorish, what is owed, and the postings. Pure; amounts are cents."""
