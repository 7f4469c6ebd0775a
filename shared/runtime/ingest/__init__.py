"""Kafka ingest: subscribe, decode, derive, and commit entries, read position and projections in one transaction."""
