"""Progressive meters: every pool's exact reading, its contributions, awards, and changes by people."""
