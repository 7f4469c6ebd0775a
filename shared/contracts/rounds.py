"""Fields common to a table's events about rounds and the facts that follow from them."""

from typing import Annotated, Final

from pydantic import Field

from shared.contracts.envelope import Contract, Identifier, Name, WrittenDay

Cents = Annotated[int, Field(strict=True, gt=0, le=10**12)]

SEATS_MAX: Final = 20
"""The maximum number of seats at a table: the number of players who fit around a craps table."""


class AccountFunding(Contract):
    """The part of a wager that was taken from a player's electronic game account (58 Pa. Code § 605a.2)."""

    seat: Annotated[int, Field(ge=1, le=12)]
    wager: Name
    account: Identifier
    cents: Cents


class TableData(Contract):
    """The place and time of an event: the fields common to all table events."""

    property: Name
    table: Name
    game: Name
    gaming_day: WrittenDay
    round_id: Annotated[
        Identifier,
        Field(description="unique at the table forever: prefix numbers that restart daily with the date"),
    ]
