"""Background work of a service: periodic jobs, some of which only one process of the service runs."""
