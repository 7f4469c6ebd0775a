"""Assign a round to a table and a gaming day, under the property's version in effect at the round's time. Pure."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from shared.contracts.properties import PropertyTable
from shared.contracts.property_snapshot import PropertyLookup, PropertySnapshot, place_at
from shared.contracts.rounds import TableData
from shared.contracts.settlements import RoundNotice
from shared.contracts.tables import RoundVoided
from shared.rules.errors import Refused

OTHER_GAMING_DAY: Final = "other_gaming_day"
"""The code of the notice that an event claims a gaming day other than that of its moment."""

_MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class GamingDayAssignment:
    """The gaming day assigned to a round, with a notice if the round's event claims another day."""

    gaming_day: date
    notices: tuple[RoundNotice, ...] = ()


def place_round(data: Any, places: PropertyLookup) -> GamingDayAssignment:
    """Return the gaming day of a completed or corrected round, under the property as of the round's opening.

    Raises: Refused if the round is impossible at this property and table, or implausible.
    """
    place = place_at(places, data.property, data.opened_at)
    check_length(f"round {data.round_id}", data.opened_at, data.closed_at, place)
    if data.regulation not in place.law.regulations:
        raise Refused(
            f"the record says {data.regulation}; {named(place)} is under {place.law.id}, whose regulations are "
            f"{', '.join(place.law.regulations)}: file and approve a version of the property with the pack of the "
            "regulation, then replay this record"
        )
    _check_plausible(data, place)
    return _placed(data, place, data.opened_at)


def place_void(event: RoundVoided, opened_at: datetime | None, places: PropertyLookup) -> GamingDayAssignment:
    """Return the gaming day of a voided round; `opened_at` is set if the round is posted.

    If `opened_at` is None, the gaming day is the day of the void, or an earlier day that the void claims, because
    rounds may be voided later. Raises: Refused if the round is impossible at this property.
    """
    data, moment = event.data, opened_at or event.time
    place = place_at(places, data.property, moment)
    if opened_at is None and data.gaming_day < place.gaming_day(moment):
        _check_table(data, place, data.gaming_day)
        return GamingDayAssignment(data.gaming_day)
    return _placed(data, place, moment)


def _placed(data: TableData, place: PropertySnapshot, moment: datetime) -> GamingDayAssignment:
    day = place.day_of(data.gaming_day, moment)
    _check_table(data, place, day)
    if day == data.gaming_day:
        return GamingDayAssignment(day)
    notice = RoundNotice(code=OTHER_GAMING_DAY, paragraph=named(place), detail=place.other_day(data.gaming_day, moment))
    return GamingDayAssignment(day, (notice,))


def _check_table(data: TableData, place: PropertySnapshot, day: date) -> None:
    """Raise Refused unless the table is in use on the gaming day, offers the game, and has rounds against the house."""
    table = place.table(data.table, day)
    if table.play == "counted":
        raise Refused(
            f"table {data.table!r} is counted on {day} in {named(place)}: its counts have its win, so that a round "
            "would count it twice: file and approve a version of the property whose 'play' of it is 'rounds', then "
            "replay this record, or dismiss it"
        )
    if table.non_banking:
        raise Refused(
            f"table {data.table!r} is non-banking on {day} in {named(place)}: its players wager against each other and "
            "its rake is its revenue, so that a round against the house is of another table: file and approve a "
            "version of the property in which it is not 'non_banking', then replay this record, or dismiss it"
        )
    check_offered(data.game, table, place)


def check_offered(game: str, table: PropertyTable, place: PropertySnapshot) -> None:
    """Raise Refused unless the table offers the game."""
    if game != table.game:
        raise Refused(
            f"table {table.table!r} offers {table.game!r} in {named(place)}, not {game!r}: file and approve a "
            "version of the property that says which game it offers, then replay this record"
        )


def check_length(what: str, opened_at: datetime, closed_at: datetime, place: PropertySnapshot) -> None:
    """Raise Refused if a round or result was closed before it was opened, or took longer than is plausible."""
    if closed_at < opened_at:
        raise Refused(f"{what} was closed at {closed_at} before it was opened at {opened_at}")
    most = place.document.plausibility.round_minutes_max
    if most is not None and closed_at - opened_at > most * _MINUTE:
        raise Refused(
            f"{what} was opened at {opened_at} and closed at {closed_at}; a round of {named(place)} takes at most "
            f"{most} minutes ('round_minutes_max')"
        )


def _check_plausible(data: Any, place: PropertySnapshot) -> None:
    """Raise Refused if a wager exceeds the property's plausibility limit."""
    limits = place.document.plausibility
    if limits.wager_max_cents is None:
        return
    for seat in data.round.seats:
        for wager, cents in seat.wagers.items():
            if cents > limits.wager_max_cents:
                raise Refused(
                    f"wager {wager!r} of {cents} cents is above {limits.wager_max_cents}, the most that "
                    f"{named(place)} takes ('wager_max_cents')",
                    seat=seat.seat,
                )


def named(place: PropertySnapshot) -> str:
    """Return the name and version of a property, for messages."""
    return f"property {place.document.property} version {place.document.version}"
