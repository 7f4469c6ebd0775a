"""Format whole cents for the console."""

from shared.contracts import money


def dollars(cents: int) -> str:
    """Return an amount of cents in dollars.

    >>> dollars(123450), dollars(-5)
    ('$1,234.50', '−$0.05')
    """
    return money.dollars(cents, symbol="$", minus="−")
