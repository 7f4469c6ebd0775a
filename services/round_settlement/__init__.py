"""Round settlement: settles each round under its regulation and rules submission, and posts it exactly once."""
