"""Formats whole cents as dollars for the console."""


def dollars(cents: int) -> str:
    """Return an amount of cents in dollars.

    >>> dollars(123450), dollars(-5)
    ('$1,234.50', '−$0.05')
    """
    whole, rest = divmod(abs(cents), 100)
    return f"{'−' if cents < 0 else ''}${whole:,}.{rest:02d}"
