"""Background work: run periodically, by one process of a service, at a bounded share of a processor."""
