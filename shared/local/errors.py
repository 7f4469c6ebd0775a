"""Errors of the embedded stack."""


class LocalStackError(Exception):
    """A part of the embedded stack could not be started or stopped."""


class EmbeddedPackageMissingError(LocalStackError):
    """A package of the embedded stack is not installed and cannot be fetched, and no server address was given."""
