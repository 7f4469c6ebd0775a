"""The effects of a table event on a round: settlement and postings. Pure; amounts are cents."""
