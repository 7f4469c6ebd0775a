"""Gross table game revenue, taxes on it, and its shares: pure functions of the jurisdiction packs."""
