"""What the games have in common in which a player sets seven cards as a high and a low hand."""
