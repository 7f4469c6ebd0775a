"""Table inventory: the expected and counted inventory of every table, drop counts, and the win under § 601a.9."""
