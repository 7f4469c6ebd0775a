"""Tax: the report, gross table game revenue, and taxes on it and its shares under the jurisdiction packs."""
