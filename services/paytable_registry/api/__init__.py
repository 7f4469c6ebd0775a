"""The HTTP interface: documents are filed, decided and read, and the catalogue too."""
