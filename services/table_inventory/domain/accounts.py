"""The accounts of the ledger, and the postings of what happens: signed cents, debits positive.

An account is (property, table, wager, leg); `wager` names the instrument, the coupon or the slip where there is one.

| leg | what it holds |
|---|---|
| `inventory` | the table inventory as the books expect it |
| `cage` | chips at the property's cage, less what it gave (no table) |
| `transit` | chips on their way, `wager` says under a fill or a credit |
| `box` | currency and counter checks in the drop box that were not counted yet, by instrument |
| `drop` | currency and counter checks as counted |
| `receivable` | what prepaid access instruments owe for chips |
| `rounds` | the win of the settled rounds in chips (a credit balance is a win) |
| `coupons`, `coupons_counted`, `coupons_memo` | coupons dropped and counted at their stated value, and their contra |
| `coupons_paid` | chips paid for coupons beyond the record of the round |
| `vigorish_waived` | vigorish that rounds assessed and nobody collected |
| `tip_box`, `tips_payable` | tips, which belong to the dealers |
| `brought_forward` | inventories with which the ledger began |
| `inventory_variance`, `drop_variance`, `transit_variance` | differences that were resolved |
"""

from shared.contracts.counts import BoxFigures
from shared.contracts.inventory import Figure, SlipKind
from shared.journal.entry import Account, Posting


def _pair(debit: Account, credit: Account, cents: int) -> tuple[Posting, ...]:
    return (Posting(debit, cents), Posting(credit, -cents)) if cents else ()


class TableAccounts:
    """The postings of a table."""

    def __init__(self, property_name: str, table: str) -> None:
        self._property = property_name
        self._table = table
        self.inventory = self.account("inventory")
        self.cage = Account(property_name, "", "", "cage")

    def account(self, leg: str, wager: str = "") -> Account:
        """Return an account of the table."""
        return Account(self._property, self._table, wager, leg)

    def began_with(self, cents: int) -> tuple[Posting, ...]:
        """Post the first count of the table: what it held before the ledger began."""
        return _pair(self.inventory, self.account("brought_forward"), cents)

    def round(self, cents: int) -> tuple[Posting, ...]:
        """Post the chips that a settled round brought in."""
        return _pair(self.inventory, self.account("rounds"), cents)

    def sold(self, instrument: str, cents: int) -> tuple[Posting, ...]:
        """Post chips given for currency, a counter check or a prepaid access instrument."""
        leg = "receivable" if instrument == "prepaid_access" else "box"
        return _pair(self.account(leg, instrument), self.inventory, cents)

    def changed(self, cents: int) -> tuple[Posting, ...]:
        """Post chips exchanged for others of equal value."""
        return _pair(self.inventory, self.inventory, cents)

    def coupon(self, coupon: str, cents: int, paid_cents: int) -> tuple[Posting, ...]:
        """Post a coupon dropped, and chips paid for it."""
        return _pair(self.account("coupons", coupon), self.account("coupons_memo", coupon), cents) + _pair(
            self.account("coupons_paid", coupon), self.inventory, paid_cents
        )

    def tips(self, cents: int) -> tuple[Posting, ...]:
        """Post tips collected: no account of the table inventory is touched."""
        return _pair(self.account("tip_box"), self.account("tips_payable"), cents)

    def vigorish_waived(self, cents: int) -> tuple[Posting, ...]:
        """Post vigorish that the settled round counted in, and that did not come in."""
        return _pair(self.account("vigorish_waived"), self.inventory, cents)

    def sent(self, slip: SlipKind, cents: int) -> tuple[Posting, ...]:
        """Post that the chips of a slip leave: a fill the cage, a credit the table."""
        origin = self.cage if slip == "fill" else self.inventory
        return _pair(self.account("transit", slip), origin, cents)

    def arrived(self, slip: SlipKind, cents: int) -> tuple[Posting, ...]:
        """Post that the chips of a slip arrive: a fill at the table, a credit at the cage."""
        destination = self.inventory if slip == "fill" else self.cage
        return _pair(destination, self.account("transit", slip), cents)

    def returned(self, slip: SlipKind, cents: int) -> tuple[Posting, ...]:
        """Post that the chips of a void slip go back to where they came from."""
        return tuple(Posting(account, -amount) for account, amount in self.sent(slip, cents))

    def counted_box(self, figures: BoxFigures) -> tuple[Posting, ...]:
        """Post what was in a drop box. The rest of the `box` accounts is the difference to what was recorded."""
        postings = _pair(self.account("drop", "currency"), self.account("box", "currency"), currency_of(figures))
        checks = counter_checks_of(figures)
        postings += _pair(self.account("drop", "counter_check"), self.account("box", "counter_check"), checks)
        coupons: dict[str, int] = {}
        for item in figures.coupons:
            coupons[item.coupon] = coupons.get(item.coupon, 0) + item.cents * item.count
        for coupon, cents in sorted(coupons.items()):
            postings += _pair(self.account("coupons_counted", coupon), self.account("coupons", coupon), cents)
        return postings

    def inventory_variance(self, cents: int) -> tuple[Posting, ...]:
        """Post that a count found `cents` more than the books expected."""
        return _pair(self.inventory, self.account("inventory_variance"), cents)

    def drop_variance(self, instrument: str, cents: int) -> tuple[Posting, ...]:
        """Post that a box held `cents` more of an instrument than was recorded."""
        return _pair(self.account("box", instrument), self.account("drop_variance", instrument), cents)

    def transit_variance(self, slip: SlipKind, cents: int) -> tuple[Posting, ...]:
        """Post that `cents` more arrived under a slip than was sent."""
        return _pair(self.account("transit", slip), self.account("transit_variance", slip), cents)

    def adjusted(self, figure: Figure, cents: int) -> tuple[Posting, ...]:
        """Post that a figure of the win is `cents` higher."""
        match figure:
            case "opener" | "closer":
                return self.inventory_variance(cents)
            case "fills":
                return _pair(self.inventory, self.cage, cents)
            case "credits":
                return _pair(self.cage, self.inventory, cents)
            case "currency":
                return _pair(self.account("drop", "currency"), self.account("box", "currency"), cents)
            case "counter_checks":
                return _pair(self.account("drop", "counter_check"), self.account("box", "counter_check"), cents)


def currency_of(figures: BoxFigures) -> int:
    """Return the currency in a box, in cents."""
    return sum(pieces.cents * pieces.count for pieces in figures.currency)


def counter_checks_of(figures: BoxFigures) -> int:
    """Return the counter checks in a box, in cents."""
    return sum(check.cents for check in figures.counter_checks)


def coupons_of(figures: BoxFigures) -> int:
    """Return the coupons in a box at their stated value, in cents; they are never drop."""
    return sum(item.cents * item.count for item in figures.coupons)
