"""Counts again what the rules read as data: how many deals of each kind there are. Needs numpy; the rules do not."""
