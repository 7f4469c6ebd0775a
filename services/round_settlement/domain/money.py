"""The totals of a settled round by wager type, and its postings. All amounts are cents."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Final

from shared.contracts.rounds import AccountFunding
from shared.contracts.settlements import AccountCredit
from shared.contracts.wager_totals import FIGURES, WagerTotals
from shared.journal.entry import Account, Posting
from shared.rules.line import Line
from shared.rules.settlement import Settlement

BANK: Final = "bank"
"""The wager type of the settlement line of the player who banks."""

DEALER_SEAT: Final = 0
"""The seat number of the dealer's wager against a player who banks."""

Funding = dict[tuple[int, str], int]
"""(seat, wager) -> cents of the stake funded from an electronic game account."""

_ONE_ROUND: Final = dict.fromkeys(FIGURES, 0) | {"count": 1}


def totals_of(settlement: Settlement, funding: Funding) -> tuple[WagerTotals, ...]:
    """Return the totals by wager type, in the order in which the wagers first appear.

    Void lines do not count as handle: their stakes were returned.
    """
    by_wager: dict[str, dict[str, int]] = {}
    for line, electronic in _electronic(settlement, funding):
        total = by_wager.get(line.wager)
        if total is None:
            total = by_wager[line.wager] = _ONE_ROUND.copy()
        if line.outcome == "void":
            continue
        if line.vigorish:
            total["vigorish_cents"] += line.vigorish
        received = line.payout + line.stake_returned
        if line.wager == BANK:
            total["bank_collected_cents"] += line.stake
            total["bank_paid_cents"] += received
            share = line.house_share or 0
            total["house_in_bank_cents"] += share if line.outcome == "win" else -share
        elif line.seat == DEALER_SEAT:
            total["house_in_bank_cents"] += received - line.stake
        else:
            if electronic:
                total["account_staked_cents"] += electronic
                total["account_credited_cents"] += _credited(line, electronic)
            if line.paid_by == "bank":
                total["banked_handle_cents"] += line.stake
                total["banked_payout_cents"] += received
            else:
                total["handle_cents"] += line.stake
                total["payout_cents"] += received
                if line.from_meter:
                    total["meter_payout_cents"] += line.from_meter
    for contribution in settlement.contributions:
        by_wager[contribution.wager]["meter_contribution_cents"] += contribution.cents
    for meter, cents in settlement.meter_resets.items():
        by_wager.setdefault(meter, _ONE_ROUND.copy())["meter_reset_cents"] += cents
    return tuple(WagerTotals.of(wager, figures) for wager, figures in by_wager.items())


def account_credits_of(settlement: Settlement, funded: Sequence[AccountFunding]) -> tuple[AccountCredit, ...]:
    """Return the effect of each account-funded wager on its account.

    `staked_cents` was debited from the account and `credited_cents` is credited to it; both are 0 if the wager is void.
    Their sums equal `account_staked_cents` and `account_credited_cents` of the totals.
    """
    if not funded:
        return ()
    sums = {(part.seat, part.wager): [0, 0] for part in funded}
    for line, electronic in _electronic(settlement, {(part.seat, part.wager): part.cents for part in funded}):
        if electronic and line.outcome != "void":
            pair = sums[line.seat, line.wager]
            pair[0] += electronic
            pair[1] += _credited(line, electronic)
    return tuple(
        AccountCredit.model_construct(
            account=part.account, seat=part.seat, wager=part.wager, staked_cents=staked, credited_cents=credited
        )
        for part in funded
        for staked, credited in (sums[part.seat, part.wager],)
    )


def _electronic(settlement: Settlement, funding: Funding) -> Iterable[tuple[Line, int]]:
    """Return each line with the account-funded cents of its stake; funding goes to a wager's first lines first."""
    if not funding:
        return zip(settlement.lines, repeat(0))
    left, found = dict(funding), []
    for line in settlement.lines:
        electronic = min(left.get((line.seat, line.wager), 0), line.stake)
        if electronic:
            left[line.seat, line.wager] -= electronic
        found.append((line, electronic))
    return found


def _credited(line: Line, electronic: int) -> int:
    """Return the part of a line's credit due to the account, in proportion to its share of the stake.

    Meter awards are excluded. Fractions of a cent are not credited, but stay on the table as chips. § 605a.2(d),
    § 647a.11(j)(3).
    """
    return (line.payout - line.from_meter + line.stake_returned - line.vigorish) * electronic // line.stake


@lru_cache(maxsize=65536)
def _account(property_name: str, table: str, wager: str, leg: str) -> Account:
    return Account(property_name, table, wager, leg)


def postings_of(property_name: str, table: str, totals: Iterable[WagerTotals]) -> tuple[Posting, ...]:
    """Return the postings of a round: the nonzero legs of each wager type, and the change in the table's chips."""
    postings: list[Posting] = []
    chips = 0
    for total in totals:
        for leg, cents in total.legs():
            if cents:
                postings.append(Posting(_account(property_name, table, total.wager, leg), cents))
                chips -= cents
    if chips:
        postings.append(Posting(_account(property_name, table, "", "chips"), chips))
    return tuple(postings)
