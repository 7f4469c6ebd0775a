"""Reporting: the books of all services, the reports that are made of them, and the exceptions."""
