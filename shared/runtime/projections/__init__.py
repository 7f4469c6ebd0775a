"""Read models: projected and rebuilt from the journal, and compared with it while the service runs."""
