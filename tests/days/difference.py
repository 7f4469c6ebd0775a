"""What the model finds, and nothing else that may go wrong while it plays."""


class Difference(AssertionError):
    """What is stated, read or refused is not what was seen."""
