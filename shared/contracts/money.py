"""Amounts of cents as text."""


def dollars(cents: int, *, symbol: str = "", minus: str = "-", grouped: bool = True) -> str:
    """Return an amount of cents in dollars, by default with thousands separators.

    >>> dollars(-123450), dollars(123450, symbol="$"), dollars(1200000, grouped=False)
    ('-1,234.50', '$1,234.50', '12000.00')
    """
    whole, rest = divmod(abs(cents), 100)
    return f"{minus if cents < 0 else ''}{symbol}{whole:{',' if grouped else ''}}.{rest:02}"
