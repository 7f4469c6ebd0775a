"""Parse amounts of money that are given on the command line."""

from decimal import Decimal, InvalidOperation

from services.cli.exits import UsageWrong


def cents_of(option: str, text: str, *, least_cents: int = 1) -> int:
    """Return an option's dollars as cents. Raises: UsageWrong unless they are whole cents, at least `least_cents`.

    >>> cents_of("--amount", "12.50")
    1250
    """
    try:
        cents = Decimal(text) * 100
    except InvalidOperation:
        cents = Decimal("NaN")
    if not cents.is_finite() or cents < least_cents or cents != cents.to_integral_value():
        raise UsageWrong(f"{option} {text!r}: give dollars, such as 25 or 12.50")
    return int(cents)
