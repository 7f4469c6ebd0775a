"""Topics in: subscriptions, decoding, the batch, and one transaction for entries, position and projections."""
