"""What is filed with FinCEN and the IRS, and what they answer."""
