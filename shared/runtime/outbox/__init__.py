"""The outbox: publishes every entry of the journal, in the order of its shard and at least once."""
