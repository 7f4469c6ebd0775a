"""What is read of the read model: versions as they stand."""
