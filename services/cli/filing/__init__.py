"""Commands on filings with FinCEN and the IRS, the files that they write, and the answers that they read."""
