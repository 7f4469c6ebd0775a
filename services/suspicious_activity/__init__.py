"""Suspicious activity reports: prepared, released, filed, answered; a room that only those with its roles look into."""
