"""Commands from people and systems: decided in batches, recorded once, and answered the same on a retry."""
