"""The journal out: every entry is published in order, at least once."""
