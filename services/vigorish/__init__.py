"""Vigorish: assessed by settled rounds; collected, waived and returned at the tables; and what is outstanding."""
