"""The HTTP API: file, decide and read documents; read the catalogues of the regulations."""
