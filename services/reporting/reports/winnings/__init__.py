"""Reportable winnings: the report, its columns, the winners, and the log of forms."""
