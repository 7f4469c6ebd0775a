"""The settled play of patrons: their wagers, and the theoretical win of these wagers."""
