"""A service as a whole: its manifest, context, keys and jurisdiction packs."""
