"""Reporting: the daily win, the win to date and the exceptions, from what round settlement publishes."""
