"""The effect of a settlement on accounts. Pure.

A round's holds end with its result or its void: they are released, and the result debits the stakes and credits the
payouts, in one entry. This also applies to a result that arrives before "no more bets". A revision that was posted and
reversed has no effect, regardless of the order of arrival. The accounts therefore do not depend on the order of
commands and settlements, and the leg `account_funded` is exactly the opposite of round settlement's own.

Promotional stakes are debited from promotional money. A returned stake is promotional money to the extent that it was
staked as such; winnings are ordinary money.

An amount that a correction cannot take back because it was paid out is a shortage of that round. It is an exception,
and credits of a further revision of the round settle the shortage first.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from services.wagering_accounts.domain.apply_facts import apply_fact, next_version
from services.wagering_accounts.domain.books import Books, Hold, HoldStatus, Round, RoundAccount, postings_of
from shared.contracts.accounts import (
    AccountMovement,
    AccountResult,
    EndedHold,
    WagersReversed,
    WagersSettled,
    WagersVoided,
)
from shared.contracts.settlement_views import PostedRound, ReversedRound, UnpostedRound
from shared.contracts.settlements import AccountCredit
from shared.journal.entry import Account as Leg
from shared.journal.entry import Posting
from shared.journal.recording import FactWithPostings
from shared.rules.errors import Refused

RoundEvent = PostedRound | ReversedRound | UnpostedRound
"""The events with a round's result."""

ENDED_BY_RESULTS: Final[tuple[HoldStatus, ...]] = ("held", "captured", "settled", "returned")
"""The statuses of holds that a result ends or has ended: all except `released`."""

_FACTS: Final[Mapping[type[RoundEvent], type[WagersVoided]]] = {
    PostedRound: WagersSettled,
    ReversedRound: WagersReversed,
    UnpostedRound: WagersVoided,
}


def settle(data: RoundEvent, at: datetime, books: Books) -> FactWithPostings | None:
    """Return the fact that results from a settlement; None if no account is affected.

    Raises: Refused for an unknown account, before anything changes; StaleStateError if the accounts changed while they
    were read.
    """
    key = Round.key_of(data)
    round_ = books.rounds.get(key)
    if round_ is None and not data.account_credits:
        return None
    _require_known(data, books)
    ended = [] if isinstance(data, ReversedRound) else books.holds_of(key, "held", "captured")
    fact, others = _fact(data, ended, data.account_credits if _applies(data, round_) else (), books)
    apply_fact(books, fact, at, data.gaming_day)
    return FactWithPostings(fact=fact, postings=postings_of(books, fact, others), gaming_day=data.gaming_day)


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
        case UnpostedRound():
            return False


def _fact(
    data: RoundEvent, ended: Sequence[Hold], credited: Sequence[AccountCredit], books: Books
) -> tuple[WagersVoided, list[Posting]]:
    """Return the fact, and its postings other than the postings of the movements."""
    key = Round.key_of(data)
    movements, results = list[AccountMovement](), list[AccountResult]()
    parts = _promotional_parts(
        credited, books.holds_of(key, *ENDED_BY_RESULTS), taken_back=isinstance(data, ReversedRound)
    )
    for name in sorted({hold.account for hold in ended} | {credit.account for credit in credited}):
        held, held_promotional = _on_hold(ended, name, "held")
        in_play, in_play_promotional = _on_hold(ended, name, "captured")
        staked = sum(credit.staked_cents for credit in credited if credit.account == name)
        won = sum(credit.credited_cents for credit in credited if credit.account == name)
        promotional_staked, promotional_won = parts.get(name, (0, 0))
        account = books.accounts[data.property, name]
        part = books.round_accounts.get((*key, name)) or RoundAccount(*key, name)
        released, released_promotional = held + in_play, held_promotional + in_play_promotional
        before = part.shortage_cents - part.promotional_shortage_cents
        cents = (won - promotional_won) - (staked - promotional_staked)
        paid, short = _paid(account.available_cents, before, released, cents)
        before, cents = part.promotional_shortage_cents, promotional_won - promotional_staked
        promotional, short_promotional = _paid(account.promotional_cents, before, released_promotional, cents)
        movements.append(
            AccountMovement(
                account=name,
                table=account.table or None,
                held_cents=-held,
                staked_cents=-in_play,
                available_cents=released + paid,
                promotional_held_cents=-held_promotional,
                promotional_staked_cents=-in_play_promotional,
                promotional_cents=released_promotional + promotional,
            )
        )
        results.append(
            AccountResult(
                account=name,
                staked_cents=staked,
                credited_cents=won,
                released_cents=released + released_promotional,
                shortage_cents=short + short_promotional,
                promotional_staked_cents=promotional_staked,
                promotional_credited_cents=promotional_won,
                promotional_released_cents=released_promotional,
                promotional_shortage_cents=short_promotional,
            )
        )
    stakes = {(credit.account, credit.seat, credit.wager) for credit in credited if credit.staked_cents}
    kind = _FACTS[type(data)]
    fact = kind(
        **{name: value for name, value in vars(data).items() if name in kind.model_fields},
        round_version=next_version(books, key),
        holds=tuple(
            EndedHold(
                account=hold.account,
                hold=hold.hold,
                status="settled" if (hold.account, hold.seat, hold.wager) in stakes else "returned",
            )
            for hold in ended
        ),
        accounts=tuple(results),
        movements=tuple(movements),
    )
    funded = [(credit.wager, "account_funded", credit.credited_cents - credit.staked_cents) for credit in credited]
    lacking = [("", "shortage", each.shortage_cents) for each in results]
    others = [Posting(Leg(data.property, data.table, wager, leg), cents) for wager, leg, cents in (*funded, *lacking)]
    return fact, others


def _on_hold(ended: Sequence[Hold], account: str, status: HoldStatus) -> tuple[int, int]:
    """Return an account's amounts on hold with a given status, as (ordinary money, promotional money), in cents."""
    found = [hold for hold in ended if hold.account == account and hold.status == status]
    promotional = sum(hold.promotional_cents for hold in found)
    return sum(hold.cents for hold in found) - promotional, promotional


def _promotional_parts(
    credited: Sequence[AccountCredit], holds: Sequence[Hold], *, taken_back: bool
) -> dict[str, tuple[int, int]]:
    """Return the promotional part of stakes and credits, by account; negative for a reversal.

    A stake's promotional part is that of all holds for the wager, whenever they ended, so that a correction uses the
    same part as the first result. A credit up to the amount of the stake is a return of the stake, of which promotional
    money is lost first. Credits above the stake are winnings, which are ordinary money.
    """
    sign = -1 if taken_back else 1
    wagers: dict[tuple[str, int, str], list[int]] = {}
    for credit in credited:
        sums = wagers.setdefault((credit.account, credit.seat, credit.wager), [0, 0])
        sums[0] += sign * credit.staked_cents
        sums[1] += sign * credit.credited_cents
    found: dict[str, tuple[int, int]] = {}
    for (account, seat, wager), (staked, won) in wagers.items():
        on_hold = sum(
            hold.promotional_cents for hold in holds if (hold.account, hold.seat, hold.wager) == (account, seat, wager)
        )
        promotional = min(on_hold, staked)
        back = max(0, min(won, staked) - (staked - promotional))
        before = found.get(account, (0, 0))
        found[account] = (before[0] + sign * promotional, before[1] + sign * back)
    return found


def _paid(available: int, shortage: int, released: int, cents: int) -> tuple[int, int]:
    """Return the changes of available money (without the ended holds) and of the round's shortage, cents."""
    if cents >= 0:
        made_good = min(shortage, cents)
        return cents - made_good, -made_good
    taken = min(available + released, -cents)
    return -taken, -cents - taken
