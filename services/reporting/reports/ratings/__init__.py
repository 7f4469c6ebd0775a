"""Ratings of patrons' play, as stated and compared with the rounds that the patrons played."""
