"""Table inventory: what every table holds and should hold, what was dropped and counted, and the win of § 601a.9."""
