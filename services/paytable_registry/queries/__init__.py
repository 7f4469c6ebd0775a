"""Queries on the read model: versions with their status."""
