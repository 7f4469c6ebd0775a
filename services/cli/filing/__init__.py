"""Commands for filings with FinCEN and the IRS, the files to send, and the agencies' acknowledgements."""
