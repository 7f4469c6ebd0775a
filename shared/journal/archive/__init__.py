"""The archive of a journal: table columns, signed manifests, and verification of the files without a database."""
