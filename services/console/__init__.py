"""The console: the web pages that the pit, revenue audit and operations work with."""
