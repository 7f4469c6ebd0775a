"""Commands about winners of reportable wagers, and their forms."""

from datetime import date
from typing import Annotated, Final

from pydantic import Field
from sqlalchemy import func
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.cage import withheld
from services.table_inventory.queries.places import find_place
from services.table_inventory.tables import winners
from shared.contracts.cage import PaidWin, Patron, TaxNumber, WinnerIdentified
from shared.contracts.envelope import Country, Identifier, Name
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.rounds import SEATS_MAX
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Command, Commands, Now
from shared.runtime.rows import rows_of

COMMANDS: Final = Commands()


class IdentifyWinner(Command):
    """Record who won a wager, and the status of its form.

    A further record replaces the earlier one, for example when the form is numbered or filed.
    """

    property: Name
    table: Name
    gaming_day: date
    round_id: Identifier
    seat: Annotated[int, Field(ge=1, le=SEATS_MAX)]
    wager: Name
    patron: Patron
    tax_residence: Annotated[Country | None, Field(description="where the winner is a resident for tax")] = None
    identified_by: Annotated[tuple[Name, ...], Field(max_length=5, description="kinds of documents")] = ()
    tax_number: TaxNumber
    form_number: Identifier | None = None
    withheld_cents: Annotated[int, Field(ge=0, le=10**12)] = 0
    filed_on: date | None = None
    paid: Annotated[
        PaidWin | None, Field(description="the win, where a nonresident alien won what is reported of nobody else")
    ] = None
    paid_on: Annotated[
        date | None, Field(description="the date of payment, where the win was not paid when the round was closed")
    ] = None


async def _paying(connection: AsyncConnection, command: IdentifyWinner) -> tuple[PropertySnapshot, int]:
    """Return the property, and the tax recorded as withheld before.

    Raises: Rejected for an unknown table or regulation.
    """
    place = await find_place(connection, command.property, command.gaming_day)
    why = place.why_no_table(command.table, command.gaming_day)
    if why is not None:
        raise Rejected(Reason.NOT_FOUND, why)
    if command.paid is not None and command.paid.regulation not in place.law.regulations:
        known = ", ".join(place.law.regulations)
        raise Rejected(Reason.NOT_FOUND, f"no game is played under {command.paid.regulation!r} here; there are {known}")
    key = {name: getattr(command, name) for name in ("property", "table", "gaming_day", "round_id", "seat", "wager")}
    changes = rows_of(winners, **key).with_only_columns(func.coalesce(func.sum(winners.c.withheld_change_cents), 0))
    return place, int((await connection.execute(changes)).scalar_one())


@COMMANDS.handles(IdentifyWinner, load=_paying)
def identify(command: IdentifyWinner, state: tuple[PropertySnapshot, int], now: Now) -> Accepted:
    """Record the winner, and post any further tax withheld."""
    place, before_cents = state
    if (paid_on := command.paid_on) is not None:
        if paid_on < command.gaming_day:
            raise Rejected(Reason.CONTRADICTS, f"'paid_on' {paid_on} is before the round, of {command.gaming_day}")
        if paid_on > (today := now.at.astimezone(place.zone).date()):
            raise Rejected(Reason.TOO_EARLY, f"'paid_on' {paid_on} has not come yet: today is {today}")
    fact = WinnerIdentified(**dict(command), before_cents=before_cents, by=now.by, at=now.at)
    return Accepted(recording=FactWithPostings(fact=fact, postings=withheld(fact)), answer=fact)
