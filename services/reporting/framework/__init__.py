"""The common parts of all reports: definitions, figures with provenance, documents."""
