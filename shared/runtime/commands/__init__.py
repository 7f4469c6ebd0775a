"""Commands from people and systems: decided in batches, recorded once, and answered identically on a retry."""
