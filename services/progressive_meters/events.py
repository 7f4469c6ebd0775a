"""What the meters read of a settlement event: round, totals, awards, readings.

The contract is shared/contracts/settlement_events.py; what the meters do not look at is passed over, which spares most
of the decoding and lets the publisher add fields.
"""

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, Field, TypeAdapter, ValidationError

from shared.contracts.settlements import SettledRound, WagerTotal
from shared.contracts.settlement_reading import PASS_OVER, EntryOfPublisher, Explained, NoMoney, Under
from shared.rules.errors import refused_by_validation


class Figures(WagerTotal):
    """What a round did on one wager type, in cents."""

    model_config = PASS_OVER


class SettledLine(BaseModel):
    """As much of a settlement line as meters need, cents."""

    model_config = PASS_OVER

    seat: int
    wager: str
    outcome: str
    stake: int = 0
    category: str | None = None
    from_meter: int = 0


class RecordedMeters(BaseModel):
    """What the record of the round says that the meters showed before it, cents."""

    model_config = PASS_OVER

    meters: dict[str, int] = {}


class PostedRound(SettledRound):
    """A round whose money was posted."""

    model_config = PASS_OVER

    opened_at: AwareDatetime
    closed_at: AwareDatetime
    submission: Under
    revision: int
    totals: tuple[Figures, ...]
    lines: tuple[SettledLine, ...]
    meters: dict[str, int]
    record: RecordedMeters


class ReversedRound(SettledRound):
    """A round whose money was taken back."""

    model_config = PASS_OVER

    revision: int
    submission: Under | None = None
    correction: Explained
    totals: tuple[Figures, ...]


class Posted(EntryOfPublisher[PostedRound]):
    """A round was settled."""

    type: Literal["settlement.posted"]


class Reversed(EntryOfPublisher[ReversedRound]):
    """A posted round was taken back."""

    type: Literal["settlement.reversed"]


SettlementEntry = Posted | Reversed | NoMoney

_adapter: TypeAdapter[SettlementEntry] = TypeAdapter(Annotated[SettlementEntry, Field(discriminator="type")])


def decode(raw: bytes) -> EntryOfPublisher[Any]:
    """The event in the bytes of a Kafka record. Raises: Refused."""
    try:
        return _adapter.validate_json(raw)
    except ValidationError as error:
        raise refused_by_validation(error, None) from error
