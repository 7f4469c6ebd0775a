"""The parts of a round record that all games share, the rules submission, and the case file."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Strict, Tag, ValidationError

from shared.rules.errors import refused_by_validation

MOST_CENTS: Final = 10**12
"""The maximum of any amount in a record, in cents: ten billion dollars."""

Cents = Annotated[int, Field(gt=0, le=MOST_CENTS)]
"""An amount that was wagered or selected: whole cents, more than 0."""

CentsOrNone = Annotated[int, Field(ge=0, le=MOST_CENTS)]
"""An amount that may be 0: whole cents."""

MeterCents = Annotated[int, Field(ge=0, le=MOST_CENTS)]
"""The reading of a progressive meter, whole cents."""

SeatNumber = Annotated[int, Field(ge=1, le=99)]
"""A betting position, numbered from 1 at the dealer's far left."""

Name = Annotated[str, Field(min_length=1, max_length=100)]
"""A short name."""

Rate = Annotated[str, Field(pattern=r"^(0(\.[0-9]{1,9})?|1(\.0{1,9})?)$")]
"""A share between 0 and 1 as a decimal string, such as `"0.20"`."""

# Documents arrive as lists (JSON, YAML); records have tuples, which are immutable.
Listed = Strict(False)

IrregularityCode = Literal[
    "misdeal",
    "cards_face_up",
    "dealer_card_exposed",
    "player_card_exposed",
    "wrong_starting_position",
    "deck_count_wrong",
    "shoe_malfunction",
    "hand_dead",
    "card_reader_exposed_hole",
    "abandoned",
    "stack_card_exposed",
]


class Record(BaseModel):
    """Base of record models: immutable, and without undeclared fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Irregularity(Record):
    """An irregularity of the round: its code, and the seat and number of cards if the code requires them."""

    code: IrregularityCode
    seat: SeatNumber | None = None
    count: Annotated[int, Field(ge=1, le=1000)] | None = None
    after_initial_deal: bool | None = None


class Meter(Record):
    """The terms of a progressive meter: the shares of each wager, and the initial and reset amount in cents."""

    rate: Rate
    reset: Cents
    reserve_rate: Rate | None = None


class OfferedWager(BaseModel):
    """The licensee's selections for one optional wager.

    Fields other than `paytable` and `meter` are options of the wager, which the regulation's catalogue names.
    """

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)
    __pydantic_extra__: dict[str, bool | int | str]

    paytable: Name | None = None
    meter: Meter | None = None

    @property
    def options(self) -> Mapping[str, bool | int | str]:
        """Return the options of this wager in the submission, by name."""
        return self.__pydantic_extra__


class BetLimits(Record):
    """The minimum and maximum of a wager, in cents."""

    least: Cents | None = None
    most: Cents | None = None


class Submission(Record):
    """The licensee's selections in its rules submission for one game.

    `bets` has the minimum and maximum of wagers, which may determine the least permitted payout limit.
    """

    decks: Annotated[int, Field(ge=1, le=99)] | None = None
    wagers: Annotated[dict[Name, OfferedWager], Field(max_length=100)] = {}
    options: Annotated[dict[Name, bool | int | str], Field(max_length=100)] = {}
    payout_limit: Cents | None = None
    bets: Annotated[dict[Name, BetLimits], Field(max_length=100)] | None = None


class Seat(Record):
    """A betting position with wagers: its number, its player, and cents by wager type; each game adds fields."""

    seat: SeatNumber
    player: Name
    wagers: dict[Any, Cents]


SeatT = TypeVar("SeatT", bound=Seat)

Seats = Annotated[tuple[SeatT, ...], Listed, Field(min_length=1, max_length=99)]
"""The seats of a round, at least one."""


class Round(Record):
    """The parts of a round's record that all games share; each game adds the contents of its seats, and its dealer."""

    seats: Seats[Seat]
    meters: Annotated[dict[Name, MeterCents], Field(max_length=20)] = {}
    irregularities: Annotated[tuple[Irregularity, ...], Listed, Field(max_length=50)] = ()


class ExpectedMeter(Record):
    """The expected display of a meter after the round of a case, in cents."""

    meter: Name
    after: MeterCents


class ExpectedLine(Record):
    """A settlement line that a case requires; only its stated fields are compared."""

    seat: Annotated[int, Field(ge=0, le=99)]
    wager: Name
    hand: int | None = None
    outcome: Literal["win", "lose", "push", "void", "surrender"] | None = None
    category: str | None = None
    stake: CentsOrNone | None = None
    payout: int | None = None
    stake_returned: CentsOrNone | None = None
    vigorish: CentsOrNone | None = None
    from_meter: CentsOrNone | None = None
    paid_by: Literal["house", "bank"] | None = None
    house_share: int | None = None
    paragraph: str | None = None


def _kind_of_expectation(entry: object) -> str:
    return "meter" if isinstance(entry, ExpectedMeter) or (isinstance(entry, dict) and "meter" in entry) else "line"


Expected = Annotated[
    Annotated[ExpectedMeter, Tag("meter")] | Annotated[ExpectedLine, Tag("line")], Discriminator(_kind_of_expectation)
]


class CaseFile(Record):
    """A case of a case file: a round record, and the settlement lines or the refusal that the regulation requires."""

    id: Name
    title: Annotated[str, Field(max_length=1000)] = ""
    cites: Annotated[tuple[str, ...], Listed, Field(max_length=100)] = ()
    regulation: Name
    submission: dict[str, Any] = {}
    round: dict[str, Any]
    expect: Annotated[tuple[Expected, ...], Listed, Field(max_length=1000)] | None = None
    error: str | None = None
    notes: str | None = None


def parse_submission(raw: object) -> Submission:
    """Return the rules submission in a document; raise `Refused` if it is malformed."""
    try:
        return Submission.model_validate(raw)
    except ValidationError as error:
        raise refused_by_validation(error, raw) from None


def parse_cases(raw: object) -> tuple[CaseFile, ...]:
    """Return the cases in a case file, which has one case or a list; raise `Refused` if it is malformed."""
    documents = raw if isinstance(raw, list) else [raw]
    try:
        return tuple(CaseFile.model_validate(document) for document in documents)
    except ValidationError as error:
        raise refused_by_validation(error, raw) from None
