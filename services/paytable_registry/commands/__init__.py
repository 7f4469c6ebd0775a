"""Commands of the registry: draft, file, approve, return and withdraw versions."""
