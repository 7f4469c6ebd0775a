"""Currency reports: the report, its days, amendments and sections, and patterns of possible structuring."""
