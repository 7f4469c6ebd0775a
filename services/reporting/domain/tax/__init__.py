"""Gross table game revenue, what is due on it, and how it is divided: pure functions of the jurisdiction packs."""
