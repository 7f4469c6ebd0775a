"""Round settlement: settles every round under its regulation and rules submission, and posts it once."""
