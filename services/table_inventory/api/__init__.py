"""The HTTP interface: routes of the desks, and reports."""
