"""What reports say, and how settlements change it. Pure: no SQL, no HTTP, no clock."""
