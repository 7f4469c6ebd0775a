"""Reporting: a read model of all services' journals, the reports made from it, and the exceptions."""
