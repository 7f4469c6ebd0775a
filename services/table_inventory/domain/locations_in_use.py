"""The locations of a property's cage, in use or retired but not empty yet, and the cashier of each drawer. Pure."""

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Annotated, Literal, NamedTuple

from pydantic import AwareDatetime, BaseModel, Field

from services.table_inventory.domain.locations import FOR_PATRONS, CageTransferDocument
from shared.contracts.cage_locations import CAGE
from shared.contracts.people import same_person
from shared.contracts.properties import CageLocation
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected


def location_in_use(place: PropertySnapshot, name: str, day: date) -> CageLocation | None:
    """Return a location of a property's cage that is in use on a gaming day, so that it may receive; None for `cage`.

    Raises: Rejected if no location has this name, or if it is retired.
    """
    known = place.cage_locations_on(day)
    if name == CAGE or name in known:
        return known.get(name)
    has = f"on {day} it has {', '.join((CAGE, *sorted(known)))} ('cage_locations')"
    retired = place.retired_cage_locations_on(day).get(name)
    if retired is None:
        raise Rejected(Reason.NOT_FOUND, f"{name!r} is no location {_at_cage(place)}; {has}")
    why = f"{_takes_nothing_in(place, retired)}; {has}; what {name} still holds is counted and transferred out"
    raise Rejected(Reason.NOT_ALLOWED, why)


def require_receiver(place: PropertySnapshot, transfer: CageTransferDocument, day: date) -> None:
    """Raise Rejected if the receiver of a transfer was retired while the contents were in transit."""
    retired = place.retired_cage_locations_on(day).get(transfer.receiver)
    if retired is not None:
        why = f"{_takes_nothing_in(place, retired)}: return transfer {transfer.transfer} to {transfer.giver}"
        raise Rejected(Reason.NOT_ALLOWED, why)


def _at_cage(place: PropertySnapshot) -> str:
    return f"at the cage of {place.document.property} (version {place.document.version})"


def _takes_nothing_in(place: PropertySnapshot, retired: CageLocation) -> str:
    return f"{retired.location} {_at_cage(place)} was retired on {retired.retired_on} and takes nothing in"


def location_to_empty(
    place: PropertySnapshot, name: str, day: date, *, may_hold: bool, counted: bool
) -> CageLocation | None:
    """Return a location that may give contents, or be counted, on a gaming day; None for `cage`.

    A retired location qualifies while it may hold something (`may_hold`). `counted` is true if it was ever counted.
    Raises: Rejected if no location has this name, or if it is retired and empty.
    """
    retired = place.retired_cage_locations_on(day).get(name)
    if retired is None:
        return location_in_use(place, name, day)
    if not may_hold:
        why = "is empty by its books and its last count" if counted else "was never counted, and its books have nothing"
        detail = f"{name} was retired on {retired.retired_on} and {why}"
        raise Rejected(Reason.NOT_ALLOWED, f"{detail}: count what is found there where it is taken to")
    return retired


class HasDrawer(NamedTuple):
    """The cashier of a drawer since a verified count of it, with the count's number and the time of its entry."""

    cashier: str
    number: int
    counted_at: datetime


def require_cashier(
    place: PropertySnapshot,
    location: CageLocation | None,
    has: HasDrawer | None,
    cashier: str,
    next_cashier: str | None,
) -> None:
    """Raise Rejected unless a drawer's count names its current cashier, and any next cashier is another person.

    `location` is None for `cage` itself. `has` is None if the drawer was never counted.
    """
    if location is None or location.kind != "drawer":
        if next_cashier is not None:
            name = CAGE if location is None else location.location
            detail = f"{name} is no drawer: only a drawer is taken over by a 'next_cashier'"
            raise Rejected(Reason.NOT_ALLOWED, detail)
        return
    if next_cashier is not None and same_person(cashier, next_cashier):
        detail = f"{next_cashier} has {location.location} already: 'next_cashier' is another person, who takes it over"
        raise Rejected(Reason.NOT_ALLOWED, detail)
    if has is not None and not same_person(has.cashier, cashier):
        since = f"count {has.number} of {place.clock_text(has.counted_at)}"
        detail = (
            f"{location.location} is with {has.cashier} since {since}, who answers for what is over or short, and not "
            f"{cashier}: whoever takes it over is named as 'next_cashier' of a count"
        )
        raise Rejected(Reason.CONTRADICTS, detail)


class LocationDocument(BaseModel):
    """A location of the cage and, for a drawer, its cashier since a verified count.

    A retired location (`retired_on`) is listed until a count has found it empty.
    """

    location: str
    kind: Literal["cage", "drawer", "main_bank", "chip_bank", "vault"]
    imprest_cents: int | None = None
    cashier: Annotated[
        str | None, Field(description="for a drawer, its current cashier; null before its first count")
    ] = None
    since_count: Annotated[int | None, Field(description="the count that assigned the drawer to the cashier")] = None
    since: Annotated[AwareDatetime | None, Field(description="when that count was entered")] = None
    retired_on: Annotated[
        date | None,
        Field(description="the first gaming day on which it receives nothing more; it may still hold something"),
    ] = None


def locations_with_cashiers(
    place: PropertySnapshot, day: date, who: Mapping[str, HasDrawer], may_hold: Collection[str]
) -> list[LocationDocument]:
    """Return the locations of a property's cage on a gaming day: `cage`, and the others by name.

    Retired locations are included if they `may_hold` something. `who` maps locations to cashiers; only drawers have a
    cashier, because several people use each other location.
    """
    found = [LocationDocument(location=CAGE, kind="cage")]
    retired = {name: one for name, one in place.retired_cage_locations_on(day).items() if name in may_hold}
    for name, one in sorted({**place.cage_locations_on(day), **retired}.items()):
        has = who.get(name) if one.kind == "drawer" else None
        since = {} if has is None else {"cashier": has.cashier, "since_count": has.number, "since": has.counted_at}
        since |= {"retired_on": one.retired_on} if name in retired else {"imprest_cents": one.imprest_cents}
        found.append(LocationDocument(location=name, kind=one.kind, **since))
    return found


def location_of(place: PropertySnapshot, window: str, day: date) -> str | None:
    """Return the location whose money a transaction at a window moves on a gaming day; None for `cage`.

    A property without locations may name its windows freely. Raises: Rejected if the property has locations and the
    window is not one of them, or does not serve patrons.
    """
    if not place.document.cage_locations or window == CAGE:
        return None
    location = location_in_use(place, window, day)
    if location is not None and location.kind not in FOR_PATRONS:
        detail = (
            f"{window} is a {location.kind.replace('_', ' ')}: patrons are served at {CAGE}, drawers and main banks"
        )
        raise Rejected(Reason.NOT_ALLOWED, detail)
    return window
