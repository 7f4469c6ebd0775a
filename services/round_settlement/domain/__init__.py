"""The effects of table events on rounds: settlements and their postings. Pure; amounts are cents."""
