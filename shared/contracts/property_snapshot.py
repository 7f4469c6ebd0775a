"""A property as of a moment, for services: its gaming day, its tables, its law. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal, Protocol, Self
from zoneinfo import ZoneInfo

from shared.contracts.chips import PieceKind, Pieces
from shared.contracts.devices import DeviceKey, SignedTopic, Signing
from shared.contracts.moments import Happened
from shared.contracts.money import amount
from shared.contracts.properties import (
    CageLocation,
    ExpectedHold,
    PropertyApproved,
    PropertyDocument,
    PropertyTable,
    RatingTerms,
    Sales,
    Shift,
)
from shared.contracts.rejection import Reason, Rejected
from shared.jurisdictions import GamingPack, ReportingPack, begins_at, gaming_day, pack
from shared.rules.errors import Refused

_CLOCK: Final = "%Y-%m-%d %H:%M:%S"

MoneyLimit = Literal["variance_report_cents", "variance_authority_cents", "adjustment_listed_cents"]


def clock_text(moment: datetime, zone: ZoneInfo) -> str:
    """Return a moment to the second on the clock of a property in this time zone: for messages to people.

    >>> clock_text(datetime(2026, 11, 20, 12, 44, tzinfo=UTC), ZoneInfo("America/New_York"))
    '2026-11-20 07:44:00'
    """
    return moment.astimezone(zone).strftime(_CLOCK)


@dataclass(frozen=True, slots=True)
class TableSigner:
    """A key of a property, the topics that its holder signs, and the tables (`tables` None: all).

    `is_device` is true if the holder is a device of a single table, not a system that signs for several tables.
    """

    key: DeviceKey
    signs: tuple[SignedTopic, ...]
    tables: frozenset[str] | None
    is_device: bool

    def speaks_for(self, table: str, topic: str) -> bool:
        """Return whether the key's holder may sign for a table on a topic."""
        return topic in self.signs and (self.tables is None or table in self.tables)


def signers_of(document: PropertyDocument) -> list[TableSigner]:
    """Return the signing keys of a property, in the order of its document."""
    holders: list[tuple[Signing, frozenset[str] | None, bool]] = [
        *((device, frozenset({table.table}), True) for table in document.tables for device in table.devices),
        *((system, frozenset(system.tables) or None, False) for system in document.systems),
    ]
    return [
        TableSigner(key, holder.signs, tables, is_device)
        for holder, tables, is_device in holders
        for key in holder.signing_keys
    ]


@dataclass(frozen=True)
class PropertySnapshot:
    """An approved version of a property, and the packs that it names."""

    document: PropertyApproved
    law: GamingPack
    reporting: tuple[ReportingPack, ...] = ()
    later: tuple[PropertyApproved, ...] = ()
    """The versions that take effect later. Some existing tables are listed only there."""
    earlier: tuple[PropertyApproved, ...] = ()
    """The versions that took effect before. A cage location that only they have may still hold something."""

    @classmethod
    def of(cls, document: PropertyApproved) -> Self:
        """Return the snapshot of a version. Raises: LookupError for packs that are not installed."""
        packs = [pack(name) for name in document.packs]
        gaming = [each for each in packs if isinstance(each, GamingPack)]
        if len(gaming) != 1:
            raise LookupError(f"{document.property} names {len(gaming)} packs that license table games, not one")
        return cls(document, gaming[0], tuple(each for each in packs if isinstance(each, ReportingPack)))

    @cached_property
    def zone(self) -> ZoneInfo:
        """Return the time zone of the property's clock."""
        return ZoneInfo(self.document.time_zone)

    def clock_text(self, moment: datetime) -> str:
        """Return a moment to the second on the property's clock: for messages to people."""
        return clock_text(moment, self.zone)

    @cached_property
    def signers(self) -> Mapping[str, TableSigner]:
        """Return the public keys of the property's devices and systems, by key id."""
        return {signer.key.kid: signer for signer in signers_of(self.document)}

    def ties_seats(self, table: str) -> bool:
        """Return whether a device of a table signs its ratings, such as a player-card reader at its seats."""
        return table in self._tying

    @cached_property
    def _tying(self) -> frozenset[str]:
        return frozenset(
            table.table
            for table in self.document.tables
            if any("rating.events" in device.signs for device in table.devices)
        )

    def revoked_at(self, kid: str) -> datetime | None:
        """Return the moment from which a key is revoked according to any known version, or None."""
        return self._revoked.get(kid)

    @cached_property
    def _revoked(self) -> dict[str, datetime]:
        found: dict[str, datetime] = {}
        for version in (self.document, *self.later):
            for signer in signers_of(version):
                at, kid = signer.key.revoked_at, signer.key.kid
                if at is not None:
                    found[kid] = min(at, found.get(kid, at))
        return found

    @cached_property
    def _tables(self) -> dict[str, list[PropertyTable]]:
        """Table name -> the table's entries in this version of the property and in each later version, in order."""
        found: dict[str, list[PropertyTable]] = {}
        for version in (self.document, *sorted(self.later, key=lambda version: version.effective_from)):
            for table in version.tables:
                found.setdefault(table.table, []).append(table)
        return found

    @cached_property
    def _days(self) -> "_Days":
        return _Days(self)

    def gaming_day(self, moment: datetime) -> date:
        """Return the gaming day in which a moment lies."""
        return self._days.day_of(moment)

    def begins_at(self, day: date) -> datetime:
        """Return the moment (UTC) at which a gaming day begins."""
        return begins_at(day, self.zone, self.document.gaming_day_begins)

    @cached_property
    def shifts(self) -> tuple[str, ...]:
        """Return the shifts in the order in which they begin, from the beginning of the gaming day."""
        start = self.document.gaming_day_begins
        listed = sorted(self.document.shifts, key=lambda shift: (shift.begins < start, shift.begins))
        return tuple(shift.shift for shift in listed)

    def shifts_begin_at(self, day: date) -> list[datetime]:
        """Return the moments (UTC) at which the shifts of a gaming day begin, earliest first."""
        start = self.document.gaming_day_begins
        following = day + timedelta(days=1)
        return sorted(
            begins_at(following if shift.begins < start else day, self.zone, shift.begins)
            for shift in self.document.shifts
        )

    def shift_at(self, moment: datetime) -> str:
        """Return the current shift at a moment, by the property's clock."""
        clock = moment.astimezone(self.zone).time()
        for shift in self._latest_first:
            if shift.begins <= clock:
                return shift.shift
        return self._latest_first[0].shift

    @cached_property
    def _latest_first(self) -> list[Shift]:
        """The shifts by the clock time of their beginning, latest first."""
        return sorted(self.document.shifts, key=lambda shift: shift.begins, reverse=True)

    def table(self, name: str, day: date) -> PropertyTable:
        """Return a table as of a gaming day. Raises: Refused, naming the document to file, if it is not in use."""
        found = self._table(name, day)
        if found is None:
            raise Refused(f"{self.why_no_table(name, day)}, then replay this record")
        return found

    def tables_on(self, day: date) -> list[PropertyTable]:
        """Return the tables in use on a gaming day, by name."""
        return [found for name in sorted(self._tables) if (found := self._table(name, day)) is not None]

    def counted_on(self, day: date) -> Mapping[str, Sales]:
        """Return the counted tables of a gaming day, each with the chip sales that it reports."""
        tables = (self._table(name, day) for name in self._ever_counted)
        return {table.table: table.sales for table in tables if table is not None and table.play == "counted"}

    @cached_property
    def _ever_counted(self) -> list[str]:
        """The names of the tables that are counted tables on some day, sorted."""
        return sorted(name for name, dated in self._tables.items() if any(one.play == "counted" for one in dated))

    def kind_of(self, game: str) -> str | None:
        """Return the kind of a game of counted tables (craps, roulette), or None if the document does not have it."""
        return next((named.kind for named in self.document.games if named.game == game), None)

    def expected_hold(self, game: str, day: date) -> ExpectedHold | None:
        """Return the hold that the property expects of a game of counted tables on a gaming day, or None."""
        found = (one for named in self.document.games if named.game == game for one in named.expected_holds)
        return next((one for one in found if one.is_of(day)), None)

    def cage_locations_on(self, day: date) -> Mapping[str, CageLocation]:
        """Return the locations of the cage that are in use on a gaming day, by name, besides `cage` itself."""
        return {one.location: one for one in self.document.cage_locations if one.is_in_use_on(day)}

    def retired_cage_locations_on(self, day: date) -> Mapping[str, CageLocation]:
        """Return the locations of the cage that are retired on a gaming day, by name.

        A location that a version omits is retired on the gaming day on which that version takes effect.
        """
        known = (*self.document.cage_locations, *self._left_out)
        return {one.location: one for one in known if one.is_retired_on(day)}

    @cached_property
    def _left_out(self) -> tuple[CageLocation, ...]:
        """The cage locations that only earlier versions list, each retired at the latest by the one that omits it."""
        found: dict[str, CageLocation] = {}
        for before, version in pairwise((*self.earlier, self.document)):
            named = {one.location for one in version.cage_locations}
            day = self.gaming_day(version.effective_from)
            found |= {
                one.location: one.model_copy(update={"retired_on": min(day, one.retired_on or day)})
                for one in before.cage_locations
            }
            found = {name: one for name, one in found.items() if name not in named}
        return tuple(found.values())

    def rating_terms(self, game: str, day: date) -> RatingTerms | None:
        """Return the terms for rating a game on a gaming day, or None if the property does not state terms."""
        found = (terms for named in self.document.rated_games if named.game == game for terms in named.terms)
        return next((terms for terms in found if terms.is_of(day)), None)

    def table_on(self, name: str, day: date) -> PropertyTable | None:
        """Return a table as of a gaming day, or None if it is not in use."""
        return self._table(name, day)

    def ever_had_table(self, name: str) -> bool:
        """Return whether any version lists a table, in use or not."""
        versions = (*self.earlier, self.document, *self.later)
        return any(table.table == name for version in versions for table in version.tables)

    def why_no_pieces(self, contents: Iterable[Pieces], day: date) -> str | None:
        """Return why some of the pieces are not in use on a gaming day, and which are, or None if all are in use.

        A property that does not name its chip sets accepts all pieces.
        """
        known = self._pieces(day)
        other = None if known is None else next((one for one in contents if (one.kind, one.cents) not in known), None)
        if known is None or other is None:
            return None
        allowed = ", ".join(f"{kind} {amount(cents)}" for kind, cents in sorted(known)) or "none"
        return (
            f"a {other.kind} of {amount(other.cents)}: {self.document.property} has none in use on {day}; it has "
            f"{allowed} ('chip_sets' of its version {self.document.version})"
        )

    def _pieces(self, day: date) -> frozenset[tuple[PieceKind, int]] | None:
        """Return the kinds and denominations in use on a gaming day; None if the property does not list them."""
        sets = self.document.chip_sets
        if sets is None:
            return None
        if day not in self._pieces_on:
            used = [one for one in sets if one.is_in_use_on(day)]
            self._pieces_on.clear()  # one day is cached: the next call is mostly for the same day
            self._pieces_on[day] = frozenset((one.kind, cents) for one in used for cents in one.denominations_cents)
        return self._pieces_on[day]

    @cached_property
    def _pieces_on(self) -> dict[date, frozenset[tuple[PieceKind, int]]]:
        return {}

    def why_no_table(self, name: str, day: date) -> str | None:
        """Return why a table is not in use on a gaming day, naming the document to file, or None if it is in use."""
        if self._table(name, day) is not None:
            return None
        here = self.document.property
        if name not in self._tables:
            return (
                f"table {name!r} is not among the tables of {here} (version {self.document.version}): file and "
                "approve a version of the property that has it"
            )
        first = self._tables[name][0]
        until = "" if first.retired_on is None else f" and retired on {first.retired_on}"
        return (
            f"table {name!r} of {here} was opened on {first.opened_on}{until}; on {day} it is not there: file and "
            "approve a version of the property that says when it is"
        )

    def why_no_seat(self, name: str, day: date, seat: int) -> str | None:
        """Return why a seat number does not exist at a table on a gaming day, or None if it exists."""
        positions = self.table(name, day).positions
        if seat <= positions:
            return None
        version = f"version {self.document.version} of {self.document.property}"
        return f"there is no seat {seat} at {name}: it has {positions} 'positions' ({version})"

    def _table(self, name: str, day: date) -> PropertyTable | None:
        return next((table for table in self._tables.get(name, ()) if table.is_open_on(day)), None)

    def is_day(self, claimed: date, moment: datetime, *, margin: timedelta = timedelta()) -> bool:
        """Return whether a moment lies in the claimed gaming day, or within `margin` of it."""
        if not margin:
            return self.gaming_day(moment) == claimed
        return self.gaming_day(moment - margin) <= claimed <= self.gaming_day(moment + margin)

    def day_of(self, claimed: date, moment: datetime, *, margin: timedelta = timedelta()) -> date:
        """Return the gaming day to record for an event; within `margin` of its boundary the claimed day is accepted.

        Raises: Refused if the claimed day is wrong and the property refuses such events (`other_gaming_day`).
        """
        if self.is_day(claimed, moment, margin=margin):
            return claimed
        if self.document.other_gaming_day == "refuse":
            raise Refused(self.other_day(claimed, moment))
        return self.gaming_day(moment)

    def other_day(self, claimed: date, moment: datetime) -> str:
        """Return the message that a moment lies in a different gaming day from the claimed one."""
        return (
            f"'gaming_day' {claimed}: {self.clock_text(moment)} is in gaming day "
            f"{self.gaming_day(moment)} of {self.document.property}, which begins at "
            f"{self.document.gaming_day_begins:%H:%M} in {self.document.time_zone}"
        )

    def existed_on(self, day: date) -> bool:
        """Return whether this version takes effect before the end of a gaming day."""
        return self.document.effective_from < self.begins_at(day + timedelta(days=1))

    @property
    def pit_margin(self) -> timedelta:
        """Return the maximum time by which a pit event may lie outside its gaming day."""
        return timedelta(minutes=self.document.plausibility.boundary_minutes)

    def limit_cents(self, name: MoneyLimit, day: date) -> int:
        """Return a limit on a gaming day: the lower of the property's own and the pack's."""
        own: int | None = getattr(self.document.limits, name)
        allowed: int = getattr(self.law.limits, name).on(day).value
        return allowed if own is None else min(own, allowed)


class _Days:
    """The gaming days of a property; the last one is cached because the next moment usually lies in it."""

    def __init__(self, place: PropertySnapshot) -> None:
        self._place = place
        self._last = (datetime.max.replace(tzinfo=UTC),) * 2 + (date.max,)

    def day_of(self, moment: datetime) -> date:
        begins, ends, day = self._last
        if not begins <= moment < ends:
            place = self._place
            day = gaming_day(moment, place.zone, place.document.gaming_day_begins)
            self._last = place.begins_at(day), place.begins_at(day + timedelta(days=1)), day
        return day


class OfPit(Protocol):
    """The fields of every pit event that name its table and gaming day."""

    @property
    def table(self) -> str:
        """Return the table."""

    @property
    def gaming_day(self) -> date:
        """Return the gaming day that the event claims."""

    @property
    def property(self) -> str:
        """Return the property."""


PropertyLookup = Callable[[str, datetime], PropertySnapshot | None]
"""(property, moment) -> the property at that moment; None if no version is in effect."""


def place_at(places: PropertyLookup, name: str, moment: datetime) -> PropertySnapshot:
    """Return a property as of a moment. Raises: Refused, naming the document to file, if no version is in effect."""
    found = places(name, moment)
    if found is None:
        raise Refused(f"{why_no_place(name, moment)}, then replay this record")
    return found


def in_pit(places: PropertyLookup, said: OfPit, moment: datetime) -> tuple[PropertySnapshot, date]:
    """Return the property of a pit event, and its gaming day.

    Raises: Refused if property or table is unknown, or if the claimed gaming day is wrong and the property refuses such
    events.
    """
    place = place_at(places, said.property, moment)
    day = place.day_of(said.gaming_day, moment, margin=place.pit_margin)
    place.table(said.table, day)
    return place, day


def place_of_day(versions: Iterable[PropertySnapshot], day: date) -> PropertySnapshot | None:
    """Return a property as of the beginning of a gaming day, or None if it did not exist.

    The first version counts for the whole gaming day in which it takes effect, and also for the previous day if it
    takes effect within the pit's margin after that day.
    """
    in_order = sorted(versions, key=lambda place: (place.document.effective_from, place.document.version))
    begun = [place for place in in_order if place.document.effective_from <= place.begins_at(day)]
    if begun:
        return begun[-1]
    following = day + timedelta(days=1)
    for place in in_order:
        if place.document.effective_from <= place.begins_at(following) + place.pit_margin:
            return place
    return None


def place_for_command(places: PropertyLookup, name: str, moment: datetime) -> PropertySnapshot:
    """Return a command's property as of a moment. Raises: Rejected, naming the document to file."""
    found = places(name, moment)
    if found is None:
        raise Rejected(Reason.NOT_FOUND, why_no_place(name, moment))
    return found


def happened(places: PropertyLookup, name: str, said: Happened, now: datetime) -> tuple[PropertySnapshot, datetime]:
    """Return the property as of the time of an entered action, and that time.

    The time is `now`, or an earlier `occurred_at` within the pit's margin (`boundary_minutes`). Raises: Rejected if
    `occurred_at` is in the future or before that margin, or if no version of the property was in effect.
    """
    place, at = place_for_command(places, name, now), said.occurred_at
    if at is None:
        return place, now
    if at > now:
        raise Rejected(Reason.TOO_EARLY, f"'occurred_at' {place.clock_text(at)} has not come yet")
    if at < now - place.pit_margin:
        minutes = place.document.plausibility.boundary_minutes
        detail = (
            f"'occurred_at' {place.clock_text(at)} is more than {minutes} minutes ago ('boundary_minutes' of {name})"
        )
        then, today = place.gaming_day(at), place.gaming_day(now)
        other = "" if then == today else f"; it is booked to the gaming day {today} then, and not to {then}"
        raise Rejected(Reason.TOO_LATE, f"{detail}: enter it as of now, and adjust what that makes wrong{other}")
    return place_for_command(places, name, at), at


def why_no_place(name: str, moment: datetime) -> str:
    """Return the message that no version of a property is in effect at a moment and that one must be filed."""
    return (
        f"no approved version of property {name!r} is in effect at {moment.astimezone(UTC).isoformat()}: file and "
        "approve a property document (pitledger property file)"
    )
