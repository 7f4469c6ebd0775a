"""Exceptions: the report, and exceptions of pit and cage, of equipment, and of recorded winners."""
