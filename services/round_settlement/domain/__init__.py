"""The effect of a table event on a round: its settlement and postings. Pure; amounts are cents."""
