"""The console: the web pages for the pit, revenue audit and operations."""
