"""Drop and win: the report, its cells and sections, and the causes of counted less settled win."""
