"""The outbox: every entry of the journal is published, in order and at least once."""
