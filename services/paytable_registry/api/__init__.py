"""The HTTP API: file, decide and read documents; read the catalogue of what regulations allow."""
