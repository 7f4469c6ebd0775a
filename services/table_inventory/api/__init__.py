"""The HTTP API of the ledger: commands by department, lists, documents and reports."""
