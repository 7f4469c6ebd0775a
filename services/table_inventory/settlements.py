"""What the ledger reads of a settlement event: the round, its moment and the chips that it moved.

The contract is shared/contracts/settlement_events.py; the rest of it is passed over, so the publisher may add fields.
"""

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from shared.contracts.envelope import Event
from shared.contracts.settlements import SettledRound, WagerTotal
from shared.rules.errors import refused_by_validation

_PASS_OVER = ConfigDict(extra="ignore", frozen=True)


class Figures(WagerTotal):
    """What a round did on one wager type, cents."""

    model_config = _PASS_OVER

    banked_handle: int = 0
    banked_payout: int = 0
    bank_collected: int = 0
    bank_paid: int = 0

    @property
    def chips(self) -> int:
        """What came into the table inventory: meter awards by the attendant and electronic parts do not pass it.

        What a bank collects and pays does: the dealer takes and pays in chips for it.
        """
        house = self.handle + self.vigorish - (self.payout - self.meter_payout)
        bank = self.banked_handle - self.banked_payout + self.bank_collected - self.bank_paid
        return house + bank - (self.account_staked - self.account_credited)


class MovedRound(SettledRound):
    """A round that was posted, or (`reverses`) taken back."""

    model_config = _PASS_OVER

    revision: int
    closed_at: AwareDatetime | None = None
    reverses: int | None = None
    totals: tuple[Figures, ...]

    @property
    def chips(self) -> int:
        """The net flow of chips into the inventory, cents."""
        return sum(total.chips for total in self.totals)


class Passed(BaseModel):
    """What the ledger does not look into."""

    model_config = _PASS_OVER


_Source = Annotated[str, StringConstraints(pattern=r"^/round-settlement/shards/[0-9]{1,9}$")]


class MovedEvent(Event[MovedRound]):
    """A round that moved chips."""

    source: _Source
    type: Literal["settlement.posted", "settlement.reversed"]


class PassedEvent(Event[Passed]):
    """An entry of the settlement journal that moves no chips."""

    source: _Source
    type: Literal[
        "settlement.superseded",
        "settlement.voided",
        "gap.opened",
        "gap.filled",
        "record.quarantined",
        "record.mended",
        "quarantine.dismissed",
    ]


SettlementEntry = MovedEvent | PassedEvent

_adapter: TypeAdapter[SettlementEntry] = TypeAdapter(Annotated[SettlementEntry, Field(discriminator="type")])


def decode(raw: bytes) -> SettlementEntry:
    """The event in the bytes of a Kafka record. Raises: Refused."""
    try:
        return _adapter.validate_json(raw)
    except ValidationError as error:
        raise refused_by_validation(error, None) from error
