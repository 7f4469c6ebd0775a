"""Vigorish ledger: vigorish assessed on settled rounds, collected, waived or returned at tables, and outstanding."""
