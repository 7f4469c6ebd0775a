"""Parts shared by several reports: cells, spans, counted and settled win, balances of accounts."""
