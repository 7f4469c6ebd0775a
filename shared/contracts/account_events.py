"""What the wagering accounts publish on `accounts`: money in and out, wagers held and in play, results, decisions."""

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field, TypeAdapter, ValidationError

from shared.contracts.envelope import Contract, Identifier, Name, Person, Reason
from shared.contracts.refusals import RequestRefusedEvent
from shared.contracts.settlement_events import (
    DismissedEvent,
    EntryEvent,
    GapFilledEvent,
    GapOpenedEvent,
    MendedEvent,
    QuarantinedEvent,
)
from shared.rules.errors import refused_by_validation

TOPIC = "accounts"

Instrument = Literal["cash", "chips", "voucher", "wallet"]
LimitKind = Literal["wager", "buy_in_day"]


class AccountMovement(Contract):
    """What an entry changes on one account, in cents: what is available, on hold for wagers, and in play.

    `version` is that of the account with this entry. A settlement's does not have one: it takes a place that no other
    entry of the account names, in the order of its shard.
    """

    account: Name
    version: int | None = None
    available: int = 0
    held: int = 0
    staked: int = 0


class ByPerson(Contract):
    """A person did it."""

    property: Name
    by: Person


class AboutAccount(ByPerson):
    """A person did it on one account."""

    account: Name


class AboutPatron(ByPerson):
    """A person did it for or to a patron."""

    patron: Name


class AccountOpened(AboutAccount):
    """A game account was opened for a session at a table."""

    table: Name
    patron: Name | None = None


class AccountBoughtIn(AboutAccount):
    """Money came to an account; from the patron's wallet, it moved between two."""

    instrument: Instrument
    cents: int
    reference: str | None = None
    movements: tuple[AccountMovement, ...]


class AccountCashedOut(AccountBoughtIn):
    """Money left an account, which may have been closed with it."""

    closed: bool


class WagerAuthorized(AboutAccount):
    """Cents of an account are on hold for a wager.

    `round_version` counts the entries that changed the round or a hold for it, this one included.
    """

    hold: int
    table: Name
    round_id: Identifier
    seat: int
    wager: Name
    cents: int
    round_version: int | None = None
    movements: tuple[AccountMovement, ...]


class WagerReleased(AboutAccount):
    """A hold was given back before "no more bets"."""

    hold: int
    table: Name
    round_id: Identifier
    cents: int
    reason: Reason
    round_version: int | None = None
    movements: tuple[AccountMovement, ...]


class CapturedHold(Contract):
    """A hold that is in play."""

    account: Name
    hold: int
    cents: int


class RoundCaptured(ByPerson):
    """At "no more bets": what was on hold for the round is in play.

    Without `round_version` where the round's result had come before: then it changes nothing.
    """

    table: Name
    round_id: Identifier
    round_version: int | None = None
    holds: tuple[CapturedHold, ...]
    movements: tuple[AccountMovement, ...]


class AccountResult(Contract):
    """What a settlement did on an account, in cents; `staked` and `credited` are negative where they are taken back.

    `released` was on hold or in play for the round. `shortage` could not be taken back because it had been paid out;
    negative where an earlier shortage was made good.
    """

    account: Name
    staked: int
    credited: int
    released: int
    shortage: int = 0


class EndedHold(Contract):
    """A hold that ended with the result: `settled` where its wager was staked, else `released`."""

    account: Name
    hold: int
    state: Literal["settled", "released"]


class WagersVoided(Contract):
    """The round is void before it was settled: its wagers went back."""

    property: Name
    table: Name
    game: Name
    round_id: Identifier
    round_version: int | None = None
    holds: tuple[EndedHold, ...] = ()
    accounts: tuple[AccountResult, ...]
    movements: tuple[AccountMovement, ...]


class WagersSettled(WagersVoided):
    """A settlement was posted, or taken back. Without accounts: it had been taken back, or was never posted here."""

    revision: int


class AdjustmentEntered(AboutAccount):
    """A change of a balance waits for somebody else's approval. `before` is what is available now, cents."""

    adjustment: int
    cents: int
    before: int
    reason: Reason


class AdjustmentApproved(AboutAccount):
    """A balance was changed by hand: what was available before and after, cents."""

    adjustment: int
    cents: int
    before: int
    after: int
    reason: Reason
    entered_by: Person
    movements: tuple[AccountMovement, ...]


class AdjustmentRejected(AboutAccount):
    """A change of a balance was turned down."""

    adjustment: int
    cents: int
    entered_by: Person
    reason: Reason


class PatronRegistered(AboutPatron):
    """A patron has a wallet."""

    wallet: Name


class PatronDecided(AboutPatron):
    """Something was decided about a patron, for a reason."""

    reason: Reason


class PatronLimitChanged(AboutPatron):
    """A limit holds from a moment on, cents; None: no limit."""

    limit: LimitKind
    cents: int | None
    effective_from: AwareDatetime


class AccessFailed(AboutPatron):
    """A wrong access code: the how manieth in a row, and until when no code is accepted, if it is locked now."""

    failed: int
    locked_until: AwareDatetime | None


class CommandRefused(ByPerson):
    """A command that the books did not allow: what was asked for, and why not."""

    command: str
    content: dict[str, Any] | None
    status: int
    detail: str


class AccountOpenedEvent(EntryEvent[AccountOpened]):
    """A game account was opened."""

    type: Literal["account.opened"]


class AccountBoughtInEvent(EntryEvent[AccountBoughtIn]):
    """Money came to an account."""

    type: Literal["account.bought_in"]


class AccountCashedOutEvent(EntryEvent[AccountCashedOut]):
    """Money left an account."""

    type: Literal["account.cashed_out"]


class WagerAuthorizedEvent(EntryEvent[WagerAuthorized]):
    """A wager is on hold."""

    type: Literal["wager.authorized"]


class WagerReleasedEvent(EntryEvent[WagerReleased]):
    """A hold was given back."""

    type: Literal["wager.released"]


class RoundCapturedEvent(EntryEvent[RoundCaptured]):
    """Holds are in play."""

    type: Literal["wagers.captured"]


class WagersSettledEvent(EntryEvent[WagersSettled]):
    """A round's result reached the accounts."""

    type: Literal["wagers.settled"]


class WagersReversedEvent(EntryEvent[WagersSettled]):
    """A round's result was taken back from the accounts."""

    type: Literal["wagers.reversed"]


class WagersVoidedEvent(EntryEvent[WagersVoided]):
    """A round does not count, and had no result."""

    type: Literal["wagers.voided"]


class AdjustmentEnteredEvent(EntryEvent[AdjustmentEntered]):
    """An adjustment waits for approval."""

    type: Literal["account.adjustment_entered"]


class AdjustmentApprovedEvent(EntryEvent[AdjustmentApproved]):
    """An adjustment counts."""

    type: Literal["account.adjustment_approved"]


class AdjustmentRejectedEvent(EntryEvent[AdjustmentRejected]):
    """An adjustment was turned down."""

    type: Literal["account.adjustment_rejected"]


class PatronRegisteredEvent(EntryEvent[PatronRegistered]):
    """A patron was registered."""

    type: Literal["patron.registered"]


class PatronCodeChangedEvent(EntryEvent[PatronDecided]):
    """A patron has a new access code."""

    type: Literal["patron.code_changed"]


class PatronExcludedEvent(EntryEvent[PatronDecided]):
    """A patron is excluded: paid out, and nothing else."""

    type: Literal["patron.excluded"]


class PatronAdmittedEvent(EntryEvent[PatronDecided]):
    """A patron is no more excluded."""

    type: Literal["patron.admitted"]


class PatronLimitChangedEvent(EntryEvent[PatronLimitChanged]):
    """A patron's limit was changed."""

    type: Literal["patron.limit_changed"]


class AccessFailedEvent(EntryEvent[AccessFailed]):
    """A wrong access code was given."""

    type: Literal["access.failed"]


class CommandRefusedEvent(EntryEvent[CommandRefused]):
    """A command was refused."""

    type: Literal["account.refused"]


OwnAccountEvent = (
    AccountOpenedEvent
    | AccountBoughtInEvent
    | AccountCashedOutEvent
    | WagerAuthorizedEvent
    | WagerReleasedEvent
    | RoundCapturedEvent
    | WagersSettledEvent
    | WagersReversedEvent
    | WagersVoidedEvent
    | AdjustmentEnteredEvent
    | AdjustmentApprovedEvent
    | AdjustmentRejectedEvent
    | PatronRegisteredEvent
    | PatronCodeChangedEvent
    | PatronExcludedEvent
    | PatronAdmittedEvent
    | PatronLimitChangedEvent
    | AccessFailedEvent
    | CommandRefusedEvent
)
"""What only the wagering accounts record."""

AccountEvent = (
    OwnAccountEvent
    | RequestRefusedEvent
    | GapOpenedEvent
    | GapFilledEvent
    | QuarantinedEvent
    | MendedEvent
    | DismissedEvent
)

_adapter: TypeAdapter[AccountEvent] = TypeAdapter(Annotated[AccountEvent, Field(discriminator="type")])


def decode(raw: bytes) -> AccountEvent:
    """The event in the bytes of a Kafka record. Raises: Refused."""
    try:
        return _adapter.validate_json(raw)
    except ValidationError as error:
        raise refused_by_validation(error, None) from error
