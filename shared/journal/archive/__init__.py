"""The archive of a journal: its columns, signed manifests, and the verification of files without the database."""
