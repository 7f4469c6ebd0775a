"""Progressive meters: every pool's exact reading, its contributions and awards, and people's changes."""
