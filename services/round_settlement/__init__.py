"""Round settlement: every round of play, settled as its regulation and rules submission say, and posted once."""
