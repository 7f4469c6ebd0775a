"""Re-derive a journal from its topics, with the documents known at each time, and compare it with the recorded one."""
