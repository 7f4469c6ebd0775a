"""Currency reports: the report, its days, amendments and sections, and patterns that may be structured."""
