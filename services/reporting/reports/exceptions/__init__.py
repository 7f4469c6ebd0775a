"""Exceptions: the report, and the exceptions of the desk and of equipment."""
