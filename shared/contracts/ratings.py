"""Ratings of patrons' play, as pit and casino management systems report them and table inventory records them.

A rating is an opinion about play, not money: no fact here posts anything. Amounts are cents. A rating is reported in
steps; each step is an event of the rating stream of the table where it is reported.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from itertools import permutations
from typing import Annotated, Final, Literal, NamedTuple, Self

from pydantic import AwareDatetime, Field, StringConstraints, model_validator

from shared.contracts.envelope import (
    Contract,
    Event,
    Identifier,
    Name,
    Patron,
    Person,
    Reason,
    WrittenDay,
    WrittenMoment,
    table_source,
)
from shared.contracts.facts import Fact, event, fact
from shared.contracts.inventory import Number
from shared.contracts.moments import EnteredLate
from shared.contracts.pit import Seat
from shared.contracts.properties import Label
from shared.contracts.rounds import Cents
from shared.contracts.topic_reader import Reader, Skipped
from shared.contracts.topics import RATING_EVENTS, RATINGS
from shared.rules.errors import Refused

CentsOrNone = Annotated[int, Field(strict=True, ge=0, le=10**12)]
"""Cents; 0 if no chips were bought in, brought along or taken along."""

StepName = Annotated[str, StringConstraints(pattern=r"^(desk|[A-Za-z0-9][A-Za-z0-9._-]{0,63})/[1-9][0-9]{0,9}$")]
"""A step of a rating: its table and its sequence in the rating stream there (`BJ-01/17`), or its number at the desk
(`desk/2`, the second step of the rating that was entered there).
"""

Ratio = Annotated[str, StringConstraints(pattern=r"^-?[0-9]{1,2000}(/[1-9][0-9]{0,1999})?$")]
"""An exact fraction, such as `95/2`."""

StepKind = Literal[
    "rating.opened",
    "rating.moved",
    "rating.paused",
    "rating.resumed",
    "rating.bet",
    "rating.bought_in",
    "rating.closed",
    "rating.amended",
]
"""The kinds of steps."""


class RatingEvent(Contract):
    """A step of a rating, reported by a person at a table. `rating` is the name that the rating got at its opening."""

    property: Name
    table: Name
    rating: Name
    by: Person


@event("rating.opened", RATING_EVENTS)
class OpenedRating(RatingEvent):
    """A patron, by reference, began to play at a table, with chips brought along and chips bought there."""

    patron: Patron
    seat: Seat | None = None
    average_bet_cents: Cents | None = None
    buy_in_cents: CentsOrNone = 0
    chips_in_cents: CentsOrNone = 0


@event("rating.moved", RATING_EVENTS)
class MovedRating(RatingEvent):
    """The patron moved to this table, or to another seat at this table."""

    seat: Seat | None = None


@event("rating.paused", RATING_EVENTS)
class PausedRating(RatingEvent):
    """The patron stopped playing for a while; the time until the rating is resumed does not count."""


@event("rating.resumed", RATING_EVENTS)
class ResumedRating(RatingEvent):
    """The patron resumed play after a pause."""


@event("rating.bet", RATING_EVENTS)
class StatedBet(RatingEvent):
    """The patron's average bet from now on, as observed. The first stated bet also applies to the time before it."""

    average_bet_cents: Cents


@event("rating.bought_in", RATING_EVENTS)
class BoughtIn(RatingEvent):
    """The patron bought more chips at the table."""

    buy_in_cents: Cents


@event("rating.closed", RATING_EVENTS)
class ClosedRating(RatingEvent):
    """The patron left, and took chips along."""

    chips_out_cents: CentsOrNone = 0


class RatingValues(Contract):
    """The values of a step: moment, table, seat, patron, money. An amendment has only the values that change."""

    at: WrittenMoment | None = None
    table: Name | None = None
    seat: Seat | None = None
    patron: Patron | None = None
    average_bet_cents: Cents | None = None
    buy_in_cents: CentsOrNone | None = None
    chips_in_cents: CentsOrNone | None = None
    chips_out_cents: CentsOrNone | None = None


OF_STEP: Final[dict[StepKind, frozenset[str]]] = {
    "rating.opened": frozenset({"table", "seat", "patron", "average_bet_cents", "buy_in_cents", "chips_in_cents"}),
    "rating.moved": frozenset({"table", "seat"}),
    "rating.paused": frozenset(),
    "rating.resumed": frozenset(),
    "rating.bet": frozenset({"average_bet_cents"}),
    "rating.bought_in": frozenset({"buy_in_cents"}),
    "rating.closed": frozenset({"chips_out_cents"}),
}
"""Kind of step -> the values that it may have besides its moment."""


TAKE_A_SEAT: Final[frozenset[StepKind]] = frozenset({"rating.opened", "rating.moved", "rating.resumed"})
"""The kinds of steps that begin play at a table. All other kinds are accepted even after the table is retired."""


class StepAmendment(Contract):
    """The amendment of a wrong step: `instead` has the right values; it is None if the step did not happen.

    Only the latest amendment of a step counts. Values that it leaves out are those of the original step.
    """

    step: StepName
    instead: RatingValues | None = None
    reason: Reason

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.instead is not None and not self.instead.model_dump(exclude_none=True):
            raise ValueError("'instead' changes nothing: give the values that are right, or leave it out for a void")
        return self


@event("rating.amended", RATING_EVENTS)
class AmendedRating(RatingEvent, StepAmendment):
    """A wrong step of a rating is replaced or voided."""


STEPS: Final = (
    *(OpenedRating, MovedRating, PausedRating, ResumedRating),
    *(StatedBet, BoughtIn, ClosedRating, AmendedRating),
)
"""The data models of all rating events."""


def rating_source(property_name: str, table: str) -> str:
    """Return the rating stream of a table: CloudEvents source and Kafka key of the ratings made there."""
    return f"{table_source(property_name, table)}/ratings"


class RatingReader(Reader):
    """Reads rating events, whose source must be the rating stream of their table."""

    def decode(self, raw: bytes) -> Event[RatingEvent]:
        """Return the event in the bytes of a record. Raises: Refused."""
        found = super().decode(raw)
        if not isinstance(found.data, Skipped):
            source = rating_source(found.data.property, found.data.table)
            if found.source != source:
                raise Refused(f"'source' is {found.source!r}; what is rated at this table comes from {source!r}")
        return found


@fact("rating.recorded", RATINGS, stream="/properties/{property}/ratings/{rating}")
class RatingRecorded(Fact, EnteredLate):
    """A step of a rating was recorded, on the gaming day of its moment.

    `event` is the kind of the step, `step` its name and `values` its content. An amendment names the wrong step in
    `amends`, and has the `reason` and the right values; it has no values if that step did not happen. `device_key` is
    the id of the key with which a device of the table signed the step.
    """

    property: Name
    table: Name
    rating: Name
    event: StepKind
    step: StepName
    at: AwareDatetime
    gaming_day: WrittenDay
    by: Person
    values: RatingValues | None = None
    amends: StepName | None = None
    reason: Reason | None = None
    device_key: Identifier | None = None


class RatedDecisions(Contract):
    """The number of decisions in a span: its settled `rounds`, or an estimate from the property's decisions an hour.

    `number` is exact. `an_hour` is the number of decisions an hour that the property states, with its `source`.
    """

    basis: Literal["rounds", "stated"]
    number: Ratio
    rounds: Annotated[int, Field(ge=0)] | None = None
    an_hour: Annotated[int, Field(ge=1)] | None = None
    source: Label | None = None


class RatedEdge(Contract):
    """The house edge of a span: from the rules submission of the table, or as the property states it.

    A submission's edge is that of the `wager` that all players make, including the stakes that optimal decisions add to
    the wager. `counted` is the method: exact, by a model of the cards, or from a sample of hands. `version` is the
    version of the submission, and `submission` its hash.
    """

    basis: Literal["submission", "stated"]
    house_edge: Ratio
    wager: Name | None = None
    counted: Literal["exact", "model", "sample"] | None = None
    version: Annotated[int, Field(ge=1)] | None = None
    submission: str | None = None
    source: Label | None = None


class SeatTie(Contract):
    """A device of the table tied the seat to the patron: all wagers at the seat are the patron's.

    `device_key` is the id of the key that signed the tying step, and `since` the moment of that step. The next tie of
    the seat ends this one.
    """

    device_key: Identifier
    since: AwareDatetime


class RatedSpan(Contract):
    """A time of uninterrupted play at one table, in one seat, with one average bet.

    In `RatingStated`, a span also lies in one gaming day and, if rounds are settled, under one rules submission.
    `theoretical_win_cents` is exactly average bet x decisions x house edge, where all three are known. `tie` is None
    if a person, not a device, reported who sat in the seat.
    """

    table: Name
    game: Name | None = None
    seat: Seat | None = None
    tie: SeatTie | None = None
    begins: AwareDatetime
    ends: AwareDatetime
    average_bet_cents: Cents | None = None
    decisions: RatedDecisions | None = None
    edge: RatedEdge | None = None
    theoretical_win_cents: Ratio | None = None

    @property
    def seconds(self) -> Fraction:
        """Return the exact duration of the span in seconds."""
        took = self.ends - self.begins
        return Fraction(took.days * 86_400 + took.seconds) + Fraction(took.microseconds, 1_000_000)


RatingProblem = Literal[
    "not_opened",
    "opened_twice",
    "outside",
    "paused_twice",
    "not_paused",
    "amends_nothing",
    "overruled",
    "no_property",
    "no_bet",
    "no_table",
    "no_decisions",
    "no_edge",
]
"""A problem of a rating: steps that contradict each other, or an unknown part of its theoretical win."""


@fact("rating.stated", RATINGS)
class RatingStated(Fact):
    """A closed rating with its theoretical win, according to all records so far.

    When later records change the rating, the fact is recorded again as the next `revision`; the last revision counts. A
    revision without `closed_at` withdraws the earlier ones, because the rating was not closed after all, or never
    opened. `seconds` excludes pauses. `average_bet_cents` is weighted by time. Average bet and theoretical win are
    each rounded once, half to even, from the exact sum over the spans.
    """

    property: Name
    rating: Name
    revision: Number
    gaming_day: WrittenDay
    patron: Patron | None = None
    table: Name | None = None
    opened_at: AwareDatetime | None = None
    closed_at: AwareDatetime | None = None
    seconds: Annotated[int, Field(ge=0)] = 0
    buy_in_cents: CentsOrNone = 0
    chips_in_cents: CentsOrNone = 0
    chips_out_cents: CentsOrNone = 0
    average_bet_cents: Cents | None = None
    theoretical_win_cents: int | None = None
    spans: tuple[RatedSpan, ...] = ()
    problems: tuple[RatingProblem, ...] = ()


class RatingTime(NamedTuple):
    """The period in which a patron was rated; `closed_at` is None while the rating is open."""

    rating: str
    patron: str
    opened_at: datetime
    closed_at: datetime | None


def rated_at_once(ratings: Iterable[RatingTime]) -> Mapping[str, Sequence[str]]:
    """Return rating -> the other ratings of the same patron that were open at the same time, by name.

    >>> from datetime import UTC
    >>> noon, one, two = (datetime(2026, 11, 20, hour, tzinfo=UTC) for hour in (12, 13, 14))
    >>> first, second = RatingTime("pit-1", "P-7", noon, two), RatingTime("pit-2", "P-7", one, None)
    >>> rated_at_once([first, second, RatingTime("pit-3", "P-7", noon, one), RatingTime("pit-4", "P-8", noon, None)])
    {'pit-1': ['pit-2', 'pit-3'], 'pit-2': ['pit-1'], 'pit-3': ['pit-1']}
    """
    of_patron: dict[str, list[RatingTime]] = defaultdict(list)
    for each in ratings:
        of_patron[each.patron].append(each)
    found: dict[str, list[str]] = {}
    for rated in of_patron.values():
        for one, other in permutations(rated, 2):
            ends = one.closed_at is None or other.opened_at < one.closed_at
            if ends and (other.closed_at is None or one.opened_at < other.closed_at):
                found.setdefault(one.rating, []).append(other.rating)
    return {name: sorted(others) for name, others in sorted(found.items())}
