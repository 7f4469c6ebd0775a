"""Facts about wagering accounts, on the topic `accounts`: money in and out, wagers, results, decisions."""

from datetime import date
from typing import Annotated, Literal

from pydantic import AwareDatetime

from shared.contracts.agents import Others
from shared.contracts.approvals import AsShown
from shared.contracts.countries import Country
from shared.contracts.envelope import PERSONAL, Contract, Identifier, Name, Person, Reason, Sealed
from shared.contracts.facts import Fact, fact
from shared.contracts.moments import EnteredLate
from shared.contracts.topics import ACCOUNTS

Instrument = Literal["cash", "chips", "voucher", "wallet"]
LimitKind = Literal["wager", "buy_in_day"]
Seen = Literal["patron", "accounts", "account", "statement", "adjustments", "identity", "erasure", "filing"]
"""The part of a patron's data that a person viewed."""

ErasureGround = Literal["requested", "retention_ended", "entered_by_mistake"]
"""The ground for erasing a patron's personal data, from a fixed list so that it reveals nothing else."""

Words = Annotated[Reason, PERSONAL]
"""Free text about a patron; it may contain personal data beyond the patron's reference."""


class AccountMovement(Contract):
    """An entry's changes to one account, in cents: available, on hold for wagers, and in play.

    Promotional money is recorded separately: it is wagered like other money, but never paid out.

    `table` is set for a game account; a wallet has none. `version` is the account's version after this entry.
    It is None in a settlement, because no other entry of the account refers to the settlement, whose position follows
    from the order of its shard.
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
    """A fact about the wagering accounts of a property."""

    property: Name

    def moved(self) -> tuple[AccountMovement, ...]:
        """Return the movements on accounts; empty if no money moves."""
        movements: tuple[AccountMovement, ...] = getattr(self, "movements", ())
        return movements


class ByPerson(AccountsFact):
    """A fact caused by a person."""

    by: Person


class AboutAccount(ByPerson):
    """A person's action on one account."""

    account: Name


class AboutPatron(ByPerson):
    """A person's action concerning a patron."""

    patron: Name


@fact("account.opened", ACCOUNTS)
class AccountOpened(AboutAccount):
    """A game account was opened for a session at a table."""

    table: Name
    patron: Name | None = None


@fact("account.bought_in", ACCOUNTS, moves_money=True)
class AccountBoughtIn(AboutAccount, EnteredLate):
    """Money was paid into an account, or transferred from the patron's wallet.

    If other people take part, `patron` is the account's patron, `conducted_by` is the person who moved the money in
    that patron's place, and `on_behalf_of` lists the other patrons for whom the money was moved.
    """

    instrument: Instrument
    cents: int
    reference: str | None = None
    patron: Name | None = None
    conducted_by: Name | None = None
    on_behalf_of: Others | None = None
    movements: tuple[AccountMovement, ...]


@fact("account.cashed_out", ACCOUNTS, moves_money=True)
class AccountCashedOut(AccountBoughtIn):
    """Money was paid out of an account, which may have been closed at the same time."""

    closed: bool


class AboutHold(AboutAccount):
    """A person's action on a hold for a wager: `cents`, including `promotional_cents` of promotional money.

    `round_version` counts the entries that changed the round or a hold for it, including this one.
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
    """Cents of an account were put on hold for a wager."""

    seat: int
    wager: Name


@fact("wager.released", ACCOUNTS, moves_money=True)
class WagerReleased(AboutHold):
    """A hold was released before "no more bets"."""

    reason: Reason


class CapturedHold(Contract):
    """A hold that was captured."""

    account: Name
    hold: int
    cents: int


@fact("wagers.captured", ACCOUNTS, moves_money=True)
class RoundCaptured(ByPerson):
    """At "no more bets", the holds for the round were captured.

    If `round_version` is missing, the round's result arrived before the capture, which then leaves the round unchanged.
    """

    table: Name
    round_id: Identifier
    round_version: int | None = None
    holds: tuple[CapturedHold, ...]
    movements: tuple[AccountMovement, ...]


class AccountResult(Contract):
    """A settlement's effect on an account; in a reversal, `staked_cents` and `credited_cents` are negative.

    `released_cents` was on hold or in play for the round. `shortage_cents` is the amount that could not be taken back
    because it had already been paid out; it is negative if an earlier shortage was made good. The promotional part of
    each amount is in the field of that name with the prefix `promotional_`.
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
    """A hold that ended with its round: `settled` if its wager was staked, otherwise `returned`."""

    account: Name
    hold: int
    status: Literal["settled", "returned"]


@fact("wagers.voided", ACCOUNTS, moves_money=True)
class WagersVoided(AccountsFact):
    """The round was voided before settlement: its wagers were returned. `gaming_day` is that of the round."""

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
    """A settlement was posted. `accounts` is empty if the settlement had already been reversed."""

    revision: int


@fact("wagers.reversed", ACCOUNTS, moves_money=True)
class WagersReversed(WagersVoided):
    """A settlement was reversed. `accounts` is empty if the settlement was never posted to accounts."""

    revision: int


class AboutPromotion(AboutAccount):
    """A person's action on promotional money of an account, in cents."""

    cents: int
    reason: Reason
    movements: tuple[AccountMovement, ...]


class AboutGrant(AboutAccount):
    """A person's action on a promotional grant. Grants are numbered per account, and each expires on a gaming day."""

    promotion: int
    cents: int
    reason: Reason
    expires_on: date | None = None


@fact("promotion.entered", ACCOUNTS)
class PromotionEntered(AboutGrant):
    """A grant above the property's limit awaits another person's approval."""


@fact("promotion.rejected", ACCOUNTS)
class PromotionRejected(AboutGrant):
    """An entered grant was rejected."""

    entered_by: Person


@fact("promotion.granted", ACCOUNTS, moves_money=True)
class PromotionGranted(AboutGrant, AsShown):
    """Promotional money was granted to an account; `entered_by` is set if another person approved it."""

    entered_by: Person | None = None
    movements: tuple[AccountMovement, ...]


@fact("promotion.moved", ACCOUNTS, moves_money=True)
class PromotionMoved(AboutPromotion):
    """Promotional money moved from a patron's wallet to an account; negative cents moved back to the wallet."""


@fact("promotion.written_off", ACCOUNTS, moves_money=True)
class PromotionWrittenOff(AboutPromotion):
    """Promotional money of an account was written off."""


@fact("promotion.expired", ACCOUNTS, moves_money=True)
class PromotionExpired(AboutPromotion):
    """The unspent part of expired grants was removed from an account automatically. Grants are spent earliest first."""


class AboutAdjustment(AboutAccount):
    """A person's action on a balance adjustment, in cents."""

    adjustment: int
    cents: int
    reason: Reason


@fact("account.adjustment_entered", ACCOUNTS)
class AccountAdjustmentEntered(AboutAdjustment):
    """A balance adjustment awaits another person's approval. `before_cents` was the available balance at entry."""

    before_cents: int


@fact("account.adjustment_approved", ACCOUNTS, moves_money=True)
class AccountAdjustmentApproved(AboutAdjustment, AsShown):
    """A balance was adjusted: its available cents changed from `before_cents` to `after_cents`."""

    before_cents: int
    after_cents: int
    entered_by: Person
    movements: tuple[AccountMovement, ...]


@fact("account.adjustment_rejected", ACCOUNTS)
class AccountAdjustmentRejected(AboutAdjustment):
    """A balance adjustment was rejected."""

    entered_by: Person


@fact("patron.registered", ACCOUNTS)
class PatronRegistered(AboutPatron):
    """A patron was registered, and has a wallet."""

    wallet: Name


@fact("patron.code_changed", ACCOUNTS)
class PatronCodeChanged(AboutPatron):
    """A patron's access code was changed."""

    reason: Words


@fact("patron.excluded", ACCOUNTS)
class PatronExcluded(AboutPatron):
    """A patron was excluded: money can only be paid out."""

    reason: Words


@fact("patron.admitted", ACCOUNTS)
class PatronAdmitted(AboutPatron):
    """A patron is no longer excluded."""

    reason: Words


@fact("patron.limit_changed", ACCOUNTS)
class PatronLimitChanged(AboutPatron):
    """A patron's limit, in cents, was set with effect from a moment. None removes the limit."""

    limit: LimitKind
    cents: int | None = None
    effective_from: AwareDatetime


@fact("patron.tax_residence_set", ACCOUNTS)
class PatronTaxResidenceSet(AboutPatron):
    """A patron's tax residence was recorded. Documents and numbers stay with the person who checked them."""

    country: Annotated[Country, PERSONAL]
    reason: Words


@fact("patron.identified", ACCOUNTS)
class PatronIdentified(AboutPatron):
    """A patron's identity according to documents, encrypted with the patron's key."""

    identity: Sealed


class AboutErasure(AboutPatron):
    """A person's action on the erasure of a patron's personal data.

    `last_form_on` is the last gaming day on which a form or a record of the cage or pit names the patron, according to
    the reports; None if there is none.
    """

    ground: ErasureGround
    last_form_on: date | None = None


@fact("patron.erasure_entered", ACCOUNTS)
class PatronErasureEntered(AboutErasure):
    """An erasure awaits another person's approval."""


@fact("patron.erasure_rejected", ACCOUNTS)
class PatronErasureRejected(AboutErasure):
    """An erasure was rejected."""

    entered_by: Person


@fact("patron.erased", ACCOUNTS)
class PatronErased(AboutErasure, AsShown):
    """A patron's key was destroyed, and with it all data that it encrypted.

    `kept_until` is the legal retention date.
    """

    entered_by: Person
    kept_until: date | None = None


@fact("access.failed", ACCOUNTS)
class AccessFailed(AboutPatron):
    """A wrong access code was entered, `failed` times in a row; `locked_until` is set if access is now locked."""

    failed: int
    locked_until: AwareDatetime | None = None


@fact("patron.seen", ACCOUNTS)
class PatronSeen(Fact):
    """A person viewed a patron's data."""

    property: Name
    patron: Name
    what: Seen
    by: Person
    at: AwareDatetime
