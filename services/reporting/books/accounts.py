"""What the wagering accounts add to measures: balances, and why they change. Pure; cents.

`account_balance_cents` is what a movement changes on an account (the item), available, on hold or in play.
`held_cents` and `in_play_cents` are what is on hold and in play for a round (the item). All else says why the
liability changes.
"""

from collections.abc import Iterator, Sequence

from services.reporting.books.measures import Amount, adds
from shared.contracts.accounts import (
    AccountBoughtIn,
    AccountCashedOut,
    AccountMovement,
    AccountOpened,
    AdjustmentApproved,
    PatronRegistered,
    RoundCaptured,
    WagerAuthorized,
    WagerReleased,
    WagersReversed,
    WagersSettled,
    WagersVoided,
)


@adds(AccountOpened)
def opened(fact: AccountOpened) -> Iterator[Amount]:
    """Say that there is a game account, and at which table."""
    yield Amount("accounts_opened", 1, fact.table, item=fact.account)


@adds(PatronRegistered)
def registered(fact: PatronRegistered) -> Iterator[Amount]:
    """Say that there is a wallet."""
    yield Amount("wallets_opened", 1, item=fact.wallet)


@adds(AccountBoughtIn)
def bought_in(fact: AccountBoughtIn) -> Iterator[Amount]:
    """Say what came to an account; the item is the instrument, the account, or the voucher's reference."""
    yield from _balances(fact.movements)
    yield Amount("bought_in_cents", fact.cents, item=fact.instrument)
    yield Amount("account_in_cents", fact.cents, item=fact.account)
    if fact.instrument == "voucher":
        yield Amount("voucher_redeemed_cents", fact.cents, item=fact.reference or "")


@adds(AccountCashedOut)
def cashed_out(fact: AccountCashedOut) -> Iterator[Amount]:
    """Say what left an account; the item is the instrument, the account, or the voucher's reference."""
    yield from _balances(fact.movements)
    yield Amount("cashed_out_cents", fact.cents, item=fact.instrument)
    yield Amount("account_out_cents", fact.cents, item=fact.account)
    if fact.instrument == "voucher":
        yield Amount("voucher_issued_cents", fact.cents, item=fact.reference or "")


@adds(AdjustmentApproved)
def adjusted(fact: AdjustmentApproved) -> Iterator[Amount]:
    """Say by how much an account was changed by hand."""
    yield from _balances(fact.movements)
    yield Amount("account_adjusted_cents", fact.cents, item=fact.account)


@adds(WagerAuthorized, WagerReleased, RoundCaptured)
def wagered(fact: WagerAuthorized | WagerReleased | RoundCaptured) -> Iterator[Amount]:
    """Say what is now on hold and in play for a round."""
    yield from _of_round(fact.movements, fact.table, fact.round_id)


@adds(WagersSettled, WagersReversed, WagersVoided)
def settled(fact: WagersSettled | WagersReversed | WagersVoided) -> Iterator[Amount]:
    """Say what a round's result did at its table; the item of a shortage is the round."""
    yield from _balances(fact.movements)
    yield from _of_round(fact.movements, fact.table, fact.round_id)
    yield Amount("account_staked_cents", sum(one.staked_cents for one in fact.accounts), fact.table)
    yield Amount("account_credited_cents", sum(one.credited_cents for one in fact.accounts), fact.table)
    shortage = sum(one.shortage_cents for one in fact.accounts)
    yield Amount("account_shortage_cents", shortage, fact.table, item=fact.round_id)


def _balances(movements: Sequence[AccountMovement]) -> Iterator[Amount]:
    for one in movements:
        yield Amount("account_balance_cents", one.available_cents + one.held_cents + one.staked_cents, item=one.account)
        yield Amount("account_movements", 1, item=one.account)


def _of_round(movements: Sequence[AccountMovement], table: str, round_id: str) -> Iterator[Amount]:
    yield Amount("held_cents", sum(one.held_cents for one in movements), table, item=round_id)
    yield Amount("in_play_cents", sum(one.staked_cents for one in movements), table, item=round_id)
