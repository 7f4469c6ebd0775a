"""Queries on the read model; each report is read in one snapshot."""
