"""The cage and the hosts in the demo: counter checks redeemed or returned unpaid, reportable currency, promotions."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final

from loadtest.floor.electronic import ElectronicTables
from loadtest.floor.pit import PitDay
from loadtest.traffic.reports import rows_of, total_of
from services.cli.demo.cage_locations import WINDOW, close_cage, open_cage
from services.cli.demo.pit import ACCOUNTS, INVENTORY, REPORTING, People
from services.cli.output import heading, names, numbers, table, words
from shared.contracts.money import dollars

if TYPE_CHECKING:
    from rich.console import RenderableType

Document = Mapping[str, Any]

_CASHIER: Final = "demo.cashier"
_HIGH_ROLLER: Final = "P-1001"
_CURRENCY: Final = (("chip_purchase", 7_000_00), ("front_money_deposit", 4_500_00))
"""Two transactions that exceed the reporting threshold only together."""

_PAID: Final = (("chips", 1), ("deposit", 1), ("chips", 2))
"""How the first counter checks are paid: the means of payment, and the divisor of the amount (2 pays half)."""

_VISITOR: Final = "P-1002"
_BELOW_CENTS: Final = 4_000_00
GRANTED_CENTS: Final = 50_00
_GRANT_DAYS: Final = timedelta(days=30)


def work_at_cage(people: People, pit: PitDay, electronic: ElectronicTables) -> int:
    """Have the cage transfer, count, redeem counter checks and take currency, and have a host grant promotional money.

    The first check is paid in chips; the second is deposited, and the bank returns it unpaid; the third is paid in
    part. All movements are in the current gaming day. Returns the sum of payments on counter checks in cents, excluding
    the returned deposit.
    """
    open_cage(people, pit.property, pit.gaming_day)
    paid_cents = _redeem(people, pit)
    for patron, kind, cents in (
        *((_HIGH_ROLLER, kind, cents) for kind, cents in _CURRENCY),
        (_VISITOR, "chip_purchase", _BELOW_CENTS),
    ):
        moved = {"property": pit.property, "window": WINDOW, "patron": patron, "kind": kind, "cents": cents}
        people.does(_CASHIER, INVENTORY, "/cage-movements", moved)
    close_cage(people, pit.property)
    visitor = {"property": pit.property, "patron": _VISITOR, "wallet": f"W-{_VISITOR}", "access_code": "4711-kiwi"}
    people.does("demo.account_cashier", ACCOUNTS, "/patrons", visitor)
    expires_on = (pit.gaming_day + _GRANT_DAYS).isoformat()
    grant = {"cents": GRANTED_CENTS, "reason": "welcome", "expires_on": expires_on}
    people.does("demo.player_host", ACCOUNTS, f"/accounts/{pit.property}/W-{_VISITOR}/promotional-money", grant)
    electronic.money.granted += GRANTED_CENTS
    return paid_cents


def _redeem(people: People, pit: PitDay) -> int:
    path, paid_cents = f"/counter-checks/{pit.property}", 0
    for check, (paid_in, share) in zip(pit.issued_checks(), _PAID, strict=False):
        paid = {"cents": check.cents // share, "paid_in": paid_in}
        step = people.does(_CASHIER, INVENTORY, f"{path}/{check.serial}/redeem", paid)["step"]
        if paid_in == "deposit":
            why = {"reason": "insufficient funds: the bank's notice 88-1"}
            people.does(_CASHIER, INVENTORY, f"{path}/redemptions/{step}/return", why)
        else:
            paid_cents += check.cents // share
    return paid_cents


def read_cage(people: People, property_name: str, day: date) -> Document:
    """Return a gaming day's log of counter checks and its currency report."""
    asked = {"property": property_name, "gaming_day": day.isoformat()}
    reports = people.at(REPORTING)
    return {name: reports.read(f"/reports/{name}", **asked) for name in ("counter-checks", "currency")}


def cage_tables(cage: Document, liability: Document) -> Iterator["RenderableType"]:
    """Yield the cage's figures as tables."""
    checks, currency = cage["counter-checks"], cage["currency"]
    yield heading("Counter checks at the cage")
    yield table(
        names("Serial", "What", "Paid in") + numbers("Amount") + words("Why"),
        [
            [row["serial"], row["what"], row["paid_in"] or "", dollars(row["cents"]), row["reason"] or ""]
            for row in rows_of(checks, "cage")
        ],
    )
    left = dollars(total_of(checks, "on_hand")["left_cents"])
    yield f"On hand at the end: {left}. A check that comes back unpaid stays in the drop of its table."
    yield heading("Currency that is reported and logged, by person in the gaming day")
    yield table(
        names("Form", "Person", "Direction") + numbers("Movements", "Amount"),
        [
            [row["form"], row["person"], row["direction"], str(row["movements"]), dollars(row["cents"])]
            for row in rows_of(currency, "reportable")
        ],
    )
    logged = len(rows_of(currency, "log"))
    granted = dollars(total_of(liability, "promotional")["granted_cents"])
    yield f"The logs have {logged} movements. Promotional money granted: {granted}, which is never paid out."
    yield ""
