"""What is read of the read model, each report in one snapshot."""
