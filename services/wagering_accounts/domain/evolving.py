"""What a fact changes in the books. Pure.

Commands, settlements and a rebuild change the books here and nowhere else, by what is recorded.
"""

from collections.abc import Mapping
from datetime import date, datetime
from functools import singledispatch
from typing import Final, NamedTuple

from services.wagering_accounts.domain.books import (
    Account,
    AccountKey,
    Adjustment,
    Books,
    Hold,
    HoldStatus,
    Limit,
    LineRow,
    Patron,
    Round,
    RoundAccount,
    RoundKey,
)
from shared.contracts.accounts import (
    AboutAccount,
    AboutPatron,
    AccessFailed,
    AccountBoughtIn,
    AccountCashedOut,
    AccountMovement,
    AccountOpened,
    AdjustmentApproved,
    AdjustmentEntered,
    AdjustmentRejected,
    PatronAdmitted,
    PatronCodeChanged,
    PatronExcluded,
    PatronLimitChanged,
    PatronRegistered,
    RoundCaptured,
    WagerAuthorized,
    WagerReleased,
    WagersReversed,
    WagersSettled,
    WagersVoided,
)
from shared.contracts.facts import Fact

FLOWS: Final = tuple(f"{name}_cents" for name in ["bought_in", "cashed_out", "staked", "credited", "adjusted", "short"])
"""What changes the liability: the columns of a day."""

BALANCES: Final = ("available", "held", "staked")
"""What an account has, with `_cents` behind: fields and columns."""

OfRound = WagerAuthorized | WagerReleased | RoundCaptured | WagersVoided
"""What is about a round."""


class When(NamedTuple):
    """When something happened."""

    at: datetime
    gaming_day: date


class DoesNotFit(Exception):
    """A fact does not follow from the books as they are: they have changed since it was derived."""


def evolve(books: Books, fact: Fact, when: When) -> None:
    """Bring the books to what a fact says. Everything that it is about must be at hand.

    Raises: DoesNotFit.
    """
    _apply(fact, books, when)
    own, lines, round_ = account_of(fact), list[LineRow](), _round_of(fact)
    movements: tuple[AccountMovement, ...] = getattr(fact, "movements", ())
    for movement in movements:
        account = books.accounts[property_of(fact), movement.account]
        _move(books, account, movement)
        lines.append(_line(account, movement, round_))
        if account.key() == own:
            own = None
    if own is not None:
        account = books.accounts[own]
        account.version += 1
        books.change(account)
    if isinstance(fact, WagersVoided):
        _require_nothing_left(books, fact)
    books.lines.append(lines)


def account_of(fact: Fact) -> AccountKey | None:
    """Return the account that a fact is about; None where it is about none or several."""
    match fact:
        case AboutAccount():
            return (fact.property, fact.account)
        case PatronRegistered():
            return (fact.property, fact.wallet)
        case _:
            return None


def property_of(fact: Fact) -> str:
    """Return the property that a fact of the accounts is about."""
    name: str = fact.property  # type: ignore[attr-defined]  # all of them have one
    return name


def flows_of(fact: Fact) -> Mapping[str, int]:
    """Return why the liability changes, cents: what adds up to the movements."""
    match fact:
        case AccountCashedOut() if fact.instrument != "wallet":
            return {"cashed_out_cents": -fact.cents}
        case AccountBoughtIn() if fact.instrument != "wallet":
            return {"bought_in_cents": fact.cents}
        case AdjustmentApproved():
            return {"adjusted_cents": fact.cents}
        case WagersVoided():
            sums = {
                "staked_cents": -sum(each.staked_cents for each in fact.accounts),
                "credited_cents": sum(each.credited_cents for each in fact.accounts),
                "short_cents": sum(each.shortage_cents for each in fact.accounts),
            }
            return {name: cents for name, cents in sums.items() if cents}
        case _:
            return {}


def _move(books: Books, account: Account, movement: AccountMovement) -> None:
    account.version += 1
    if movement.version not in (None, account.version):
        raise DoesNotFit(f"account {account.account} gets version {account.version}, not {movement.version}")
    account.available_cents += movement.available_cents
    account.held_cents += movement.held_cents
    account.staked_cents += movement.staked_cents
    if min(account.available_cents, account.held_cents, account.staked_cents) < 0:
        raise DoesNotFit(f"account {account.account} has less than is taken from it")
    books.change(account)


def _line(account: Account, movement: AccountMovement, round_: tuple[str, str] | None) -> LineRow:
    table, round_id = round_ or (None, None)
    return {
        "property": account.property,
        "account": account.account,
        "version": account.version,
        "table": table,
        "round_id": round_id,
        **{f"{name}_change_cents": getattr(movement, f"{name}_cents") for name in BALANCES},
        **{f"{name}_cents": getattr(account, f"{name}_cents") for name in BALANCES},
    }


def _round_of(fact: Fact) -> tuple[str, str] | None:
    """Return (table, round id) that the statements name."""
    return (fact.table, fact.round_id) if isinstance(fact, OfRound) else None


def _require_nothing_left(books: Books, fact: WagersVoided) -> None:
    """Raise DoesNotFit where an account is short of something and has something left."""
    for each in fact.accounts:
        if each.shortage_cents > 0 and books.accounts[fact.property, each.account].available_cents:
            raise DoesNotFit(f"account {each.account} has more than when its shortage was found")


@singledispatch
def _apply(fact: Fact, books: Books, when: When) -> None:
    """Change what a fact is about, besides moving money."""
    del books, when
    raise AssertionError(f"{type(fact).__name__} does what to the books?")


# --- wagers and rounds ---


def next_version(books: Books, key: RoundKey) -> int:
    """Return the version that a round has with the fact that is being decided."""
    round_ = books.rounds.get(key)
    return 1 if round_ is None else round_.version + 1


def _touched(books: Books, fact: OfRound, version: int, at: datetime) -> Round:
    """Return the round of a fact, with the version that the fact gives it."""
    key = (fact.property, fact.table, fact.round_id)
    if version != next_version(books, key):
        raise DoesNotFit(f"round {fact.round_id} of table {fact.table} has changed meanwhile")
    round_ = books.rounds.get(key)
    if round_ is None:
        round_ = Round(*key, at)
        books.add(round_)
    round_.version = version
    books.change(round_)
    return round_


def _end_hold(books: Books, property_name: str, account: str, number: int, status: HoldStatus) -> None:
    hold = books.holds[property_name, account, number]
    hold.status = status
    books.change(hold)


@_apply.register
def _authorized(fact: WagerAuthorized, books: Books, when: When) -> None:
    _touched(books, fact, fact.round_version, when.at).status = "open"
    wager = (fact.hold, fact.table, fact.round_id, fact.seat, fact.wager, fact.cents)
    books.add(Hold(fact.property, fact.account, *wager))


@_apply.register
def _released(fact: WagerReleased, books: Books, when: When) -> None:
    _touched(books, fact, fact.round_version, when.at)
    _end_hold(books, fact.property, fact.account, fact.hold, "released")


@_apply.register
def _captured(fact: RoundCaptured, books: Books, when: When) -> None:
    for each in fact.holds:
        _end_hold(books, fact.property, each.account, each.hold, "captured")
    if fact.round_version is not None:  # else its result had come first
        _touched(books, fact, fact.round_version, when.at).status = "captured"


@_apply.register
def _result(fact: WagersVoided, books: Books, when: When) -> None:
    round_ = _touched(books, fact, fact.round_version, when.at)
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
        _end_hold(books, fact.property, hold.account, hold.hold, hold.status)
    for each in fact.accounts:
        part = books.round_accounts.get((*round_.key(), each.account))
        if part is None:
            part = RoundAccount(fact.property, fact.table, fact.round_id, each.account, when.gaming_day)
            books.add(part)
        part.staked_cents += each.staked_cents
        part.credited_cents += each.credited_cents
        part.covered_cents += each.released_cents
        part.shortage_cents += each.shortage_cents
        books.change(part)


# --- money in and out ---


@_apply.register
def _opened(fact: AccountOpened, books: Books, when: When) -> None:
    books.add(Account(fact.property, fact.account, "game", fact.table, fact.patron, "open", when.at))


@_apply.register
def _bought_in(fact: AccountBoughtIn, books: Books, when: When) -> None:
    account = books.accounts[fact.property, fact.account]
    patron = books.patron_of(account)
    if fact.instrument == "wallet":
        assert patron is not None, "a wallet has a patron"
        _forget_wrong_codes(books, patron)
    if patron is not None and account.kind == "game":
        patron.bought_in_cents = patron.bought_in_during(when.gaming_day) + fact.cents
        patron.bought_in_on = when.gaming_day
        books.change(patron)


@_apply.register
def _cashed_out(fact: AccountCashedOut, books: Books, when: When) -> None:
    del when
    account = books.accounts[fact.property, fact.account]
    if account.kind == "wallet":
        patron = books.patron_of(account)
        assert patron is not None, "a wallet has a patron"
        if patron.excluded_at is None:
            _forget_wrong_codes(books, patron)
    if fact.closed:
        account.status = "closed"
        books.change(account)


@_apply.register
def _adjustment_entered(fact: AdjustmentEntered, books: Books, when: When) -> None:
    books.add(Adjustment(fact.property, fact.account, fact.adjustment, fact.cents, fact.reason, fact.by, when.at))


@_apply.register
def _adjustment_approved(fact: AdjustmentApproved, books: Books, when: When) -> None:
    adjustment = _adjustment(books, fact, when.at)
    adjustment.status = "approved"
    adjustment.before_cents, adjustment.after_cents = fact.before_cents, fact.after_cents


@_apply.register
def _adjustment_rejected(fact: AdjustmentRejected, books: Books, when: When) -> None:
    _adjustment(books, fact, when.at).status = "rejected"


def _adjustment(books: Books, fact: AdjustmentApproved | AdjustmentRejected, at: datetime) -> Adjustment:
    adjustment = books.adjustments[fact.property, fact.account, fact.adjustment]
    adjustment.decided_by, adjustment.decided_at = fact.by, at
    books.change(adjustment)
    return adjustment


# --- patrons ---


@_apply.register
def _registered(fact: PatronRegistered, books: Books, when: When) -> None:
    books.add(Patron(fact.property, fact.patron, fact.wallet))
    books.add(Account(fact.property, fact.wallet, "wallet", "", fact.patron, "open", when.at))


@_apply.register
def _patron_changed(fact: AboutPatron, books: Books, when: When) -> None:
    patron = books.patrons[fact.property, fact.patron]
    match fact:
        case PatronCodeChanged():
            patron.failed_codes, patron.locked_until = 0, None
        case PatronExcluded():
            patron.excluded_at = when.at
        case PatronAdmitted():
            patron.excluded_at = None
        case PatronLimitChanged():
            changed = patron.limits.get(fact.limit, Limit()).changed(fact.cents, when.at, fact.effective_from)
            patron.limits = {**patron.limits, fact.limit: changed}
        case AccessFailed():
            patron.locked_until = fact.locked_until
            patron.failed_codes = fact.failed if fact.locked_until is None else 0
        case _:
            raise AssertionError(f"{type(fact).__name__} does what to a patron?")
    books.change(patron)


def _forget_wrong_codes(books: Books, patron: Patron) -> None:
    """Forget the wrong codes before a right one."""
    if patron.failed_codes or patron.locked_until is not None:
        patron.failed_codes, patron.locked_until = 0, None
        books.change(patron)
