"""Commands about winners of reportable wagers, and their tax forms."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Any, Final

from pydantic import AwareDatetime, Field
from sqlalchemy import func
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.cage import withheld
from services.table_inventory.queries.moving import last_closed_at
from services.table_inventory.queries.open_times import ClosedTime, closed_at
from services.table_inventory.queries.places import find_place
from services.table_inventory.tables import winners
from shared.contracts.cage import PaidWin, TaxNumber, WagerWords, WinnerIdentified
from shared.contracts.countries import Country
from shared.contracts.envelope import Identifier, Name, Patron
from shared.contracts.money import amount
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.rounds import SEATS_MAX
from shared.contracts.treaties import TreatyClaim, treaty_refusal
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Command, Commands, Now
from shared.runtime.rows import rows_of

COMMANDS: Final = Commands()


class IdentifyWinner(Command):
    """Record who won a wager, and the status of its tax form.

    A further record replaces the earlier one, for example when the form is numbered or filed. At a counted table, such
    a record must set `replaces`.
    """

    property: Name
    table: Name
    gaming_day: date
    round_id: Annotated[Identifier | None, Field(description="the round; none at a counted table")] = None
    won_at: Annotated[
        AwareDatetime | None, Field(description="when the wager was won, to the minute; only at a counted table")
    ] = None
    seat: Annotated[int, Field(ge=1, le=SEATS_MAX)]
    wager: Name
    wager_words: Annotated[
        WagerWords | None,
        Field(description="the wager in words, such as Hop the hard 8, one roll; only at a counted table"),
    ] = None
    patron: Patron
    tax_residence: Annotated[Country | None, Field(description="the winner's country of tax residence")] = None
    identified_by: Annotated[
        tuple[Name, ...], Field(max_length=5, description="the kinds of identity documents shown")
    ] = ()
    tax_number: TaxNumber
    form_number: Identifier | None = None
    withheld_cents: Annotated[
        int | None, Field(ge=0, le=10**12, description="federal tax; 0 if none was withheld, left out if not known")
    ] = None
    state_withheld_cents: Annotated[
        int | None, Field(ge=0, le=10**12, description="state tax; 0 if none was withheld, left out if not known")
    ] = None
    local_withheld_cents: Annotated[int, Field(ge=0, le=10**12, description="tax of the property's locality")] = 0
    filed_on: date | None = None
    paid: Annotated[
        PaidWin | None,
        Field(
            description="the win; needed at a counted table, and for a win that is only reported for nonresident aliens"
        ),
    ] = None
    paid_on: Annotated[
        date | None, Field(description="the date of payment, if it differs from the date of the win")
    ] = None
    treaty: Annotated[
        TreatyClaim | None, Field(description="a nonresident alien's claim to treaty relief, as made on Form W-8BEN")
    ] = None
    replaces: Annotated[
        bool, Field(description="at a counted table, true if this record replaces an earlier record of the same win")
    ] = False

    def named(self) -> dict[str, Any]:
        """Return the columns that identify the win: with its minute at a counted table, otherwise with its round."""
        place = {name: getattr(self, name) for name in ("property", "table", "gaming_day", "seat")}
        if self.won_at is None:
            return place | {"round_id": self.round_id, "wager": self.wager}
        minute = self.won_at.astimezone(UTC).replace(second=0, microsecond=0)
        return place | {"won_at": minute, "wager": self.wager.lower()}


@dataclass(frozen=True, slots=True)
class _Known:
    """The property, the number of records of the win (`times`), and the tax withheld so far, in cents by field.

    `won_on` is the local date of the win; None if its round is not settled yet. If the table was certainly closed at
    the time of the win, `closed` is the period in which it was closed; otherwise None.
    """

    place: PropertySnapshot
    times: int
    before: Mapping[str, int]
    won_on: date | None
    closed: ClosedTime | None


async def _known(connection: AsyncConnection, command: IdentifyWinner) -> _Known:
    """Load the records of the win. Raises: Rejected for an unknown table or regulation."""
    place = await find_place(connection, command.property, command.gaming_day)
    why = place.why_no_table(command.table, command.gaming_day)
    if why is not None:
        raise Rejected(Reason.NOT_FOUND, why)
    paid = command.paid
    if paid is not None and paid.regulation is not None and paid.regulation not in place.law.regulations:
        known = ", ".join(place.law.regulations)
        raise Rejected(Reason.NOT_FOUND, f"no game is played under {paid.regulation!r} here; there are {known}")
    changed = [func.coalesce(func.sum(winners.c[column]), 0) for column in _CHANGES.values()]
    named = command.named()
    query = rows_of(winners, **named).with_only_columns(func.count(), *changed)
    times, *cents = (await connection.execute(query)).one()
    minute: datetime | None = named.get("won_at")
    closed = None if minute is None else await closed_at(connection, command.property, command.table, minute)
    moment = minute
    if minute is None and command.round_id is not None:
        moment = await last_closed_at(connection, command.property, command.table, command.round_id)
    won_on = None if moment is None else moment.astimezone(place.zone).date()
    return _Known(place, times, dict(zip(_CHANGES, map(int, cents), strict=True)), won_on, closed)


_CHANGES: Final = {
    "before_cents": "federal_change_cents",
    "state_before_cents": "state_change_cents",
    "local_before_cents": "local_change_cents",
}
"""The column with the change of a withheld tax, by the field of `WinnerIdentified` with the tax withheld before."""


@COMMANDS.handles(IdentifyWinner, load=_known)
def identify(command: IdentifyWinner, known: _Known, now: Now) -> Accepted:
    """Record the winner, and post any further tax withheld."""
    place = known.place
    if place.table(command.table, command.gaming_day).play == "counted":
        _require_counted_win(command, known, now.at)
    elif command.round_id is None or command.won_at is not None:
        raise Rejected(Reason.CONTRADICTS, f"{command.table} reports its rounds: name the win by 'round_id' alone")
    elif command.paid is not None and command.paid.regulation is None:
        raise Rejected(Reason.CONTRADICTS, "what was paid in a round names its 'regulation'")
    if (paid_on := command.paid_on) is not None:
        if paid_on < (won_on := known.won_on or command.gaming_day):
            raise Rejected(Reason.CONTRADICTS, f"'paid_on' {paid_on} is before the win, of {won_on}")
        if paid_on > (today := now.at.astimezone(place.zone).date()):
            raise Rejected(Reason.TOO_EARLY, f"'paid_on' {paid_on} has not come yet: today is {today}")
    if command.state_withheld_cents and place.law.state_withholding is None:
        detail = f"{place.law.title}: the pack does not say for which state tax is withheld ('state_withholding')"
        raise Rejected(Reason.NOT_ALLOWED, detail)
    if command.treaty is not None:
        _require_relief(command.treaty, command, place)
    said = {name: value for name, value in command if name != "replaces"} | command.named()
    fact = WinnerIdentified(**said, **known.before, by=now.by, at=now.at)
    return Accepted(recording=FactWithPostings(fact=fact, postings=withheld(fact)), answer=fact)


def _require_counted_win(command: IdentifyWinner, known: _Known, now: datetime) -> None:
    """Raise Rejected if a win at a counted table is incomplete, or was already recorded and is not replaced."""
    place, won_at, table = known.place, command.won_at, command.table
    if command.round_id is not None or won_at is None or command.paid is None:
        raise Rejected(
            Reason.CONTRADICTS,
            f"{table} is counted and reports no rounds: say when the win was ('won_at') and what was 'paid', and no "
            "'round_id'",
        )
    if won_at > now:
        raise Rejected(Reason.TOO_EARLY, f"'won_at' {place.clock_text(won_at)} has not come yet")
    if not place.is_day(command.gaming_day, won_at):
        raise Rejected(Reason.CONTRADICTS, place.other_day(command.gaming_day, won_at))
    win = f"{command.named()['wager']!r} at seat {command.seat} of {table}, won at {place.clock_text(won_at)}"
    if known.times and not command.replaces:
        raise Rejected(
            Reason.ALREADY_DECIDED, f"{win}, is on record: to say something else of the same win, set 'replaces'"
        )
    if command.replaces and not known.times:
        raise Rejected(Reason.NOT_FOUND, f"{win}, is not on record, so that nothing 'replaces' it")
    if known.closed is not None and not known.times:
        raise Rejected(Reason.CONTRADICTS, f"{win}: {_was_closed(known.closed, place)}")
    if (why := place.why_no_seat(table, command.gaming_day, command.seat)) is not None and not known.times:
        raise Rejected(Reason.NOT_ALLOWED, why)
    _require_odds(command.paid, place, command.paid_on or won_at.astimezone(place.zone).date())


def _was_closed(closed: ClosedTime, place: PropertySnapshot) -> str:
    opened = f"opened at {place.clock_text(closed.until)}"
    before = "was never open before" if closed.since is None else f"closed at {place.clock_text(closed.since)}"
    return f"the table {before} and {opened}; if that is wrong, have the pit event corrected first"


def _require_relief(claim: TreatyClaim, command: IdentifyWinner, place: PropertySnapshot) -> None:
    """Raise Rejected if the treaty claim gives no relief on the day of payment."""
    won_on = None if command.won_at is None else command.won_at.astimezone(place.zone).date()
    paid_on = command.paid_on or won_on
    if paid_on is None:
        raise Rejected(Reason.CONTRADICTS, "a claim under a treaty holds on some days: say when the win was 'paid_on'")
    rules = [rule for pack in place.reporting for rule in pack.reportable_winnings.values() if rule.treaty_rates]
    if not rules:
        raise Rejected(Reason.NOT_ALLOWED, f"no pack of {command.property} gives relief under treaties")
    for rule in rules:
        assert rule.treaty_rates is not None, "those without were left out"
        held = rule.treaty_rates.on(paid_on)
        has_number = command.tax_number == "given"
        wrong = treaty_refusal(
            claim, held.value, paid_on=paid_on, residence=command.tax_residence, has_number=has_number
        )
        if wrong is not None:
            raise Rejected(Reason.NOT_ALLOWED, wrong, cites=held.source)


def _require_odds(paid: PaidWin, place: PropertySnapshot, day: date) -> None:
    """Raise Rejected if the odds are missing, and whether the win is reportable depends on them."""
    if paid.odds is not None:
        return
    for pack in place.reporting:
        for rule in pack.reportable_winnings.values():
            if rule.wager_ratio is None:
                continue
            held = rule.threshold_cents.on(day)
            if paid.stake_cents + paid.winnings_cents >= held.value:
                form = pack.forms[rule.form].on(day).value
                raise Rejected(
                    Reason.NOT_ALLOWED,
                    f"from {amount(held.value)} on {form.number or form.title} asks for the 'odds' of the wager, such "
                    "as 30 to 1",
                    cites=held.source,
                )
