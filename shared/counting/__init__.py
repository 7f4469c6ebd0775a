"""Recomputes the frequencies of deals that the rules load as data. Needs numpy; the rules do not."""
