"""Derive a journal again from the topics that led to it, with what was known then, and compare."""
