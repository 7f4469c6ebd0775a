"""What a settlement does on the accounts. Pure.

A round's holds end when its result comes or when it is void: they are given back, and the result takes what was staked
and credits what was won, in one entry. A result that comes before "no more bets" was heard of does the same. A revision
that was posted and taken back does nothing, in whichever order the two come. So the accounts end the same whatever the
order of commands and settlements, and the leg `account_funded` is to the cent the opposite of settlement's own.

What cannot be taken back because it was paid out is a shortage of that round: an exception, and the first thing that a
further revision of the round makes good.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from services.wagering_accounts.domain.books import Account, Books, Hold, Round, postings_of
from services.wagering_accounts.domain.evolving import evolve, next_version
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

_FACTS: Final[Mapping[type[RoundEvent], type[WagersVoided]]] = {
    PostedRound: WagersSettled,
    ReversedRound: WagersReversed,
    VoidedRound: WagersVoided,
}


def settle(data: RoundEvent, at: datetime, books: Books) -> Recording | None:
    """Return what follows from a settlement, by which the books evolve; None where no account is concerned.

    Raises: Refused where an account is not known, before anything changes; DoesNotFit where the books were read while
    they changed.
    """
    key = Round.key_of(data)
    round_ = books.rounds.get(key)
    if round_ is None and not data.account_credits:
        return None
    _require_known(data, books)
    ended = [] if isinstance(data, ReversedRound) else books.holds_of(key, "held", "captured")
    fact, others = _fact(data, ended, data.account_credits if _applies(data, round_) else (), books)
    evolve(books, fact, at, data.gaming_day)
    return Recording(fact=fact, postings=postings_of(books, fact, others), gaming_day=data.gaming_day)


def _require_known(data: RoundEvent, books: Books) -> None:
    for credit in data.account_credits:
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


def _fact(
    data: RoundEvent, ended: Sequence[Hold], credited: Sequence[AccountCredit], books: Books
) -> tuple[WagersVoided, list[Posting]]:
    """Return the fact, and its postings besides those of the movements."""
    key = Round.key_of(data)
    movements, results = list[AccountMovement](), list[AccountResult]()
    for name in sorted({hold.account for hold in ended} | {credit.account for credit in credited}):
        held = sum(hold.cents for hold in ended if hold.account == name and hold.status == "held")
        in_play = sum(hold.cents for hold in ended if hold.account == name and hold.status == "captured")
        staked = sum(credit.staked_cents for credit in credited if credit.account == name)
        won = sum(credit.credited_cents for credit in credited if credit.account == name)
        part, released = books.round_accounts.get((*key, name)), held + in_play
        before = 0 if part is None else part.shortage_cents
        account = books.accounts[data.property, name]
        paid, shortage = _paid(account, before, released, won - staked)
        change = {"held_cents": -held, "staked_cents": -in_play, "available_cents": released + paid}
        movements.append(AccountMovement(account=name, table=account.table or None, **change))
        result = {"staked_cents": staked, "credited_cents": won, "released_cents": released}
        results.append(AccountResult(account=name, **result, shortage_cents=shortage))
    stakes = {(credit.account, credit.seat, credit.wager) for credit in credited if credit.staked_cents}
    kind = _FACTS[type(data)]
    fact = kind(
        **{name: value for name, value in vars(data).items() if name in kind.model_fields},
        round_version=next_version(books, key),
        holds=tuple(
            EndedHold(
                account=hold.account,
                hold=hold.hold,
                status="settled" if (hold.account, hold.seat, hold.wager) in stakes else "released",
            )
            for hold in ended
        ),
        accounts=tuple(results),
        movements=tuple(movements),
    )
    funded = [(credit.wager, "account_funded", credit.credited_cents - credit.staked_cents) for credit in credited]
    short = [("", "shortage", each.shortage_cents) for each in results]
    others = [Posting(Leg(data.property, data.table, wager, leg), cents) for wager, leg, cents in (*funded, *short)]
    return fact, others


def _paid(account: Account, shortage: int, released: int, cents: int) -> tuple[int, int]:
    """Return what a change does on an account besides ending its holds, and how the round's shortage changes."""
    if cents >= 0:
        made_good = min(shortage, cents)
        return cents - made_good, -made_good
    taken = min(account.available_cents + released, -cents)
    return -taken, -cents - taken
