"""Table inventory: what every table holds and should hold, drops and counts, and the win under § 601a.9."""
