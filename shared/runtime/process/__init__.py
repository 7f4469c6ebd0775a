"""A service as a process: migrated, started, healthy, shut down."""
