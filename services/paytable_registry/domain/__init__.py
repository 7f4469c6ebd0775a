"""The domain of the registry: versions of submissions, properties and ledger mappings, and their checks. Pure."""
