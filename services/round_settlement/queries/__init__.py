"""Read what round settlement knows: rounds with their histories, and corrections at the desk."""
