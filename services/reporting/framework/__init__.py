"""What all reports are made of: definitions, figures that lead to their entries, documents."""
