"""What the wagering accounts publish on `accounts`: money in and out, wagers held and in play, results, decisions."""

from datetime import date
from typing import Annotated, Literal

from pydantic import AwareDatetime

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import PERSONAL, Contract, Country, Identifier, Name, Person, Reason, Sealed
from shared.contracts.facts import Fact, fact
from shared.contracts.moments import EnteredLate
from shared.contracts.topics import ACCOUNTS

Instrument = Literal["cash", "chips", "voucher", "wallet"]
LimitKind = Literal["wager", "buy_in_day"]
Seen = Literal["patron", "accounts", "account", "statement", "adjustments", "identity", "erasure"]
"""What somebody looked at of a patron."""

ErasureGround = Literal["requested", "retention_ended", "entered_by_mistake"]
"""Why a patron's personal data is erased: a word of a list, so that it says nothing else of the patron."""

Words = Annotated[Reason, PERSONAL]
"""Why somebody did something for or to a patron: whoever types it may say more than the reference."""


class AccountMovement(Contract):
    """What an entry changes on one account, in cents: what is available, on hold for wagers, and in play.

    Promotional money is apart: it is wagered as other money is, and never paid out.

    `table` is that of a game account; a wallet has none. `version` is that of the account with this entry. A
    settlement's does not have one: it takes a place that no other entry of the account names, in the order of its
    shard.
    """

    account: Name
    table: Name | None = None
    version: int | None = None
    available_cents: int = 0
    held_cents: int = 0
    staked_cents: int = 0
    promotional_cents: int = 0
    promotional_held_cents: int = 0
    promotional_staked_cents: int = 0


class AccountsFact(Fact):
    """What is recorded of the wagering accounts of a property."""

    property: Name

    def moved(self) -> tuple[AccountMovement, ...]:
        """Return what it changes on accounts; nothing where no money moves with it."""
        movements: tuple[AccountMovement, ...] = getattr(self, "movements", ())
        return movements


class ByPerson(AccountsFact):
    """A person did it."""

    by: Person


class AboutAccount(ByPerson):
    """A person did it on one account."""

    account: Name


class AboutPatron(ByPerson):
    """A person did it for or to a patron."""

    patron: Name


@fact("account.opened", ACCOUNTS)
class AccountOpened(AboutAccount):
    """A game account was opened for a session at a table."""

    table: Name
    patron: Name | None = None


@fact("account.bought_in", ACCOUNTS, moves_money=True)
class AccountBoughtIn(AboutAccount, EnteredLate):
    """Money came to an account; from the patron's wallet, it moved between two."""

    instrument: Instrument
    cents: int
    reference: str | None = None
    movements: tuple[AccountMovement, ...]


@fact("account.cashed_out", ACCOUNTS, moves_money=True)
class AccountCashedOut(AccountBoughtIn):
    """Money left an account, which may have been closed with it."""

    closed: bool


class AboutHold(AboutAccount):
    """A person did it about cents of an account that are on hold for a wager, `promotional_cents` of them promotional.

    `round_version` counts the entries that changed the round or a hold for it, this one included.
    """

    hold: int
    table: Name
    round_id: Identifier
    cents: int
    promotional_cents: int = 0
    round_version: int
    movements: tuple[AccountMovement, ...]


@fact("wager.authorized", ACCOUNTS, moves_money=True)
class WagerAuthorized(AboutHold):
    """Cents of an account are on hold for a wager."""

    seat: int
    wager: Name


@fact("wager.released", ACCOUNTS, moves_money=True)
class WagerReleased(AboutHold):
    """A hold was given back before "no more bets"."""

    reason: Reason


class CapturedHold(Contract):
    """A hold that is in play."""

    account: Name
    hold: int
    cents: int


@fact("wagers.captured", ACCOUNTS, moves_money=True)
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
    """What a settlement did on an account; `staked_cents` and `credited_cents` are negative where they are taken back.

    `released_cents` was on hold or in play for the round. `shortage_cents` could not be taken back because it had been
    paid out; negative where an earlier shortage was made good. How much of each was promotional, a field says whose
    name begins so.
    """

    account: Name
    staked_cents: int
    credited_cents: int
    released_cents: int
    shortage_cents: int = 0
    promotional_staked_cents: int = 0
    promotional_credited_cents: int = 0
    promotional_released_cents: int = 0
    promotional_shortage_cents: int = 0


class EndedHold(Contract):
    """A hold that ended with the result: `settled` where its wager was staked, else `returned`."""

    account: Name
    hold: int
    status: Literal["settled", "returned"]


@fact("wagers.voided", ACCOUNTS, moves_money=True)
class WagersVoided(AccountsFact):
    """The round is void before it was settled: its wagers went back. `gaming_day` is the round's."""

    table: Name
    game: Name
    gaming_day: date
    round_id: Identifier
    round_version: int
    holds: tuple[EndedHold, ...] = ()
    accounts: tuple[AccountResult, ...]
    movements: tuple[AccountMovement, ...]


@fact("wagers.settled", ACCOUNTS, moves_money=True)
class WagersSettled(WagersVoided):
    """A settlement was posted. Without accounts: it had been taken back."""

    revision: int


@fact("wagers.reversed", ACCOUNTS, moves_money=True)
class WagersReversed(WagersVoided):
    """A settlement was taken back. Without accounts: it was never posted here."""

    revision: int


class AboutPromotion(AboutAccount):
    """A person did it about so many cents of promotional money of an account."""

    cents: int
    reason: Reason
    movements: tuple[AccountMovement, ...]


class AboutGrant(AboutAccount):
    """A person did it about a grant of promotional money, numbered on the account; it expires on a gaming day."""

    promotion: int
    cents: int
    reason: Reason
    expires_on: date | None = None


@fact("promotion.entered", ACCOUNTS)
class PromotionEntered(AboutGrant):
    """A grant above the property's limit waits for somebody else's approval."""


@fact("promotion.rejected", ACCOUNTS)
class PromotionRejected(AboutGrant):
    """A grant that was entered was turned down."""

    entered_by: Person


@fact("promotion.granted", ACCOUNTS, moves_money=True)
class PromotionGranted(AboutGrant, AsShown):
    """The house gave promotional money to an account; `entered_by` somebody, where it took two people."""

    entered_by: Person | None = None
    movements: tuple[AccountMovement, ...]


@fact("promotion.moved", ACCOUNTS, moves_money=True)
class PromotionMoved(AboutPromotion):
    """Promotional money came to an account from the wallet of its patron; below zero: it went back there."""


@fact("promotion.written_off", ACCOUNTS, moves_money=True)
class PromotionWrittenOff(AboutPromotion):
    """Promotional money of an account was taken back."""


@fact("promotion.expired", ACCOUNTS, moves_money=True)
class PromotionExpired(AboutPromotion):
    """What was left of grants whose day has come went off an account, by itself; the earliest are spent first."""


class AboutAdjustment(AboutAccount):
    """A person did it about a change of a balance by so many cents."""

    adjustment: int
    cents: int
    reason: Reason


@fact("account.adjustment_entered", ACCOUNTS)
class AccountAdjustmentEntered(AboutAdjustment):
    """A change of a balance waits for somebody else's approval. `before_cents` is what is available now, cents."""

    before_cents: int


@fact("account.adjustment_approved", ACCOUNTS, moves_money=True)
class AccountAdjustmentApproved(AboutAdjustment, AsShown):
    """A balance was changed by hand: what was available before and after, cents."""

    before_cents: int
    after_cents: int
    entered_by: Person
    movements: tuple[AccountMovement, ...]


@fact("account.adjustment_rejected", ACCOUNTS)
class AccountAdjustmentRejected(AboutAdjustment):
    """A change of a balance was turned down."""

    entered_by: Person


@fact("patron.registered", ACCOUNTS)
class PatronRegistered(AboutPatron):
    """A patron has a wallet."""

    wallet: Name


@fact("patron.code_changed", ACCOUNTS)
class PatronCodeChanged(AboutPatron):
    """A patron has a new access code."""

    reason: Words


@fact("patron.excluded", ACCOUNTS)
class PatronExcluded(AboutPatron):
    """A patron is excluded: paid out, and nothing else."""

    reason: Words


@fact("patron.admitted", ACCOUNTS)
class PatronAdmitted(AboutPatron):
    """A patron is no longer excluded."""

    reason: Words


@fact("patron.limit_changed", ACCOUNTS)
class PatronLimitChanged(AboutPatron):
    """A limit holds from a moment on, cents; None: no limit."""

    limit: LimitKind
    cents: int | None = None
    effective_from: AwareDatetime


@fact("patron.tax_residence_set", ACCOUNTS)
class PatronTaxResidenceSet(AboutPatron):
    """Where a patron is a resident for tax. Documents and numbers stay with whoever looked at them."""

    country: Annotated[Country, PERSONAL]
    reason: Words


@fact("patron.identified", ACCOUNTS)
class PatronIdentified(AboutPatron):
    """Who a patron is, as documents say it: nobody can read it without the patron's key."""

    identity: Sealed


class AboutErasure(AboutPatron):
    """A person did it about erasing the personal data of a patron.

    `last_form_on` is the last gaming day on which a form or a record of the cage or pit names the patron, as the
    reports say; None: none does.
    """

    ground: ErasureGround
    last_form_on: date | None = None


@fact("patron.erasure_entered", ACCOUNTS)
class PatronErasureEntered(AboutErasure):
    """An erasure waits for somebody else's approval."""


@fact("patron.erasure_rejected", ACCOUNTS)
class PatronErasureRejected(AboutErasure):
    """An erasure was turned down."""

    entered_by: Person


@fact("patron.erased", ACCOUNTS)
class PatronErased(AboutErasure, AsShown):
    """The key of a patron was destroyed, with all that it sealed; the law had it kept `kept_until` a day before."""

    entered_by: Person
    kept_until: date | None = None


@fact("access.failed", ACCOUNTS)
class AccessFailed(AboutPatron):
    """A wrong access code: `failed` counts those in a row, and until when no code is accepted, if it is locked now."""

    failed: int
    locked_until: AwareDatetime | None = None


@fact("patron.seen", ACCOUNTS)
class PatronSeen(Fact):
    """A person looked at what is known of a patron."""

    property: Name
    patron: Name
    what: Seen
    by: Person
    at: AwareDatetime
