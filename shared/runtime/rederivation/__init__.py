"""Re-derive a journal from its topics, with the documents known at the time, and compare."""
