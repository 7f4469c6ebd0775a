"""The HTTP API: file, decide and read documents; read the catalogue."""
