"""The accounts of the ledger, and the postings of events: signed cents, debits positive.

An account is (property, table, wager, leg). `wager` is the instrument, the coupon or the slip; for many legs it is
empty. Accounts of a property as a whole have no table.

| leg | what it holds |
|---|---|
| `inventory` | the table inventory as the books expect it |
| `cage` | chips at the property's cage, less those that it sent to tables (no table) |
| `transit` | chips in transit between cage and table; `wager` is `fill` or `credit` |
| `box` | currency and counter checks in drop boxes that are not counted yet, by instrument |
| `drop` | currency and counter checks as counted |
| `counted_win` | the win by count of counted tables: chips counted beyond recorded movements (a win is a credit) |
| `rake_counted`, `rake` | rake in chips of a non-banking table as counted, and its revenue (a credit) |
| `check_payments`, `checks_redeemed` | payments on counter checks, by means of payment; their contra (no table) |
| `location` | money at a location of the cage (`wager`), without the money that other legs of the cage hold |
| `cage_transit`, `outside` | money in transit at the cage; money given to outside parties (`wager`), less received |
| `cage_over_short`, `cage_brought_forward` | overages (a credit) and shortages of locations; their first counts |
| `checks_written_off`, `checks_recovered` | counter checks written off, and recoveries of them (no table) |
| `cage_money` | what known patrons paid at the cage, less what they were paid, by medium (no table) |
| `patrons_exchange` | contra of `cage_money` for chips or checks of equal value, by purpose |
| `patrons_deposits` | contra of `cage_money` for front money and safekeeping, a liability (a credit), by purpose |
| `winnings_paid` | contra of `cage_money` for winnings paid at the cage |
| `foreign_currency`, `credit_advances`, `patrons_promotions`, `patrons_other` | contra of `cage_money`, by purpose |
| `withheld_money` | tax withheld from winnings |
| `withheld_tax`, `withheld_state_tax`, `withheld_local_tax` | the liability for withheld tax, by tax authority |
| `receivable` | amounts due from prepaid access instruments for chips |
| `rounds` | the settled win in chips (a credit balance is a win) |
| `coupons`, `coupons_counted`, `coupons_memo` | coupons dropped and counted at their stated value, and their contra |
| `coupons_paid` | chips paid for coupons in addition to the round record |
| `vigorish_waived` | vigorish that was assessed in rounds and then waived |
| `tip_box`, `tips_payable` | tips, which belong to the dealers |
| `contest_fees`, `contest_prizes`, `contest_money` | fees of a contest (a credit), its prizes, its money (no table) |
| `brought_forward` | opening inventories of the ledger |
| `inventory_variance`, `drop_variance`, `transit_variance` | resolved variances |
"""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from shared.contracts.counts import CountedBox
from shared.contracts.inventory import Figure, SlipKind
from shared.contracts.properties import Sales
from shared.contracts.win import WinFigures
from shared.journal.entry import Account, Posting

_SENDER: Final[Mapping[SlipKind, str]] = {"fill": "cage", "credit": "inventory"}
_RECEIVER: Final[Mapping[SlipKind, str]] = {"fill": "inventory", "credit": "cage"}


class TableAccounts:
    """A builder of the postings of one table."""

    def __init__(self, property_name: str, table: str) -> None:
        self._property = property_name
        self._table = table

    def _account(self, leg: str, wager: str) -> Account:
        if leg == "cage":
            return Account(self._property, "", "", leg)
        return Account(self._property, self._table, "" if leg == "inventory" else wager, leg)

    def transfer(self, debit: str, credit: str, cents: int, wager: str = "") -> tuple[Posting, ...]:
        """Return the postings that move `cents` from the leg `credit` to the leg `debit`; none for 0 cents.

        `wager` is the instrument, coupon or slip; the accounts of the inventory and the cage ignore it.
        """
        if not cents:
            return ()
        return (Posting(self._account(debit, wager), cents), Posting(self._account(credit, wager), -cents))

    def sold(self, instrument: str, cents: int) -> tuple[Posting, ...]:
        """Return the postings of chips given for currency, a counter check or a prepaid access instrument."""
        leg = "receivable" if instrument == "prepaid_access" else "box"
        return self.transfer(leg, "inventory", cents, instrument)

    def coupon(self, coupon: str, cents: int, paid_cents: int) -> tuple[Posting, ...]:
        """Return the postings of a dropped coupon, and of the chips paid for it."""
        dropped = self.transfer("coupons", "coupons_memo", cents, coupon)
        return dropped + self.transfer("coupons_paid", "inventory", paid_cents, coupon)

    def sent(self, slip: SlipKind, cents: int) -> tuple[Posting, ...]:
        """Return the postings when a slip's chips leave: a fill leaves the cage, a credit leaves the table."""
        return self.transfer("transit", _SENDER[slip], cents, slip)

    def arrived(self, slip: SlipKind, cents: int) -> tuple[Posting, ...]:
        """Return the postings when a slip's chips arrive: a fill arrives at the table, a credit at the cage."""
        return self.transfer(_RECEIVER[slip], "transit", cents, slip)

    def returned(self, slip: SlipKind, cents: int) -> tuple[Posting, ...]:
        """Return the postings when the chips of a void slip go back to their sender."""
        return self.transfer(_SENDER[slip], "transit", cents, slip)

    def counted_box(self, box: CountedBox) -> tuple[Posting, ...]:
        """Return the postings of a counted drop box. The remaining balance of its `box` accounts is its variance."""
        postings = self.transfer("drop", "box", box.currency_cents, "currency")
        postings += self.transfer("drop", "box", box.counter_checks_cents, "counter_check")
        coupons: Counter[str] = Counter()
        for item in box.figures.coupons:
            coupons[item.coupon] += item.cents * item.count
        for coupon, cents in sorted(coupons.items()):
            postings += self.transfer("coupons_counted", "coupons", cents, coupon)
        return postings + self.transfer("rake_counted", "rake", box.rake_cents or 0)

    def counted_win(self, changes: WinFigures) -> tuple[Posting, ...]:
        """Return the postings of changes to the win by count: chips and box contents beyond the expected amounts."""
        currency, checks = changes.unrecorded_currency_cents, changes.unrecorded_checks_cents
        postings = self.transfer("inventory", "counted_win", changes.counted_win_cents - currency - checks)
        postings += self.transfer("box", "counted_win", currency, "currency")
        return postings + self.transfer("box", "counted_win", checks, "counter_check")

    def adjusted(self, figure: Figure, cents: int, counted: Sales | None) -> tuple[Posting, ...]:
        """Return the postings that raise a figure of the win by `cents`.

        The adjustment has been approved, so its effect on the win is posted as a resolved variance or, at a counted
        table, as win by count. `counted` is the kinds of sales that a counted table reports; None for other tables.
        """
        of_inventory = "inventory_variance" if counted is None else "counted_win"
        of_drop = "drop_variance" if counted in (None, "each") else "counted_win"
        match figure:
            case "fills":
                return self.transfer(of_inventory, "cage", cents)
            case "credits":
                return self.transfer("cage", of_inventory, cents)
            case "currency":
                return self.transfer("drop", of_drop, cents, "currency")
            case "counter_checks":
                return self.transfer("drop", of_drop, cents, "counter_check")
            case "rake":
                return self.transfer("rake_counted", "rake", cents)
