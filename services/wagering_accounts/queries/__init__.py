"""What the wagering accounts read from their tables: the books to decide on, the journal in order, and reports."""
