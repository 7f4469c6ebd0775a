"""What the accounts read of a settlement event: the round, its revision, and what it does on electronic accounts.

The contract is shared/contracts/settlement_events.py; the rest of it, cards and lines above all, is passed over.
"""

from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from shared.contracts.envelope import Event
from shared.contracts.settlements import AccountCredit, SettledRound
from shared.rules.errors import refused_by_validation

DataT = TypeVar("DataT", bound=BaseModel)

_PASS_OVER = ConfigDict(extra="ignore", frozen=True)


class Credit(AccountCredit):
    """What a wager did on an account, cents; negative where it is taken back."""

    model_config = _PASS_OVER


class RoundResult(SettledRound):
    """A round whose money was posted, or taken back."""

    model_config = _PASS_OVER

    revision: int
    account_credits: tuple[Credit, ...] = ()


class VoidRound(SettledRound):
    """A round that was voided before it was posted, or of which an event came too late to count."""

    model_config = _PASS_OVER


class Nothing(BaseModel):
    """What is of no concern here."""

    model_config = _PASS_OVER


class SettlementEntry(Event[DataT], Generic[DataT]):
    """An entry of the journal of round settlement."""

    source: Annotated[str, StringConstraints(pattern=r"^/round-settlement/shards/[0-9]{1,9}$")]


class Posted(SettlementEntry[RoundResult]):
    """A round was settled."""

    type: Literal["settlement.posted"]


class Reversed(SettlementEntry[RoundResult]):
    """A posted round was taken back."""

    type: Literal["settlement.reversed"]


class Voided(SettlementEntry[VoidRound]):
    """A round was voided before it was posted."""

    type: Literal["settlement.voided"]


class Other(SettlementEntry[Nothing]):
    """An entry that does nothing on accounts."""

    type: Literal[
        "settlement.superseded",
        "gap.opened",
        "gap.filled",
        "record.quarantined",
        "record.mended",
        "quarantine.dismissed",
    ]


RoundEntry = Posted | Reversed | Voided

_adapter: TypeAdapter[RoundEntry | Other] = TypeAdapter(Annotated[RoundEntry | Other, Field(discriminator="type")])


def decode(raw: bytes) -> RoundEntry | Other:
    """The event in the bytes of a Kafka record. Raises: Refused."""
    try:
        return _adapter.validate_json(raw)
    except ValidationError as error:
        raise refused_by_validation(error, None) from error
