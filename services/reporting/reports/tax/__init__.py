"""Tax: the report, gross table game revenue, and taxes and shares of revenue under the jurisdiction packs."""
