"""Kafka ingest: subscriptions, decoding, batches, and one transaction for entries, position and projections."""
