"""Ratings of patrons' play as stated, and beside the rounds that the patrons played."""
