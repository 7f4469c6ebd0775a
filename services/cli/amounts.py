"""Parse amounts of money on the command line."""

import re
from typing import Final

from services.cli.exits import UsageWrong

_DOLLARS: Final = re.compile(r"(0|[1-9][0-9]{0,14})(?:\.([0-9]{1,2}))?", re.ASCII)


def cents_of(option: str, text: str, *, least_cents: int = 1) -> int:
    """Return an option's value, dollars in plain decimal digits, as cents.

    Raises: UsageWrong unless the value is whole cents, at least `least_cents`, and without a leading zero.

    >>> cents_of("--amount", "12.50")
    1250
    """
    found = _DOLLARS.fullmatch(text)
    cents = int(found[1]) * 100 + int((found[2] or "").ljust(2, "0")) if found else 0
    if not found or cents < least_cents:
        raise UsageWrong(f"{option} {text!r}: give dollars, such as 25 or 12.50")
    return cents
