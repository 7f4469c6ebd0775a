"""Journal audit: verification, signatures, witnesses, and comparison with evidence outside the database."""
