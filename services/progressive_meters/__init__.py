"""Progressive meters: every pool's exact reading, what fed it, what was paid from it, and who changed it."""
