"""Read models: projected from the journal, rebuilt from it, and compared with it while the service runs."""
