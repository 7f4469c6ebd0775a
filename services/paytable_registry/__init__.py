"""Paytable registry: what a licensee plays under, filed by one person, approved by another, and published for ever."""
