"""Suspicious activity reports: what a file says, and what may follow what."""
