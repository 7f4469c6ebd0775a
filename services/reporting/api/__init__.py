"""The HTTP interface of reporting."""
