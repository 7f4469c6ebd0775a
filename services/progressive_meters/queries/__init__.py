"""Queries: pools and their terms, lists for the API, and the reconciliation of a gaming day."""
