"""The domain of the registry: versions of submissions and properties. Pure."""
