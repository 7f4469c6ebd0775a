"""Paytable registry: rules submissions, properties and ledger mappings, filed by one person and approved by another."""
