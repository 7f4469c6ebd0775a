"""Common parts of the games in which a player sets seven cards as a high and a low hand."""
