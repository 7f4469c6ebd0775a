"""Read rounds with their histories, and corrections at the desk."""
