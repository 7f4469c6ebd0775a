"""What several reports use: cells, spans, counted and settled win, balances of accounts."""
