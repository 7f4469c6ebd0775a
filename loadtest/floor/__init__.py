"""The simulated floor: games, shoes, players, tables, the pit and its people, and the resulting books."""
