"""The settled play of patrons: what they wagered, and its exact theoretical win."""
