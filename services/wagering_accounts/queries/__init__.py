"""Queries: the accounts for decisions, the journal in order, and reports."""
