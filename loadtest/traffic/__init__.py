"""What a floor and its services send, and how: corpora, publishing, and the facts of services that do not run."""
