"""What round settlement publishes on `settlements`: rounds posted and reversed, and what it could not post."""

from datetime import date
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AwareDatetime, BaseModel, Field, TypeAdapter, ValidationError

from shared.contracts.envelope import Contract, Event, Identifier, Name, Sequence, Source
from shared.contracts.submission_events import Digest
from shared.contracts.table_events import AccountFunding, Correction
from shared.rules.errors import refused_by_validation

TOPIC = "settlements"

DataT = TypeVar("DataT", bound=BaseModel)


class WagerTotal(Contract):
    """What a round did on one wager type, in cents; negative where a posting is taken back.

    `count` is 1 for a round with this wager, -1 where it is taken back. `handle` was wagered; `payout` is all that the
    players received, returned stakes and meter awards included; `meter_contribution` went onto a meter, `meter_payout`
    came off it and `meter_reset` restored it; `account_staked` and `account_credited` are the parts of handle and
    payout that were electronic.

    In a round that a player banks, `banked_handle` was wagered against the bank and `banked_payout` went back to those
    players; `bank_collected` was collected from the bank and `bank_paid` paid to it, both on the wager `bank`, whose
    `vigorish` is the bank's; `house_in_bank` is what the house won (below zero: lost) in it, by the dealer's wager and
    as co-bank. The casino's win on the wager, before meters, is handle + vigorish + house_in_bank - payout.
    """

    wager: Name
    count: int
    handle: int
    payout: int
    vigorish: int = 0
    meter_contribution: int = 0
    meter_payout: int = 0
    meter_reset: int = 0
    account_staked: int = 0
    account_credited: int = 0
    banked_handle: int = 0
    banked_payout: int = 0
    bank_collected: int = 0
    bank_paid: int = 0
    house_in_bank: int = 0


class AccountCredit(Contract):
    """What a wager that an electronic account funded did on that account, in cents; negative where it is taken back.

    `staked` was taken from the account, `credited` goes to it; both are 0 where the wager did not count. A share of a
    meter is never in `credited`.
    """

    account: Identifier
    seat: int
    wager: Name
    staked: int
    credited: int


class SubmissionRef(Contract):
    """The version of the rules submission under which a round settled."""

    version: int
    hash: Digest


class SettledRound(Contract):
    """The round that an entry is about."""

    property: Name
    table: Name
    game: Name
    gaming_day: date
    round_id: Identifier


class RoundNotice(Contract):
    """Something that settling found and that a person should know of: a dealer's hand that was set otherwise, say."""

    code: str
    seat: int | None = None
    paragraph: str
    detail: str


class SettlementPosted(SettledRound):
    """A round was settled and its money posted. `revision` is 1, and one more with each correction."""

    regulation: str
    opened_at: AwareDatetime
    closed_at: AwareDatetime
    dealer_id: str | None = None
    submission: SubmissionRef
    revision: Annotated[int, Field(ge=1)]
    correction: Correction | None = None
    totals: tuple[WagerTotal, ...]
    lines: tuple[dict[str, Any], ...]
    meters: dict[str, int]
    notices: tuple[RoundNotice, ...] = ()
    account_funded: tuple[AccountFunding, ...] = ()
    account_credits: tuple[AccountCredit, ...] = ()
    record: dict[str, Any]


class SettlementReversed(SettledRound):
    """The money of a posted round was taken back: it was voided, or is posted again as corrected.

    `reverses` is the sequence of the table event whose posting is taken back, `submission` the version under which it
    had settled; entries that were recorded before reversals named it have none.
    """

    revision: int
    reverses: Sequence
    submission: SubmissionRef | None = None
    correction: Correction
    totals: tuple[WagerTotal, ...]
    account_credits: tuple[AccountCredit, ...] = ()


class SettlementSuperseded(SettledRound):
    """An event about a round came after a later void or correction of it: it is kept, and moves no money."""

    record: dict[str, Any] | None = None
    correction: Correction | None = None


class SettlementVoided(SettledRound):
    """A round was voided before any record of it came: nothing was posted, nothing is taken back."""

    correction: Correction


class Gap(Contract):
    """Events of a stream that have not come."""

    source: Source
    first: Sequence
    last: Sequence


class GapFilled(Contract):
    """A missing event came late."""

    source: Source
    sequence: Sequence


class RecordQuarantined(Contract):
    """A record was refused; its bytes are in quarantine."""

    topic: str
    partition: int
    offset: int
    source: Source | None
    sequence: Sequence | None
    reason: str


class EntryPlace(Contract):
    """The place of an entry in its journal."""

    shard: int
    seq: int


class RecordMended(Contract):
    """Records in quarantine were replaced by one that could be posted.

    `entries` are the `record.quarantined` entries that it closes, in the order of their numbers in `quarantine`.
    """

    source: Source
    sequence: Sequence
    quarantine: tuple[int, ...]
    entries: tuple[EntryPlace, ...]
    by: str | None
    reason: str | None


class QuarantineDismissed(Contract):
    """A refused record can never be mended: it is closed, for a reason, by two people. No money moves.

    `shard` and `seq` are the `record.quarantined` entry that it closes.
    """

    quarantine: int
    shard: int
    seq: int
    topic: str
    partition: int
    offset: int
    source: Source | None
    sequence: Sequence | None
    correction: Correction


class EntryEvent(Event[DataT], Generic[DataT]):
    """An entry of a journal: `sequence` is its place in its shard, `subject` the stream of the event that caused it."""

    recordedat: AwareDatetime
    entryhash: Digest


class PostedEvent(EntryEvent[SettlementPosted]):
    """A round was settled."""

    type: Literal["settlement.posted"]


class ReversedEvent(EntryEvent[SettlementReversed]):
    """A posted round was taken back."""

    type: Literal["settlement.reversed"]


class SupersededEvent(EntryEvent[SettlementSuperseded]):
    """A record came too late to count."""

    type: Literal["settlement.superseded"]


class VoidedEvent(EntryEvent[SettlementVoided]):
    """A round was voided before it was posted."""

    type: Literal["settlement.voided"]


class GapOpenedEvent(EntryEvent[Gap]):
    """Events are missing."""

    type: Literal["gap.opened"]


class GapFilledEvent(EntryEvent[GapFilled]):
    """A missing event came."""

    type: Literal["gap.filled"]


class QuarantinedEvent(EntryEvent[RecordQuarantined]):
    """A record was refused."""

    type: Literal["record.quarantined"]


class MendedEvent(EntryEvent[RecordMended]):
    """A refused record was replaced."""

    type: Literal["record.mended"]


class DismissedEvent(EntryEvent[QuarantineDismissed]):
    """A refused record was closed without being replaced."""

    type: Literal["quarantine.dismissed"]


SettlementEvent = (
    PostedEvent
    | ReversedEvent
    | SupersededEvent
    | VoidedEvent
    | GapOpenedEvent
    | GapFilledEvent
    | QuarantinedEvent
    | MendedEvent
    | DismissedEvent
)

_adapter: TypeAdapter[SettlementEvent] = TypeAdapter(Annotated[SettlementEvent, Field(discriminator="type")])


def decode(raw: bytes) -> SettlementEvent:
    """The event in the bytes of a Kafka record. Raises: Refused."""
    try:
        return _adapter.validate_json(raw)
    except ValidationError as error:
        raise refused_by_validation(error, None) from error
