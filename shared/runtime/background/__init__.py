"""Background work: periodic, by one process of a service, with a bounded CPU share."""
