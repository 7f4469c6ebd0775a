"""Background work: periodic, and by one process of a service."""
