"""What becomes of a rules submission. Pure."""
