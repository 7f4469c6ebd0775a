"""The archive of the journals: closed gaming days as files that prove themselves, and questions to these files."""
