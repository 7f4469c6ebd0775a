"""The HTTP API of reporting."""
