"""The play of patrons as settled: what they wagered, and the exact theoretical win of it."""
