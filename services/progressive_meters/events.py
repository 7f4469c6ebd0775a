"""What the meters read of a settlement event: round, totals, awards, readings.

The contract is shared/contracts/settlement_events.py; what the meters do not look at is passed over, which spares most
of the decoding and lets the publisher add fields.
"""

from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from shared.contracts.settlement_events import EntryEvent, SettledRound, SubmissionRef, WagerTotal
from shared.contracts.table_events import Correction
from shared.rules.errors import refused_by_validation

PUBLISHER = "round-settlement"
"""The service whose journal is on the topic."""

_PASS_OVER = ConfigDict(extra="ignore", frozen=True)

DataT = TypeVar("DataT", bound=BaseModel)


class Figures(WagerTotal):
    """What a round did on one wager type, in cents."""

    model_config = _PASS_OVER


class SettledLine(BaseModel):
    """As much of a settlement line as meters need, cents."""

    model_config = _PASS_OVER

    seat: int
    wager: str
    outcome: str
    stake: int = 0
    category: str | None = None
    from_meter: int = 0


class RecordedMeters(BaseModel):
    """What the record of the round says that the meters showed before it, cents."""

    model_config = _PASS_OVER

    meters: dict[str, int] = {}


class PostedRound(SettledRound):
    """A round whose money was posted."""

    model_config = _PASS_OVER

    opened_at: AwareDatetime
    closed_at: AwareDatetime
    submission: SubmissionRef
    revision: int
    totals: tuple[Figures, ...]
    lines: tuple[SettledLine, ...]
    meters: dict[str, int]
    record: RecordedMeters


class Explained(Correction):
    """Why a round changed, and who stands for it."""

    model_config = _PASS_OVER


class ReversedRound(SettledRound):
    """A round whose money was taken back."""

    model_config = _PASS_OVER

    revision: int
    submission: SubmissionRef | None = None
    correction: Explained
    totals: tuple[Figures, ...]


class Other(BaseModel):
    """What moves no meter: gaps, refused records, rounds that were never posted."""

    model_config = _PASS_OVER


class EntryOfPublisher(EntryEvent[DataT], Generic[DataT]):
    """An entry of the publisher's journal."""

    source: Annotated[str, StringConstraints(pattern=rf"^/{PUBLISHER}/shards/[0-9]{{1,9}}$")]


class Posted(EntryOfPublisher[PostedRound]):
    """A round was settled."""

    type: Literal["settlement.posted"]


class Reversed(EntryOfPublisher[ReversedRound]):
    """A posted round was taken back."""

    type: Literal["settlement.reversed"]


class NoMoney(EntryOfPublisher[Other]):
    """Something that posted no money."""

    type: Literal[
        "settlement.superseded",
        "settlement.voided",
        "gap.opened",
        "gap.filled",
        "record.quarantined",
        "record.mended",
        "quarantine.dismissed",
    ]


SettlementEntry = Posted | Reversed | NoMoney

_adapter: TypeAdapter[SettlementEntry] = TypeAdapter(Annotated[SettlementEntry, Field(discriminator="type")])


def decode(raw: bytes) -> EntryOfPublisher[Any]:
    """The event in the bytes of a Kafka record. Raises: Refused."""
    try:
        return _adapter.validate_json(raw)
    except ValidationError as error:
        raise refused_by_validation(error, None) from error
