"""Paytable registry: rules submissions and properties, filed by one person, approved by another, published forever."""
