"""Fields common to a table's events about rounds and the facts that follow from them."""

from typing import Annotated, Final

from pydantic import Field

from shared.contracts.envelope import Contract, Identifier, Name, WrittenDay

Cents = Annotated[int, Field(strict=True, gt=0, le=10**12)]

SEATS_MAX: Final = 20
"""How many seats a table has at most: as many people stand around one for craps."""


class AccountFunding(Contract):
    """The part of a wager that was taken from a player's electronic game account (58 Pa. Code § 605a.2)."""

    seat: Annotated[int, Field(ge=1, le=12)]
    wager: Name
    account: Identifier
    cents: Cents


class TableData(Contract):
    """Where and when: the fields common to all table events."""

    property: Name
    table: Name
    game: Name
    gaming_day: WrittenDay
    round_id: Annotated[
        Identifier,
        Field(description="used once at a table, for ever: numbers that begin again each day have the day before them"),
    ]
