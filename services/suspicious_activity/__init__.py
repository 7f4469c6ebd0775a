"""Suspicious activity reports: prepared, released, filed, acknowledged; confidential to the roles of the service."""
