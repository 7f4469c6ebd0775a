"""Measures of the wagering accounts: balances, and the causes of balance changes. Pure; cents.

The parentheses after a measure name its item, the subject of its amounts. Amounts of a wallet have no table.

- `account_balance_cents` (account): the change of an account's money by a movement, whether available, on hold or in
  play; `promotional_balance_cents` is the promotional part of the change.
- `held_cents`, `in_play_cents` (round): the money on hold and in play for a round, from movements.
- `holds_cents`: the sum of holds, from authorizations and releases.
- `account_uncovered_cents` (`AccountOfRound`): the part of a round's stakes that the account's holds did not cover.
- `account_shortage_cents` (`AccountOfRound`): the part of a round's credits that could not be taken back from the
  account.
- `voucher_cents` (the voucher's reference): the amount for which a voucher was issued, less redemptions.
- `account_in_cents`, `account_out_cents` (account): currency paid into and out of an account.
- `others_in_cents`, `others_out_cents`: see services.reporting.read_model.cage.

All other measures are causes of changes of the liability, or of its promotional part.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.reporting.read_model.measures import Amount, adds
from shared.contracts.accounts import (
    AccountAdjustmentApproved,
    AccountBoughtIn,
    AccountCashedOut,
    AccountMovement,
    PromotionExpired,
    PromotionGranted,
    PromotionMoved,
    PromotionWrittenOff,
    RoundCaptured,
    WagerAuthorized,
    WagerReleased,
    WagersReversed,
    WagersSettled,
    WagersVoided,
)
from shared.contracts.cage import Direction


@dataclass(frozen=True, slots=True, order=True)
class AccountOfRound:
    """A round, and an account from which wagers of the round were made.

    >>> AccountOfRound.of_item(AccountOfRound("r-1", "GA-1").item).account
    'GA-1'
    """

    round_id: str
    account: str

    @property
    def item(self) -> str:
        """Return round and account as a text, which is the `item` of an amount."""
        return f"{self.round_id} {self.account}"

    @classmethod
    def of_item(cls, item: str) -> "AccountOfRound":
        """Return the round and account encoded in the item of an amount."""
        return cls(*item.split(" "))


@adds(AccountBoughtIn)
def bought_in(fact: AccountBoughtIn) -> Iterator[Amount]:
    """Yield the amounts of a payment into an account, by means of payment; for a voucher, also by its reference."""
    yield from _balances(fact.movements)
    yield Amount("bought_in_cents", fact.cents, _table_of(fact.movements), item=fact.instrument)
    if fact.instrument == "cash":
        yield Amount("account_in_cents", fact.cents, _table_of(fact.movements), item=fact.account)
        yield from _of_others(fact, "in")
    if fact.instrument == "voucher":
        yield Amount("voucher_cents", -fact.cents, item=fact.reference or "")


@adds(AccountCashedOut)
def cashed_out(fact: AccountCashedOut) -> Iterator[Amount]:
    """Yield the amounts of a payment out of an account, by means of payment; for a voucher, also by its reference."""
    yield from _balances(fact.movements)
    yield Amount("cashed_out_cents", fact.cents, _table_of(fact.movements), item=fact.instrument)
    if fact.instrument == "cash":
        yield Amount("account_out_cents", fact.cents, _table_of(fact.movements), item=fact.account)
        yield from _of_others(fact, "out")
    if fact.instrument == "voucher":
        yield Amount("voucher_cents", fact.cents, item=fact.reference or "")


def _of_others(fact: AccountBoughtIn, direction: Direction) -> Iterator[Amount]:
    """Yield currency attributed to persons other than the account's patron: conductor and beneficiaries."""
    conductor = () if fact.conducted_by is None else (fact.conducted_by,)
    for one in (*conductor, *(fact.on_behalf_of or ())):
        yield Amount(f"others_{direction}_cents", fact.cents, _table_of(fact.movements), item=one)


@adds(AccountAdjustmentApproved)
def adjusted(fact: AccountAdjustmentApproved) -> Iterator[Amount]:
    """Yield the amounts of an approved adjustment of an account."""
    yield from _balances(fact.movements)
    yield Amount("account_adjusted_cents", fact.cents, _table_of(fact.movements))


@adds(PromotionGranted, PromotionWrittenOff, PromotionExpired, PromotionMoved)
def promoted(
    fact: PromotionGranted | PromotionWrittenOff | PromotionExpired | PromotionMoved,
) -> Iterator[Amount]:
    """Yield promotional money granted, written off, or moved to a table from a wallet."""
    yield from _balances(fact.movements)
    table = _table_of(fact.movements)
    match fact:
        case PromotionGranted():
            yield Amount("promotional_granted_cents", fact.cents, table)
        case PromotionWrittenOff():
            yield Amount("promotional_written_off_cents", fact.cents, table)
        case PromotionExpired():
            yield Amount("promotional_expired_cents", fact.cents, table)
        case PromotionMoved():
            yield Amount("promotional_moved_cents", fact.cents, table)


@adds(WagerAuthorized, WagerReleased, RoundCaptured)
def wagered(fact: WagerAuthorized | WagerReleased | RoundCaptured) -> Iterator[Amount]:
    """Yield the changes of the money that is on hold and in play for a round."""
    yield from _of_round(fact.movements, fact.table, fact.round_id)
    match fact:
        case WagerAuthorized():
            yield Amount("holds_cents", fact.cents, fact.table)
        case WagerReleased():
            yield Amount("holds_cents", -fact.cents, fact.table)


@adds(WagersSettled, WagersReversed, WagersVoided)
def settled(fact: WagersSettled | WagersReversed | WagersVoided) -> Iterator[Amount]:
    """Yield the stakes, credits, released holds, uncovered stakes and shortages of a round's accounts."""
    yield from _balances(fact.movements)
    yield from _of_round(fact.movements, fact.table, fact.round_id)
    yield Amount("holds_cents", -sum(one.released_cents for one in fact.accounts), fact.table)
    yield Amount("account_staked_cents", sum(one.staked_cents for one in fact.accounts), fact.table)
    yield Amount("account_credited_cents", sum(one.credited_cents for one in fact.accounts), fact.table)
    for one in fact.accounts:
        yield Amount("promotional_staked_cents", one.promotional_staked_cents, fact.table)
        yield Amount("promotional_credited_cents", one.promotional_credited_cents, fact.table)
        yield Amount("promotional_shortage_cents", one.promotional_shortage_cents, fact.table)
        item = AccountOfRound(fact.round_id, one.account).item
        yield Amount("account_uncovered_cents", one.staked_cents - one.released_cents, fact.table, item=item)
        yield Amount("account_shortage_cents", one.shortage_cents, fact.table, item=item)


def _table_of(movements: Sequence[AccountMovement]) -> str:
    """Return the table of the movements' account, as the first movement states it; empty for a wallet."""
    return next((one.table or "" for one in movements), "")


def _balances(movements: Sequence[AccountMovement]) -> Iterator[Amount]:
    for one in movements:
        promotional = one.promotional_cents + one.promotional_held_cents + one.promotional_staked_cents
        cents, table = one.available_cents + one.held_cents + one.staked_cents + promotional, one.table or ""
        yield Amount("account_balance_cents", cents, table, item=one.account)
        yield Amount("promotional_balance_cents", promotional, table, item=one.account)
        yield Amount("account_movements", 1, table, item=one.account)


def _of_round(movements: Sequence[AccountMovement], table: str, round_id: str) -> Iterator[Amount]:
    held = sum(one.held_cents + one.promotional_held_cents for one in movements)
    in_play = sum(one.staked_cents + one.promotional_staked_cents for one in movements)
    yield Amount("held_cents", held, table, item=round_id)
    yield Amount("in_play_cents", in_play, table, item=round_id)
