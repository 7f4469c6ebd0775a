"""What a settlement does on the accounts. Pure.

A round's holds end when its result comes or when it is void: they are given back, and the result takes what was staked
and credits what was won, in one entry. A result that comes before "no more bets" was heard of does the same. A revision
that was posted and taken back does nothing, in whichever order the two come. So the accounts end the same whatever the
order of commands and settlements, and the leg `account_funded` is to the cent the opposite of settlement's own.

What cannot be taken back because it was paid out is a shortage of that round: an exception, and the first thing that a
further revision of the round makes good.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from services.wagering_accounts.domain.books import Account, AccountKey, Books, Hold, Round, RoundKey, postings_of
from services.wagering_accounts.domain.evolving import When, evolve, next_version
from services.wagering_accounts.domain.views import PostedRound, ReversedRound, RoundEvent, VoidedRound
from shared.contracts.accounts import (
    AccountMovement,
    AccountResult,
    EndedHold,
    WagersReversed,
    WagersSettled,
    WagersVoided,
)
from shared.contracts.settlements import AccountCredit
from shared.journal.entry import Account as Leg
from shared.journal.entry import Posting
from shared.journal.recording import Recording
from shared.rules.errors import Refused


def round_key(data: RoundEvent) -> RoundKey:
    """Return what names the round that an event is about."""
    return (data.property, data.table, data.round_id)


def credits_of(data: RoundEvent) -> Sequence[AccountCredit]:
    """Return what the round's wagers did on accounts."""
    return () if isinstance(data, VoidedRound) else data.account_credits


def settle(data: RoundEvent, at: datetime, books: Books) -> Recording | None:
    """Return what follows from a settlement, by which the books evolve; None where no account is concerned.

    Raises: Refused where an account is not known, before anything changes; DoesNotFit where the books were read while
    they changed.
    """
    key = round_key(data)
    credited = credits_of(data)
    round_ = books.rounds.get(key)
    if round_ is None and not credited:
        return None
    _require_known(data, credited, books)
    ended = () if isinstance(data, ReversedRound) else _live_holds(books, key)
    fact, others = _fact(data, ended, credited if _applies(data, round_) else (), books)
    evolve(books, fact, When(at, data.gaming_day))
    postings = postings_of(books, data.property, fact.movements, others)
    return Recording(fact=fact, postings=postings, gaming_day=data.gaming_day)


def _require_known(data: RoundEvent, credited: Sequence[AccountCredit], books: Books) -> None:
    for credit in credited:
        account = books.accounts.get((data.property, credit.account))
        if account is None or account.kind != "game":
            raise Refused(
                f"'account_credits': there is no game account {credit.account} at {data.property}; "
                "open it, then replay this record",
                seat=credit.seat,
            )


def _applies(data: RoundEvent, round_: Round | None) -> bool:
    match data:
        case PostedRound():
            return round_ is None or data.revision not in round_.reversed
        case ReversedRound():
            return round_ is not None and data.revision in round_.posted
        case VoidedRound():
            return False


def _live_holds(books: Books, key: RoundKey) -> Sequence[Hold]:
    """Return the holds of a round that its result ends."""
    return sorted((hold for hold in books.holds_by_round.get(key, ()) if hold.is_live()), key=Hold.KEY)


@dataclass(slots=True)
class _Sums:
    """What a result does on one account, cents: what was on hold and in play for it, was staked and is credited."""

    held: int = 0
    in_play: int = 0
    staked: int = 0
    credited: int = 0


def _sums(data: RoundEvent, ended: Sequence[Hold], credited: Sequence[AccountCredit]) -> dict[AccountKey, _Sums]:
    found: dict[AccountKey, _Sums] = {}
    for hold in ended:
        sums = found.setdefault(hold.account_key(), _Sums())
        if hold.status == "held":
            sums.held += hold.cents
        else:
            sums.in_play += hold.cents
    for credit in credited:
        sums = found.setdefault((data.property, credit.account), _Sums())
        sums.staked += credit.staked_cents
        sums.credited += credit.credited_cents
    return dict(sorted(found.items()))


def _fact(
    data: RoundEvent, ended: Sequence[Hold], credited: Sequence[AccountCredit], books: Books
) -> tuple[WagersVoided, list[Posting]]:
    """Return the fact, and its postings beside those of the movements."""
    key = round_key(data)
    movements, results = list[AccountMovement](), list[AccountResult]()
    for account_key, sums in _sums(data, ended, credited).items():
        released = sums.held + sums.in_play
        part = books.round_accounts.get((*key, account_key[1]))
        before = 0 if part is None else part.shortage_cents
        paid, shortage = _paid(books.accounts[account_key], before, released, sums.credited - sums.staked)
        change = {"held_cents": -sums.held, "staked_cents": -sums.in_play, "available_cents": released + paid}
        movements.append(AccountMovement(account=account_key[1], **change))
        result = {"staked_cents": sums.staked, "credited_cents": sums.credited, "released_cents": released}
        results.append(AccountResult(account=account_key[1], **result, shortage_cents=shortage))
    stakes = {(credit.account, credit.seat, credit.wager) for credit in credited if credit.staked_cents}
    common: dict[str, Any] = {
        **{name: getattr(data, name) for name in ("property", "table", "game", "round_id")},
        "round_version": next_version(books, key),
        "holds": tuple(
            EndedHold(
                account=hold.account,
                hold=hold.hold,
                status="settled" if (hold.account, hold.seat, hold.wager) in stakes else "released",
            )
            for hold in ended
        ),
        "accounts": tuple(results),
        "movements": tuple(movements),
    }
    match data:
        case PostedRound():
            fact: WagersVoided = WagersSettled(revision=data.revision, **common)
        case ReversedRound():
            fact = WagersReversed(revision=data.revision, **common)
        case VoidedRound():
            fact = WagersVoided(**common)
    return fact, _others(data, credited, results)


def _others(data: RoundEvent, credited: Sequence[AccountCredit], results: Sequence[AccountResult]) -> list[Posting]:
    funded: dict[str, int] = {}
    for credit in credited:
        funded[credit.wager] = funded.get(credit.wager, 0) + credit.credited_cents - credit.staked_cents
    shortages = sum(each.shortage_cents for each in results)
    return [
        *(Posting(Leg(data.property, data.table, wager, "account_funded"), cents) for wager, cents in funded.items()),
        Posting(Leg(data.property, data.table, "", "shortage"), shortages),
    ]


def _paid(account: Account, shortage: int, released: int, cents: int) -> tuple[int, int]:
    """Return what a change does on an account beside the release of its holds, and how the round's shortage changes."""
    if cents >= 0:
        made_good = min(shortage, cents)
        return cents - made_good, -made_good
    taken = min(account.available_cents + released, -cents)
    return -taken, -cents - taken
