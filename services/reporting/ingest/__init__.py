"""Ingest of reporting: journals of all services, properties, rules submissions, and the read progress."""
