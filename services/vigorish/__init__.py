"""Vigorish ledger: assessed by settled rounds; collected, waived and returned at tables; and what is outstanding."""
