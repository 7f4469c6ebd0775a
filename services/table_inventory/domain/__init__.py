"""The domain of the ledger: movements, slips, counts, variances and the win. It uses no SQL, no HTTP and no clock."""
