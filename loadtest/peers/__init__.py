"""The same rounds through what somebody would use instead of Pitledger, each on the same PostgreSQL."""
