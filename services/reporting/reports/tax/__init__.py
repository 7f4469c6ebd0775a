"""Tax: the report, and gross table game revenue, taxes on it and its shares, by the jurisdiction packs."""
