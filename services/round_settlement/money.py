"""The money of a settled round: what it did on each wager type, and the postings that follow. All amounts are cents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from shared.contracts.tables import AccountFunding
from shared.journal.entry import Account, Posting
from shared.rules.settlement import Line, Settlement

BANK = "bank"
"""The wager type of a banking player's own line."""

DEALER_SEAT = 0
"""The seat of the dealer's wager against a bank."""

Funding = dict[tuple[int, str], int]
"""(seat, wager) -> the cents of it that came from an electronic game account."""


@dataclass(slots=True)
class Totals:
    """What a round did on one wager type.

    `handle` was wagered against the house; `payout` is all that players received of it, returned stakes and
    `meter_payout` included; `meter_contribution` went onto the meter, `meter_reset` restored it; `account_staked` and
    `account_credited` are the electronic parts of handle and payout.

    In a round that a player banks, `banked_handle` was wagered against the bank and `banked_payout` went back to those
    players; `bank_collected` was collected from the bank and `bank_paid` paid to it; `house_in_bank` is what the house
    won (below zero: lost) in it, by the dealer's wager and as co-bank.
    """

    wager: str
    count: int = 1
    handle: int = 0
    payout: int = 0
    vigorish: int = 0
    meter_contribution: int = 0
    meter_payout: int = 0
    meter_reset: int = 0
    account_staked: int = 0
    account_credited: int = 0
    banked_handle: int = 0
    banked_payout: int = 0
    bank_collected: int = 0
    bank_paid: int = 0
    house_in_bank: int = 0

    def as_document(self) -> dict[str, Any]:
        """The totals in the field names of the published event; what is 0 there by default is left out."""
        document: dict[str, Any] = {
            "wager": self.wager,
            "count": self.count,
            "handle": self.handle,
            "payout": self.payout,
        }
        for name in _OPTIONAL:
            if value := getattr(self, name):
                document[name] = value
        return document


_OPTIONAL = (
    "vigorish",
    "meter_contribution",
    "meter_payout",
    "meter_reset",
    "account_staked",
    "account_credited",
    "banked_handle",
    "banked_payout",
    "bank_collected",
    "bank_paid",
    "house_in_bank",
)


def totals_of(settlement: Settlement, funding: Funding) -> list[Totals]:
    """The totals by wager type, in the order in which the wagers first appear.

    Void lines do not count as handle: what did not count was not wagered, and went back as it came.
    """
    by_wager: dict[str, Totals] = {}
    for line, electronic in _electronic(settlement, funding):
        total = by_wager.get(line.wager)
        if total is None:
            total = by_wager[line.wager] = Totals(line.wager)
        if line.outcome == "void":
            continue
        total.vigorish += line.vigorish
        received = line.payout + line.stake_returned
        if line.wager == BANK:
            total.bank_collected += line.stake
            total.bank_paid += received
            share = line.house_share or 0
            total.house_in_bank += share if line.outcome == "win" else -share
        elif line.seat == DEALER_SEAT:
            total.house_in_bank += received - line.stake
        else:
            total.account_staked += electronic
            total.account_credited += _credited(line, electronic)
            if line.paid_by == "bank":
                total.banked_handle += line.stake
                total.banked_payout += received
            else:
                total.handle += line.stake
                total.payout += received
                total.meter_payout += line.from_meter
    for contribution in settlement.contributions:
        by_wager[contribution.wager].meter_contribution += contribution.cents
    for meter, cents in settlement.meter_resets.items():
        by_wager.setdefault(meter, Totals(meter)).meter_reset += cents
    return list(by_wager.values())


def account_credits_of(settlement: Settlement, funded: Sequence[AccountFunding]) -> list[dict[str, Any]]:
    """What each wager that an account funded did on that account, in the field names of the published event.

    `staked` was taken from the account, `credited` goes to it, both 0 where the wager did not count;
    they add up to `account_staked` and `account_credited` of the totals.
    """
    if not funded:
        return []
    sums = {(part.seat, part.wager): [0, 0] for part in funded}
    for line, electronic in _electronic(settlement, {(part.seat, part.wager): part.cents for part in funded}):
        if electronic and line.outcome != "void":
            pair = sums[line.seat, line.wager]
            pair[0] += electronic
            pair[1] += _credited(line, electronic)
    return [
        {"account": part.account, "seat": part.seat, "wager": part.wager, "staked": staked, "credited": credited}
        for part in funded
        for staked, credited in (sums[part.seat, part.wager],)
    ]


def _electronic(settlement: Settlement, funding: Funding) -> Iterator[tuple[Line, int]]:
    """The lines in order, each with the cents of its stake that came from an account: the first lines first."""
    left = dict(funding)
    for line in settlement.lines:
        electronic = min(left.get((line.seat, line.wager), 0), line.stake)
        if electronic:
            left[line.seat, line.wager] -= electronic
        yield line, electronic


def _credited(line: Line, electronic: int) -> int:
    """What of a line goes to the account: the share that the account staked; a meter award never does.

    Shares of a cent stay on the table, in chips. § 605a.2(d), § 647a.11(j)(3).
    """
    if not electronic:
        return 0
    return (line.payout - line.from_meter + line.stake_returned - line.vigorish) * electronic // line.stake


@lru_cache(maxsize=65536)
def _account(property_name: str, table: str, wager: str, leg: str) -> Account:
    return Account(property_name, table, wager, leg)


def postings_of(property_name: str, table: str, totals: list[Totals]) -> tuple[Posting, ...]:
    """The postings of a round: per wager type the legs that moved, and the net flow of chips into the inventory."""
    postings: list[Posting] = []
    chips = 0
    for total in totals:
        legs = (
            ("handle", -total.handle),
            ("payout", total.payout - total.meter_payout),
            ("vigorish", -total.vigorish),
            ("meter_expense", total.meter_contribution + total.meter_reset),
            ("meter_contribution", -total.meter_contribution),
            ("meter_reset", -total.meter_reset),
            ("meter_payout", total.meter_payout),
            ("attendant", -total.meter_payout),
            ("account_funded", total.account_staked - total.account_credited),
            ("banked_wagers", -total.banked_handle),
            ("banked_payouts", total.banked_payout),
            ("bank_collected", -total.bank_collected),
            ("bank_paid", total.bank_paid),
            ("bank_settlement", total.house_in_bank),
            ("house_in_bank", -total.house_in_bank),
        )
        for leg, cents in legs:
            if cents:
                postings.append(Posting(_account(property_name, table, total.wager, leg), cents))
                chips -= cents
    if chips:
        postings.append(Posting(_account(property_name, table, "", "chips"), chips))
    return tuple(postings)
