"""Drop and win: the report, its cells and sections, and what explains counted less settled win."""
