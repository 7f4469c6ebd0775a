"""The simulated floor: games, shoes, players, tables, the pit and its staff, and the expected books."""
