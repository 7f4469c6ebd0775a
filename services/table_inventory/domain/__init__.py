"""The domain of the ledger: movements, slips, counts, variances and the win. No SQL, no HTTP, no clock."""
