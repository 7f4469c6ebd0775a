"""What the ledger thinks: movements, slips, counts, variances and the win. No SQL, no HTTP, no clock."""
