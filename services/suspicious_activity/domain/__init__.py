"""Suspicious activity reports: reading their files, their deadlines, and the order of their steps."""
