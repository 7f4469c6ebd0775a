"""Drop and win: the report, its cells and sections, and what explains a difference of counted and settled win."""
