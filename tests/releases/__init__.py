"""What a release writes, kept in `releases/`: schemas, entries, and a database with all that its topics held."""
