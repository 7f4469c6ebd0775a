"""The runtime common to all services: settings, ingest, commands, outbox, HTTP, health, metrics, logging."""
