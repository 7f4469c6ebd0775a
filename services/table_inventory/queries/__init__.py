"""Queries on the read model, each report in one snapshot."""
