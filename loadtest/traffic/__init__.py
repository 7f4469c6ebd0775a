"""What a floor and its services send: corpora, publishing, and the facts of services that are not running."""
