"""A property: what a casino is to the services, as a document in versions that takes two people.

It names its law (jurisdiction packs), its clock, its pits, tables and devices, its shifts, and who works there.
"""

import re
from datetime import date, time
from typing import Annotated, Final, Literal, Self

from pydantic import AwareDatetime, BeforeValidator, Field, StringConstraints, WithJsonSchema, model_validator

from shared.contracts.chips import PieceKind
from shared.contracts.devices import Signing, SigningSystem
from shared.contracts.envelope import Contract, Name, Payback, Person
from shared.contracts.facts import Fact, fact
from shared.contracts.rounds import Cents
from shared.contracts.topics import PROPERTIES
from shared.contracts.versions import Approved, Filed, Returned, version_hash

Label = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,128}$", strip_whitespace=True)]
"""What something is called, in words or by a number that others gave."""


_CLOCK_TIME: Final = r"^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?$"


def _on_a_clock(value: object) -> object:
    """Return what is written as a time. Raises: ValueError for a number or another clock, which say no time here."""
    if isinstance(value, int | float) or (isinstance(value, str) and re.search(_CLOCK_TIME, value) is None):
        raise ValueError(f"{value!r} is not a time of the day; write it like 06:00, in YAML in quotes")
    return value


ClockTime = Annotated[
    time, BeforeValidator(_on_a_clock), WithJsonSchema({"type": "string", "pattern": _CLOCK_TIME})
]  # JSON Schema's own `time` has an offset
"""A time on the property's own clock."""

PackId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=64)]
"""The name of a jurisdiction pack, such as `us-pa`."""

RoleName = Annotated[str, StringConstraints(pattern=r"^[a-z]+(\.[a-z]+)+$", max_length=64)]
"""The name of a role, as the services declare it."""


class Device(Signing):
    """A device at a table. With keys it speaks for that table."""

    kind: Annotated[str, Field(description="what it is: shuffler, shoe, terminal, display")] = "shuffler"
    asset_number: Label
    serial_number: Label | None = None


class PropertyTable(Contract):
    """A table: `game` is the licensee's name of what it offers, as submissions call it.

    It is open on the gaming days from `opened_on` up to but not including `retired_on`. `progressive_links` names the
    progressive pools that it feeds. At a `non_banking` table players play against each other: its revenue is the rake.
    `minimum_cents` is the least wager that its sign usually shows.
    """

    table: Name
    asset_number: Label
    game: Name
    pit: Name
    positions: Annotated[int, Field(ge=1, le=12)]
    location: Label
    minimum_cents: Cents | None = None
    fully_automated: bool = False
    non_banking: bool = False
    progressive_links: tuple[Name, ...] = Field(default=(), max_length=100)
    devices: tuple[Device, ...] = Field(default=(), max_length=100)
    opened_on: date
    retired_on: date | None = None

    @model_validator(mode="after")
    def _of_one_class(self) -> Self:
        if self.fully_automated and self.non_banking:
            raise ValueError("a table is 'fully_automated' or 'non_banking', not both: say which class its revenue is")
        return self

    @property
    def revenue_class(self) -> Literal["banking", "non_banking", "fully_automated"]:
        """Return the class of revenue that it makes, as jurisdiction packs name them."""
        if self.fully_automated:
            return "fully_automated"
        return "non_banking" if self.non_banking else "banking"

    def is_open_on(self, day: date) -> bool:
        """Return whether the table is there on a gaming day."""
        return self.opened_on <= day and (self.retired_on is None or day < self.retired_on)


class Shift(Contract):
    """A shift, and the time on the property's clock at which it begins."""

    shift: Name
    begins: ClockTime


class ChipSet(Contract):
    """Chips, coins or plaques of value that a property has, cents each.

    They may lie on its tables on the gaming days from `in_use_from` up to but not including `retired_on`.
    """

    chip_set: Name
    kind: PieceKind = "chip"
    denominations_cents: tuple[Cents, ...] = Field(min_length=1, max_length=64)
    in_use_from: date
    retired_on: date | None = None

    def is_in_use_on(self, day: date) -> bool:
        """Return whether its chips may lie on a table on a gaming day."""
        return self.in_use_from <= day and (self.retired_on is None or day < self.retired_on)


class PropertyLimits(Contract):
    """Limits of the property's own, within what the packs allow; without one the pack's holds."""

    variance_report_cents: Cents | None = None
    variance_authority_cents: Cents | None = None
    adjustment_listed_cents: Cents | None = None


class PaybackFloor(Contract):
    """The least that wagers should pay back, percent: one `wager`, those of a `game` as submissions name it, or all."""

    payback: Payback
    game: Name | None = None
    wager: Name | None = None


class Plausibility(Contract):
    """What no event of this property can say: where one does, something is wrong with it, and it is quarantined.

    A round takes at most `round_minutes_max`, and no wager is above `wager_max_cents`, where they are given. What the
    pit reports of a gaming day (openers before it begins, closers and drops after it ends) lies at most
    `boundary_minutes` outside it. No moment of an event lies more than `ahead_minutes_max` after its receipt, or more
    than `age_days_max` before it; and no event leaves more than `sequence_jump_max` out that were before it.
    """

    round_minutes_max: Annotated[int, Field(ge=1, le=1440)] | None = None
    wager_max_cents: Cents | None = None
    boundary_minutes: Annotated[int, Field(ge=0, le=720)] = 240
    ahead_minutes_max: Annotated[int, Field(ge=1, le=1440)] = 15
    age_days_max: Annotated[int, Field(ge=1, le=36_500)] = 35
    sequence_jump_max: Annotated[int, Field(ge=0, le=1_000_000)] = 10_000


class Member(Contract):
    """Somebody who works at the property, with the roles that the person has there."""

    person: Person
    roles: tuple[RoleName, ...] = Field(min_length=1, max_length=100)


class PropertyDocument(Contract):
    """One version of a property, in effect from a moment on.

    The gaming day begins at `gaming_day_begins` on the clock of `time_zone` (IANA). Where an event says another gaming
    day than its moment has, it is refused, or recorded under the day of its moment and flagged, as `other_gaming_day`
    says; one that is older than `age_days_max` is refused, or recorded and flagged, as `late_events` says.
    `table_games_since` is the first gaming day of table games at the facility, which may be long before this document;
    taxes of its first years are due only where it is given. Promotional money on accounts is wagered before other
    money, or after it, as `promotional_money_spent` says; a grant above `promotional_grant_cents_max` takes two people.
    `winnings_forms` says whether each reportable win has a form of its own, or all of a known patron on a gaming day
    have one. `winnings_reduced_by_wager` is the payer's choice where the law of a form leaves it one; without it, the
    pack says what holds. From `signatures_required_from` on, what is received of the tables must be signed by a device
    of the table, or by one of the `systems`. A rules submission that pays back less than one of the `payback_floors` is
    approved only with an override; of several, the one holds that names most: wager and game, wager, game. Where it
    names its `chip_sets`, nothing else is filled, credited, counted or sold at its tables.
    """

    property: Name
    title: Label
    packs: tuple[PackId, ...] = Field(min_length=1, max_length=10)
    license_class: Label
    time_zone: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_+/-]{1,64}$")]
    gaming_day_begins: ClockTime
    other_gaming_day: Literal["refuse", "flag"] = "refuse"
    late_events: Literal["refuse", "flag"] = "refuse"
    table_games_since: date | None = None
    pits: tuple[Name, ...] = Field(min_length=1, max_length=100)
    shifts: tuple[Shift, ...] = Field(min_length=1, max_length=12)
    tables: tuple[PropertyTable, ...] = Field(max_length=10_000)
    chip_sets: Annotated[tuple[ChipSet, ...], Field(min_length=1, max_length=50)] | None = None
    systems: tuple[SigningSystem, ...] = Field(default=(), max_length=100)
    signatures_required_from: AwareDatetime | None = None
    limits: PropertyLimits = PropertyLimits()
    payback_floors: tuple[PaybackFloor, ...] = Field(default=(), max_length=1000)
    plausibility: Plausibility = Plausibility()
    promotional_money_spent: Literal["first", "last"] = "first"
    promotional_grant_cents_max: Cents | None = None
    winnings_forms: Literal["each_win", "patron_day"] = "each_win"
    winnings_reduced_by_wager: bool | None = None
    account_dormant_days: Annotated[int, Field(ge=1, le=10_000)] | None = None
    people: tuple[Member, ...] = Field(default=(), max_length=10_000)
    effective_from: AwareDatetime

    def payback_floor(self, game: str, wager: str) -> str | None:
        """Return the least that a wager of a game should pay back, percent; None where nobody says."""
        holding = [one for one in self.payback_floors if one.game in (None, game) and one.wager in (None, wager)]
        most = max(holding, key=lambda one: (one.wager is not None, one.game is not None), default=None)
        return None if most is None else most.payback


_STREAM = "/properties/{property}/document/{version}"


@fact("property.filed", PROPERTIES, stream=_STREAM)
class PropertyFiled(Fact, PropertyDocument, Filed):
    """A version of a property was filed; it waits for somebody else's approval."""


@fact("property.approved", PROPERTIES, stream=_STREAM)
class PropertyApproved(PropertyFiled, Approved):
    """A version was approved: from `effective_from` on, the property is what it says."""


@fact("property.returned", PROPERTIES, stream=_STREAM)
class PropertyReturned(Fact, Returned):
    """A version was returned to who filed it; it never takes effect."""

    property: Name


def property_hash(wanted: PropertyDocument, version: int) -> str:
    """Return the hash of a version: that of the whole document and its number."""
    return version_hash(wanted, PropertyDocument, version)
