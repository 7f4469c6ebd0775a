"""What a settled round does on electronic accounts: each wager's part, to the cent that the totals say."""

from typing import Any

import pytest

from services.round_settlement.domain.money import account_credits_of, totals_of
from shared.contracts.rounds import AccountFunding
from shared.contracts.settlements import AccountCredit
from shared.rules.line import Line
from shared.rules.settlement import Settlement


def _line(seat: int, wager: str, outcome: Any, stake: int, payout: int, returned: int, **more: Any) -> Line:
    return Line(seat, wager, outcome, stake, payout, returned, "§ 633a.13(a)", **more)


def _settlement(*lines: Line) -> Settlement:
    return Settlement(lines=lines, meters={}, contributions=(), meter_resets={}, meters_before={})


def _funded(seat: int, wager: str, account: str, cents: int) -> AccountFunding:
    return AccountFunding(seat=seat, wager=wager, account=account, cents=cents)


LINES = (
    _line(1, "blackjack", "win", 300, 450, 300),
    _line(1, "blackjack", "lose", 300, 0, 0),
    _line(1, "side", "void", 500, 0, 500),
    _line(2, "blackjack", "win", 333, 100, 333, vigorish=5),
)
FUNDED = (
    _funded(1, "blackjack", "GA-1", 400),
    _funded(1, "side", "GA-1", 500),
    _funded(2, "blackjack", "GA-2", 100),
)


def test_each_funded_wager_has_its_part() -> None:
    """The first lines take the stake; void ones count for nothing; vigorish comes off; cents are floored."""
    assert (
        AccountCredit(account="GA-1", seat=1, wager="blackjack", staked_cents=400, credited_cents=750),
        AccountCredit(account="GA-1", seat=1, wager="side", staked_cents=0, credited_cents=0),
        AccountCredit(account="GA-2", seat=2, wager="blackjack", staked_cents=100, credited_cents=428 * 100 // 333),
    ) == account_credits_of(_settlement(*LINES), FUNDED)


@pytest.mark.parametrize("part", range(1, 8))
def test_the_parts_add_up_to_the_totals(part: int) -> None:
    """Whichever of the wagers are funded: staked and credited per account are those of the totals by wager."""
    funded = [one for number, one in enumerate(FUNDED) if part >> number & 1]
    settlement = _settlement(*LINES)
    totals = totals_of(settlement, {(one.seat, one.wager): one.cents for one in funded})
    parts = account_credits_of(settlement, funded)
    assert {total.wager: (total.account_staked_cents, total.account_credited_cents) for total in totals} == {
        total.wager: (
            sum(credit.staked_cents for credit in parts if credit.wager == total.wager),
            sum(credit.credited_cents for credit in parts if credit.wager == total.wager),
        )
        for total in totals
    }


def test_a_round_without_accounts_credits_none() -> None:
    """Chips alone."""
    assert () == account_credits_of(_settlement(*LINES), ())
