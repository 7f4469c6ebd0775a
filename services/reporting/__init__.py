"""Reporting: a read model of all services' journals, the reports based on it, and the list of exceptions."""
