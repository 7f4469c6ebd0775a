"""What a table event does to a round: how it is settled, and its money. Pure; amounts are cents."""
