"""The domain of reporting: exceptions, statistics, tax and federal reports. Pure: no SQL, no HTTP, no clock."""
