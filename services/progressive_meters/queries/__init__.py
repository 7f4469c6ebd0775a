"""Queries: pools and their terms, lists for the API, and the figures of a gaming day."""
