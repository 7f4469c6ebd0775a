"""What callers may do with the wagering accounts."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Final

from fastapi import Depends, Request

from shared.runtime.web.access import caller_with

CASHIER: Final = "accounts"
"""Registers patrons, opens accounts, takes and pays money, sets limits as patrons wish."""
TABLE: Final = "wager"
"""Authorizes, captures and releases wagers: the electronic table."""
EXCLUDER: Final = "exclude"
"""Excludes patrons and admits them again."""
ADJUSTER: Final = "adjust"
"""Enters adjustments."""
APPROVER: Final = "adjust-approve"
"""Approves and rejects adjustments that somebody else entered."""
READER: Final = "report"
"""Reads accounts, statements, open rounds, exceptions and the liability."""


def _person_with(role: str) -> Callable[[Request], Awaitable[str]]:
    """The name of the caller, if that person has the role; without the detour of a thread."""
    caller = caller_with(role)

    async def person(request: Request) -> str:
        return caller(request)

    return person


Cashier = Annotated[str, Depends(_person_with(CASHIER))]
TableSystem = Annotated[str, Depends(_person_with(TABLE))]
Excluder = Annotated[str, Depends(_person_with(EXCLUDER))]
Adjuster = Annotated[str, Depends(_person_with(ADJUSTER))]
Approver = Annotated[str, Depends(_person_with(APPROVER))]
READING: Final = Depends(_person_with(READER))
"""What everything that is read depends on."""
