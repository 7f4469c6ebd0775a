"""Currency reports: the report and its sections, filings and amendments, and patterns of possible structuring."""
