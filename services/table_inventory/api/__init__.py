"""The HTTP API: routes of the desks, and reports."""
