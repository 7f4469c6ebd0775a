"""The messages of a floor and its services: corpora, publishing, and the facts of services that are not running."""
