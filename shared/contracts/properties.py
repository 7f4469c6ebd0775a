"""A property: a casino as a versioned document; one person files a version, and another approves it.

The document has the property's jurisdiction packs, clock, pits, tables, devices, shifts and staff.
"""

import re
from datetime import date, time
from typing import Annotated, Final, Literal, Self

from pydantic import AwareDatetime, BeforeValidator, Field, StringConstraints, WithJsonSchema, model_validator

from shared.contracts.chips import PieceKind
from shared.contracts.devices import Signing, SigningSystem
from shared.contracts.envelope import Contract, Name, Payback, Person
from shared.contracts.facts import Fact, fact
from shared.contracts.rounds import SEATS_MAX, Cents
from shared.contracts.topics import PROPERTIES
from shared.contracts.versions import Approved, Filed, Returned, version_hash

Label = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,128}$", strip_whitespace=True)]
"""A label: words, or a number assigned by others."""


_CLOCK_TIME: Final = r"^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?$"


def _on_a_clock(value: object) -> object:
    """Accept a time of day. Raises: ValueError for a number or any other format."""
    if isinstance(value, int | float) or (isinstance(value, str) and re.search(_CLOCK_TIME, value) is None):
        raise ValueError(f"{value!r} is not a time of the day; write it like 06:00, in YAML in quotes")
    return value


ClockTime = Annotated[
    time, BeforeValidator(_on_a_clock), WithJsonSchema({"type": "string", "pattern": _CLOCK_TIME})
]  # JSON Schema's own `time` requires an offset
"""A time on the property's own clock."""

PackId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=64)]
"""The name of a jurisdiction pack, such as `us-pa`."""

RoleName = Annotated[str, StringConstraints(pattern=r"^[a-z]+(\.[a-z]+)+$", max_length=64)]
"""The name of a role as declared by a service."""


class Device(Signing):
    """A device at a table. With keys, it signs for that table."""

    kind: Annotated[str, Field(description="the kind of device: shuffler, shoe, terminal, display")] = "shuffler"
    asset_number: Label
    serial_number: Label | None = None


Play = Literal["rounds", "counted"]
"""How the win of a table is determined: from the rounds that it reports, or only from counts."""

Sales = Literal["each", "over", "none"]
"""The chip sales into its drop box that a table reports: all, only those over an amount, or none."""


class PropertyTable(Contract):
    """A table: `game` is the licensee's name of its game, as in submissions.

    It is in use on the gaming days from `opened_on` up to but not including `retired_on`. `progressive_links` names the
    progressive pools that it feeds. At a `non_banking` table players play against each other: its revenue is the rake.
    `minimum_cents` is the usual minimum wager on its sign. A table whose `play` is `counted` reports no rounds; its win
    is the amount that a count finds beyond the recorded movements. Only a counted table may leave out `sales`.
    """

    table: Name
    asset_number: Label
    game: Name
    pit: Name
    positions: Annotated[int, Field(ge=1, le=SEATS_MAX)]
    location: Label
    minimum_cents: Cents | None = None
    fully_automated: bool = False
    non_banking: bool = False
    play: Play = "rounds"
    sales: Sales = "each"
    progressive_links: tuple[Name, ...] = Field(default=(), max_length=100)
    devices: tuple[Device, ...] = Field(default=(), max_length=100)
    opened_on: date
    retired_on: date | None = None

    @model_validator(mode="after")
    def _of_one_class(self) -> Self:
        if self.fully_automated and self.non_banking:
            raise ValueError("a table is 'fully_automated' or 'non_banking', not both: say which class its revenue is")
        if self.play == "counted" and self.revenue_class != "banking":
            raise ValueError("the 'play' of a table that is 'fully_automated' or 'non_banking' is not 'counted'")
        if self.sales != "each" and self.play != "counted":
            raise ValueError(
                f"'sales' are {self.sales!r} only at a table whose 'play' is 'counted': beside its rounds, a table "
                "reports each sale"
            )
        return self

    @property
    def revenue_class(self) -> Literal["banking", "non_banking", "fully_automated"]:
        """Return the table's class of revenue, as named in jurisdiction packs."""
        if self.fully_automated:
            return "fully_automated"
        return "non_banking" if self.non_banking else "banking"

    def is_open_on(self, day: date) -> bool:
        """Return whether the table exists on a gaming day."""
        return self.opened_on <= day and (self.retired_on is None or day < self.retired_on)


class ExpectedHold(Contract):
    """The hold that a property expects of a game on the gaming days `first_day` to `last_day` (None: no end).

    `hold` is in percent of the drop. `source` is the origin of the figure, such as the property's own past years or
    figures that the regulator publishes.
    """

    hold: Payback
    source: Label
    first_day: date
    last_day: date | None = None

    def is_of(self, day: date) -> bool:
        """Return whether the hold is expected on a gaming day."""
        return self.first_day <= day and (self.last_day is None or day <= self.last_day)


class PropertyGame(Contract):
    """A game of counted tables, which has no catalogue: its name `game`, and its `kind`, such as craps or roulette."""

    game: Name
    kind: Name
    expected_holds: tuple[ExpectedHold, ...] = Field(default=(), max_length=100)


class RatingTerms(Contract):
    """The terms for rating a game on the gaming days `first_day` to `last_day` (None: no end).

    `decisions_an_hour` is the number of rounds that a patron plays in an hour, for tables without settled rounds.
    `house_edge`, in percent of the wager, applies if the table's rules submission has no exact house edge. `source` is
    the origin of both figures, such as the property's own study.
    """

    decisions_an_hour: Annotated[int, Field(ge=1, le=1000)]
    house_edge: Payback
    source: Label
    first_day: date
    last_day: date | None = None

    def is_of(self, day: date) -> bool:
        """Return whether the terms apply on a gaming day."""
        return self.first_day <= day and (self.last_day is None or day <= self.last_day)


class RatedGame(Contract):
    """A game by its name at the tables, with the terms for rating it."""

    game: Name
    terms: tuple[RatingTerms, ...] = Field(default=(), max_length=100)


class Shift(Contract):
    """A shift, and the time on the property's clock at which it begins."""

    shift: Name
    begins: ClockTime


class ChipSet(Contract):
    """A set of value chips, coins or plaques of a property, in the denominations `denominations_cents`.

    The set may be used at tables on the gaming days from `in_use_from` up to but not including `retired_on`.
    """

    chip_set: Name
    kind: PieceKind = "chip"
    denominations_cents: tuple[Cents, ...] = Field(min_length=1, max_length=64)
    in_use_from: date
    retired_on: date | None = None

    def is_in_use_on(self, day: date) -> bool:
        """Return whether the set's chips may be on a table on a gaming day."""
        return self.in_use_from <= day and not self.is_retired_on(day)

    def is_retired_on(self, day: date) -> bool:
        """Return whether the set is retired on a gaming day."""
        return self.retired_on is not None and self.retired_on <= day


class CageLocation(Contract):
    """A location of the cage where money, chips and paper are held and counted.

    It is in use on the gaming days from `opened_on` up to but not including `retired_on`. `imprest_cents` is the amount
    to which a drawer or a bank is restored at each change, if it has one.
    """

    location: Name
    kind: Literal["drawer", "main_bank", "chip_bank", "vault"]
    imprest_cents: Cents | None = None
    opened_on: date
    retired_on: date | None = None

    def is_in_use_on(self, day: date) -> bool:
        """Return whether the location takes money in on a gaming day."""
        return self.opened_on <= day and not self.is_retired_on(day)

    def is_retired_on(self, day: date) -> bool:
        """Return whether the location is retired on a gaming day; it may still hold something."""
        return self.retired_on is not None and self.retired_on <= day


class RevenueOfYear(Contract):
    """Revenue of a fiscal year that taxes or shares depend on, from a `source` such as an audited statement.

    `measure` is a name from the jurisdiction's pack; `fiscal_year` is the calendar year in which the fiscal year ends.
    """

    measure: Annotated[str, StringConstraints(pattern="^[a-z0-9]+(_[a-z0-9]+)*$", max_length=64)]
    fiscal_year: Annotated[int, Field(ge=1970, le=2999)]
    cents: Annotated[int, Field(strict=True, ge=-(10**15), le=10**15)]
    source: Label


class PropertyLimits(Contract):
    """The property's own limits. For each, the jurisdiction packs set the default, which is also the maximum."""

    variance_report_cents: Cents | None = None
    variance_authority_cents: Cents | None = None
    adjustment_listed_cents: Cents | None = None


class PaybackFloor(Contract):
    """The minimum payback of wagers, in percent: of one `wager`, of all wagers of a `game`, or of all wagers."""

    payback: Payback
    game: Name | None = None
    wager: Name | None = None


class Plausibility(Contract):
    """Plausibility limits: an event of this property that exceeds one is quarantined.

    A round takes at most `round_minutes_max`, and no wager is above `wager_max_cents`, if they are given. Pit events of
    a gaming day (openers before it begins, closers and drops after it ends) are at most `boundary_minutes` outside it.
    No moment in an event is more than `ahead_minutes_max` after its receipt, or more than `age_days_max` before it; and
    no event skips more than `sequence_jump_max` sequences.
    """

    round_minutes_max: Annotated[int, Field(ge=1, le=1440)] | None = None
    wager_max_cents: Cents | None = None
    boundary_minutes: Annotated[int, Field(ge=0, le=720)] = 240
    ahead_minutes_max: Annotated[int, Field(ge=1, le=1440)] = 15
    age_days_max: Annotated[int, Field(ge=1, le=36_500)] = 35
    sequence_jump_max: Annotated[int, Field(ge=0, le=1_000_000)] = 10_000


_Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,150}$", strip_whitespace=True)]


class Filer(Contract):
    """The filer of the property's reports to FinCEN, in the fields of the currency transaction report (FinCEN 112).

    The contact answers the agency's questions. `transmitter_control_code` is the code that FinCEN assigned to the
    transmitter, which is the casino itself unless `transmitter_name` is given. `state_tax_number` identifies the payer
    at the state's tax office, and `locality` is the name of the locality, if that has an income tax of its own.
    """

    legal_name: _Line
    trade_name: _Line | None = None
    ein: Annotated[str, StringConstraints(pattern="^[0-9]{9}$")]
    street: Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,100}$", strip_whitespace=True)]
    city: Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,50}$", strip_whitespace=True)]
    state_code: Annotated[str, StringConstraints(pattern="^[A-Z]{2}$")]
    postal_code: Annotated[str, StringConstraints(pattern="^[0-9]{5}([0-9]{4})?$")]
    institution: Literal["state_casino", "tribal_casino", "card_club"] = "state_casino"
    contact_name: _Line
    contact_phone: Annotated[str, StringConstraints(pattern="^[0-9]{10,16}$")]
    contact_extension: Annotated[str, StringConstraints(pattern="^[0-9]{1,6}$")] | None = None
    transmitter_name: _Line | None = None
    transmitter_control_code: Annotated[str, StringConstraints(pattern="^[A-Z0-9]{8}$")]
    state_tax_number: Annotated[str, StringConstraints(pattern="^[A-Za-z0-9-]{1,20}$")] | None = None
    locality: _Line | None = None


class TipsPool(Contract):
    """How dealers share the tips collected in a `day` or a `week`: by hours, each share rounded down to the cent.

    The remaining cents go one by one to the dealers whose shares lost the largest fraction of a cent, or to the dealers
    with the most hours; ties go to the first by name.
    """

    period: Literal["day", "week"]
    remainder: Literal["largest_fraction", "most_hours"] = "largest_fraction"


class Member(Contract):
    """A member of the property's staff, with that person's roles at the property."""

    person: Person
    roles: tuple[RoleName, ...] = Field(min_length=1, max_length=100)


AGEING_DAYS: Final = (7, 30, 90)
"""The last day of each age group of outstanding checks, in days, for a property that does not state its own."""


class CreditLineTier(Contract):
    """The approvals required for a credit limit up to `limit_cents_max`.

    `approvals` different people must approve it, and each of them must have one of the `roles` at the property.
    """

    limit_cents_max: Cents
    approvals: Annotated[int, Field(strict=True, ge=2, le=10)]
    roles: tuple[RoleName, ...] = Field(min_length=1, max_length=20)


class CreditLineRules(Contract):
    """The rules of credit lines: a limit above the last of the `tiers` cannot be approved.

    A person who requested, verified or approved a limit cannot prepare a counter check against it for `apart_days`.
    A temporary increase of a limit ends within `temporary_days` of the gaming day on which it is requested.
    Outstanding checks are reported by age, in days since issue: `ageing_days` are the last days of the age groups, and
    one more group is for older checks.
    """

    tiers: tuple[CreditLineTier, ...] = Field(min_length=1, max_length=20)
    apart_days: Annotated[int, Field(strict=True, ge=1, le=3650)] = 30
    temporary_days: Annotated[int, Field(strict=True, ge=1, le=366)] = 30
    ageing_days: tuple[Annotated[int, Field(strict=True, ge=0, le=3650)], ...] = Field(
        default=AGEING_DAYS, min_length=1, max_length=12
    )

    def tier(self, limit_cents: int) -> CreditLineTier | None:
        """Return the tier of a limit, or None if it is above all of them."""
        return next((one for one in self.tiers if limit_cents <= one.limit_cents_max), None)


class PropertyDocument(Contract):
    """One version of a property, in effect from a moment.

    Days and events: the gaming day begins at `gaming_day_begins` on the clock of `time_zone` (IANA). `other_gaming_day`
    decides whether an event whose gaming day differs from that of its moment is refused, or recorded under the day of
    its moment and flagged. `late_events` decides whether an event older than `age_days_max` is refused, or recorded and
    flagged. From `signatures_required_from` on, events of the tables must be signed by a device of the table or by one
    of the `systems`.

    Taxes and forms: `table_games_since` is the first gaming day of table games at the facility, which may be long
    before this document; taxes that apply to its first years are due only if it is given. `revenue_of_years` is the
    revenue of earlier years, if a tax or a share depends on it. `winnings_forms` decides whether each reportable win
    has a form of its own, or all wins of a known patron on a gaming day share one. Where the law leaves the choice to
    the payer, `winnings_reduced_by_wager` decides whether the wager is deducted from a reportable win; the pack has the
    default. `filer` files the currency transaction reports.

    Games: `games` are those of counted tables, with their expected holds; `rated_games` have the terms for rating
    patrons. A rules submission that pays back less than one of the `payback_floors` is approved only with an override.
    If several floors apply to a wager, the most specific counts: one for the wager in the game, then one for the wager,
    then one for the game.

    Chips, cage and patrons: if `chip_sets` are named, only their chips can be filled, credited, counted or sold at the
    tables. `cage_locations` are those besides `cage`, which every property has. `promotional_money_spent` decides
    whether promotional money on accounts is wagered before or after other money; a grant above
    `promotional_grant_cents_max` needs two people. If there are rules of `credit_lines`, a table issues only counter
    checks that were prepared against a patron's limit. `tips_pool` has the rules by which dealers share tips; without
    it, this system does not share tips.
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
    revenue_of_years: tuple[RevenueOfYear, ...] = Field(default=(), max_length=200)
    pits: tuple[Name, ...] = Field(min_length=1, max_length=100)
    shifts: tuple[Shift, ...] = Field(min_length=1, max_length=12)
    tables: tuple[PropertyTable, ...] = Field(max_length=10_000)
    games: tuple[PropertyGame, ...] = Field(default=(), max_length=1000)
    rated_games: tuple[RatedGame, ...] = Field(default=(), max_length=1000)
    chip_sets: Annotated[tuple[ChipSet, ...], Field(min_length=1, max_length=50)] | None = None
    cage_locations: tuple[CageLocation, ...] = Field(default=(), max_length=500)
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
    filer: Filer | None = None
    tips_pool: TipsPool | None = None
    credit_lines: CreditLineRules | None = None
    people: tuple[Member, ...] = Field(default=(), max_length=10_000)
    effective_from: AwareDatetime

    def payback_floor(self, game: str, wager: str) -> str | None:
        """Return the minimum payback of a wager of a game, in percent, or None."""
        holding = [one for one in self.payback_floors if one.game in (None, game) and one.wager in (None, wager)]
        most = max(holding, key=lambda one: (one.wager is not None, one.game is not None), default=None)
        return None if most is None else most.payback


_STREAM = "/properties/{property}/document/{version}"


@fact("property.filed", PROPERTIES, stream=_STREAM)
class PropertyFiled(Fact, PropertyDocument, Filed):
    """A version of a property was filed; it awaits another person's approval."""


@fact("property.approved", PROPERTIES, stream=_STREAM)
class PropertyApproved(PropertyFiled, Approved):
    """A version was approved; it is in effect from `effective_from`."""


@fact("property.returned", PROPERTIES, stream=_STREAM)
class PropertyReturned(Fact, Returned):
    """A version was returned to its filer; it never takes effect."""

    property: Name


def property_hash(wanted: PropertyDocument, version: int) -> str:
    """Return the hash of a version, over the whole document and its number."""
    return version_hash(wanted, PropertyDocument, version)
