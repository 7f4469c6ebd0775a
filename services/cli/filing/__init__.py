"""What is filed with FinCEN: currency transaction reports, and their acknowledgements."""
