"""Apply facts to the accounts in memory. Pure.

Commands, settlements and a rebuild change the accounts only through this module, by recorded facts.
"""

from datetime import date, datetime
from typing import Final

from services.wagering_accounts.domain.books import (
    Account,
    AccountKey,
    Adjustment,
    Books,
    Hold,
    Limit,
    LineRow,
    Patron,
    PatronErasure,
    PatronIdentity,
    Promotion,
    Round,
    RoundAccount,
    RoundKey,
)
from shared.contracts.accounts import (
    AboutAccount,
    AboutErasure,
    AboutGrant,
    AboutPatron,
    AboutPromotion,
    AccessFailed,
    AccountAdjustmentApproved,
    AccountAdjustmentEntered,
    AccountAdjustmentRejected,
    AccountBoughtIn,
    AccountCashedOut,
    AccountMovement,
    AccountOpened,
    AccountsFact,
    PatronAdmitted,
    PatronCodeChanged,
    PatronErased,
    PatronErasureEntered,
    PatronExcluded,
    PatronIdentified,
    PatronLimitChanged,
    PatronRegistered,
    PatronTaxResidenceSet,
    PromotionEntered,
    PromotionGranted,
    RoundCaptured,
    WagerAuthorized,
    WagerReleased,
    WagersReversed,
    WagersSettled,
    WagersVoided,
)

OfRound = WagerAuthorized | WagerReleased | RoundCaptured | WagersVoided
"""Facts about a round."""


_KINDS: Final = ("available", "held", "staked", "promotional", "promotional_held", "promotional_staked")
_AMOUNTS: Final = tuple(f"{name}_cents" for name in _KINDS)


class StaleStateError(Exception):
    """A fact is inapplicable because the accounts have changed since the fact was derived."""


def apply_fact(books: Books, fact: AccountsFact, at: datetime, gaming_day: date) -> None:
    """Apply a fact that happened at a moment. Every entity that the fact changes must be loaded.

    Raises: StaleStateError if the fact is inapplicable.
    """
    _apply(books, fact, at, gaming_day)
    own, lines = account_of(fact), list[LineRow]()
    table, round_id = (fact.table, fact.round_id) if isinstance(fact, OfRound) else (None, None)
    for movement in fact.moved():
        key = (fact.property, movement.account)
        lines.append(_move(books.change(books.accounts[key]), movement) | {"table": table, "round_id": round_id})
        if key == own:
            own = None
    if own is not None:
        books.change(books.accounts[own]).version += 1
    if isinstance(fact, WagersVoided):
        _require_nothing_left(books, fact)
    books.lines.append(lines)


def account_of(fact: AccountsFact) -> AccountKey | None:
    """Return the key of the one account that a fact is about; None if it is about none or several."""
    match fact:
        case AboutAccount():
            return (fact.property, fact.account)
        case PatronRegistered():
            return (fact.property, fact.wallet)
        case _:
            return None


def _move(account: Account, movement: AccountMovement) -> LineRow:
    """Move money on an account; return the resulting line of its statement."""
    account.version += 1
    if movement.version not in (None, account.version):
        raise StaleStateError(f"account {account.account} gets version {account.version}, not {movement.version}")
    account.available_cents += movement.available_cents
    account.held_cents += movement.held_cents
    account.staked_cents += movement.staked_cents
    account.promotional_cents += movement.promotional_cents
    account.promotional_held_cents += movement.promotional_held_cents
    account.promotional_staked_cents += movement.promotional_staked_cents
    if min(getattr(account, name) for name in _AMOUNTS) < 0:
        raise StaleStateError(f"account {account.account} has less than is taken from it")
    return {
        "property": account.property,
        "account": account.account,
        "version": account.version,
        "available_change_cents": movement.available_cents,
        "held_change_cents": movement.held_cents,
        "staked_change_cents": movement.staked_cents,
        "promotional_change_cents": movement.promotional_cents,
        "promotional_held_change_cents": movement.promotional_held_cents,
        "promotional_staked_change_cents": movement.promotional_staked_cents,
        "available_cents": account.available_cents,
        "held_cents": account.held_cents,
        "staked_cents": account.staked_cents,
        "promotional_cents": account.promotional_cents,
        "promotional_held_cents": account.promotional_held_cents,
        "promotional_staked_cents": account.promotional_staked_cents,
    }


def _require_nothing_left(books: Books, fact: WagersVoided) -> None:
    """Raise StaleStateError if an account has a shortage and available money at the same time."""
    for each in fact.accounts:
        account, promotional = books.accounts[fact.property, each.account], each.promotional_shortage_cents
        cashable_left = account.available_cents and each.shortage_cents > promotional
        if cashable_left or (account.promotional_cents and promotional > 0):
            raise StaleStateError(f"account {each.account} has more than when its shortage was found")


def _apply(books: Books, fact: AccountsFact, at: datetime, gaming_day: date) -> None:
    """Apply a fact, except for its movements of money."""
    match fact:
        case WagerAuthorized():
            _touched(books, fact, at).status = "open"
            wager = (fact.hold, fact.table, fact.round_id, fact.seat, fact.wager, fact.cents, fact.promotional_cents)
            books.add(Hold(fact.property, fact.account, *wager))
        case WagerReleased():
            _touched(books, fact, at)
            books.change(books.holds[Hold.key_of(fact)]).status = "released"
        case RoundCaptured():
            for each in fact.holds:
                books.change(books.holds[fact.property, each.account, each.hold]).status = "captured"
            if fact.round_version is not None:  # else its result had come first
                _touched(books, fact, at).status = "captured"
        case WagersVoided():
            _end_round(books, fact, at)
        case AccountOpened():
            books.add(Account(fact.property, fact.account, "game", fact.table, fact.patron, "open", at))
        case AccountCashedOut():
            _cash_out(books, fact)
        case AccountBoughtIn():
            _buy_in(books, fact, gaming_day)
        case AboutPromotion():
            pass  # it moves money, and nothing else
        case AboutGrant():
            _grant(books, fact, at)
        case AccountAdjustmentEntered():
            entered = (fact.adjustment, fact.cents, fact.reason, fact.by, at)
            books.add(Adjustment(fact.property, fact.account, *entered))
        case AccountAdjustmentApproved() | AccountAdjustmentRejected():
            _decide_adjustment(books, fact, at)
        case PatronRegistered():
            books.add(Patron(fact.property, fact.patron, fact.wallet))
            books.add(Account(fact.property, fact.wallet, "wallet", "", fact.patron, "open", at))
        case PatronIdentified():
            _identify(books, fact, at)
        case AboutErasure():
            _erase(books, fact, at)
        case AboutPatron():
            _change_patron(books.change(books.patrons[Patron.key_of(fact)]), fact, at)
        case _:
            raise AssertionError(f"{type(fact).__name__} does what to the books?")


# --- rounds ---


def next_version(books: Books, key: RoundKey) -> int:
    """Return the version that a round will have after the fact being decided."""
    round_ = books.rounds.get(key)
    return 1 if round_ is None else round_.version + 1


def _touched(books: Books, fact: OfRound, at: datetime) -> Round:
    """Return the round of a fact, with its version advanced. Raises: StaleStateError if the fact has another one."""
    key = (fact.property, fact.table, fact.round_id)
    version = next_version(books, key)
    if fact.round_version != version:
        raise StaleStateError(f"round {fact.round_id} of table {fact.table} has changed meanwhile")
    round_ = books.change(books.rounds[key]) if key in books.rounds else books.add(Round(*key, at))
    round_.version = version
    return round_


def _end_round(books: Books, fact: WagersVoided, at: datetime) -> None:
    round_ = _touched(books, fact, at)
    match fact:
        case WagersSettled():
            round_.posted = sorted({*round_.posted, fact.revision})
        case WagersReversed():
            round_.reversed = sorted({*round_.reversed, fact.revision})
        case _:
            round_.voided = True
    if set(round_.posted) - set(round_.reversed):
        round_.status = "settled"
    elif round_.posted or round_.voided:
        round_.status = "void"
    for hold in fact.holds:
        books.change(books.holds[fact.property, hold.account, hold.hold]).status = hold.status
    for each in fact.accounts:
        key = (fact.property, fact.table, fact.round_id, each.account)
        part = books.round_accounts.get(key) or books.add(RoundAccount(*key))
        books.change(part)
        part.staked_cents += each.staked_cents
        part.credited_cents += each.credited_cents
        part.covered_cents += each.released_cents
        part.shortage_cents += each.shortage_cents
        part.promotional_shortage_cents += each.promotional_shortage_cents


# --- money in and out, adjustments ---


def _buy_in(books: Books, fact: AccountBoughtIn, gaming_day: date) -> None:
    account = books.accounts[fact.property, fact.account]
    patron = books.patron_of(account)
    if fact.instrument == "wallet":
        assert patron is not None, "a wallet has a patron"
        _forget_wrong_codes(books, patron)
    if patron is not None and account.kind == "game":
        patron.bought_in_cents = patron.bought_in_during(gaming_day) + fact.cents
        patron.bought_in_on = max(gaming_day, patron.bought_in_on or gaming_day)
        books.change(patron)


def _cash_out(books: Books, fact: AccountCashedOut) -> None:
    account = books.accounts[fact.property, fact.account]
    if account.kind == "wallet":
        patron = books.patron_of(account)
        assert patron is not None, "a wallet has a patron"
        if patron.excluded_at is None:
            _forget_wrong_codes(books, patron)
    if fact.closed:
        books.change(account).status = "closed"


def _decide_adjustment(books: Books, fact: AccountAdjustmentApproved | AccountAdjustmentRejected, at: datetime) -> None:
    adjustment = books.change(books.adjustments[Adjustment.key_of(fact)])
    adjustment.decided_by, adjustment.decided_at = fact.by, at
    adjustment.status = "rejected"
    if isinstance(fact, AccountAdjustmentApproved):
        adjustment.status = "approved"
        adjustment.before_cents, adjustment.after_cents = fact.before_cents, fact.after_cents


def _grant(books: Books, fact: AboutGrant, at: datetime) -> None:
    """Apply a fact about a grant: entered, decided, or granted directly."""
    key = Promotion.key_of(fact)
    if key not in books.promotions:
        entered = (fact.promotion, fact.cents, fact.reason, fact.expires_on, fact.by, at)
        books.add(Promotion(fact.property, fact.account, *entered))
    promotion = books.change(books.promotions[key])
    if not isinstance(fact, PromotionEntered):
        promotion.status = "granted" if isinstance(fact, PromotionGranted) else "rejected"
        promotion.decided_by, promotion.decided_at = fact.by, at
        promotion.version = books.accounts[fact.property, fact.account].version + 1


# --- patrons ---


def _change_patron(patron: Patron, fact: AboutPatron, at: datetime) -> None:
    match fact:
        case PatronCodeChanged():
            patron.failed_codes, patron.locked_until = 0, None
        case PatronExcluded():
            patron.excluded_at = at
        case PatronAdmitted():
            patron.excluded_at = None
        case PatronLimitChanged():
            changed = patron.limits.get(fact.limit, Limit()).changed(fact.cents, at, fact.effective_from)
            patron.limits = {**patron.limits, fact.limit: changed}
        case PatronTaxResidenceSet():
            patron.tax_residence = fact.country
        case AccessFailed():
            patron.locked_until = fact.locked_until
            patron.failed_codes = fact.failed if fact.locked_until is None else 0
        case _:
            raise AssertionError(f"{type(fact).__name__} does what to a patron?")


def _identify(books: Books, fact: PatronIdentified, at: datetime) -> None:
    key = Patron.key_of(fact)
    known = books.identities.get(key)
    if known is None:
        books.add(PatronIdentity(*key, fact.identity, fact.by, at))
    else:
        known.identity, known.identified_by, known.identified_at = fact.identity, fact.by, at
        books.change(known)


def _erase(books: Books, fact: AboutErasure, at: datetime) -> None:
    """Apply the entry of an erasure, or the decision on it; erased data stays erased when entries are replayed."""
    key = Patron.key_of(fact)
    erasure = books.erasures.get(key)
    if isinstance(fact, PatronErasureEntered):
        if erasure is None:
            books.add(PatronErasure(*key, fact.ground, fact.last_form_on, fact.by, at))
            return
        erasure.ground, erasure.last_form_on, erasure.entered_by, erasure.entered_at = (
            fact.ground,
            fact.last_form_on,
            fact.by,
            at,
        )
        erasure.status, erasure.decided_by, erasure.decided_at = "entered", None, None
        books.change(erasure)
        return
    assert erasure is not None, "it was entered before it is decided"
    erasure.status = "approved" if isinstance(fact, PatronErased) else "rejected"
    erasure.decided_by, erasure.decided_at = fact.by, at
    books.change(erasure)
    if isinstance(fact, PatronErased):
        patron = books.change(books.patrons[key])
        patron.tax_residence, patron.limits, patron.erased_at = None, {}, at
        if key in books.identities:
            books.change(books.identities[key]).identity = None


def _forget_wrong_codes(books: Books, patron: Patron) -> None:
    """Reset the count of wrong codes after a correct one."""
    if patron.failed_codes or patron.locked_until is not None:
        patron.failed_codes, patron.locked_until = 0, None
        books.change(patron)
