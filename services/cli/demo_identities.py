"""The identities of a gaming day: what must be equal, each side as the services report it or the simulator knows it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

from loadtest.books import Books
from loadtest.electronic import ElectronicTables
from loadtest.pit import PitDay
from loadtest.pit_table import TableMoney
from services.cli.demo_pit import ACCOUNTS, INVENTORY, METERS, VIGORISH, People

Document = Mapping[str, Any]

_WIN_COLUMNS: Final = {
    "opener": "opener_cents",
    "fills": "fills_cents",
    "credits": "credits_cents",
    "closer": "closer_cents",
    "drop": "drop_cents",
    "checks": "counter_checks_cents",
    "coupons": "coupons_cents",
    "coupons_paid": "coupons_paid_cents",
    "win": "win_cents",
    "rounds": "rounds",
    "variance": "inventory_variance_cents",
    "waived": "vigorish_waived_cents",
}
"""The figures of a table's money by their names in the win report."""

_BANK_LEGS: Final = ("banked_wagers", "banked_payouts", "bank_collected", "bank_paid")


@dataclass(frozen=True, slots=True)
class Identity:
    """Two sides that must be equal, cents."""

    name: str
    left: str
    left_cents: int
    right: str
    right_cents: int

    @property
    def holds(self) -> bool:
        """Whether they are."""
        return self.left_cents == self.right_cents

    def as_document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "identity": self.name,
            "left": self.left,
            "left_cents": self.left_cents,
            "right": self.right,
            "right_cents": self.right_cents,
            "holds": self.holds,
        }


@dataclass(frozen=True, slots=True)
class PitReports:
    """What the services of the pit report of a day."""

    win: Document
    variances: Sequence[Document]
    vigorish: Document
    liability: Document
    accounts: Sequence[Document]
    meters: Document
    hits: Sequence[Document]
    exceptions: Sequence[Document]
    """Those of the table inventory: what happened that is not in order, also where it is settled since."""
    left_over: Mapping[str, int]
    """What somebody would have to follow up, by service: variances that are resolved are not among it."""


def read_pit(people: People, property_name: str, gaming_day: date) -> PitReports:
    """Asks the services of the pit for the day."""
    day = {"property": property_name, "gaming_day": gaming_day.isoformat()}
    reconciliation = people.reads(METERS, "/reports/reconciliation", **day)
    fees = people.reads(VIGORISH, "/reports/vigorish", **day)
    noted = people.reads(INVENTORY, "/reports/exceptions", **day, limit="500")["items"]
    shortages = people.reads(ACCOUNTS, "/reports/exceptions", **day)
    open_rounds = people.reads(ACCOUNTS, "/open-rounds", property=property_name, limit="500")
    return PitReports(
        win=people.reads(INVENTORY, "/reports/win", **day),
        variances=people.reads(INVENTORY, "/variances", **day)["items"],
        vigorish=fees,
        liability=people.reads(ACCOUNTS, "/reports/liability", property=property_name),
        accounts=tuple(people.pages(ACCOUNTS, "/accounts", property=property_name)),
        meters=reconciliation,
        hits=tuple(people.pages(METERS, "/reports/hits", **day)),
        exceptions=noted,
        left_over={
            INVENTORY: sum(one["status"] == "open" for one in noted),
            VIGORISH: fees["exceptions"] + fees["input_open"],
            METERS: reconciliation["exceptions"] + reconciliation["input_open"],
            ACCOUNTS: len(shortages["items"]) + len(open_rounds["items"]),
        },
    )


def identities(
    reports: PitReports,
    *,
    pit: PitDay,
    electronic: ElectronicTables,
    legs: Mapping[str, int],
    inventory_legs: Mapping[str, int],
    daily_win: Document,
    trial_balances: Mapping[str, int],
) -> Iterator[Identity]:
    """The identities of the day. `legs` are those of round settlement, each with the sum of its postings."""
    yield Identity(
        "Trial balance",
        f"debits - credits, {len(trial_balances)} journals",
        sum(map(abs, trial_balances.values())),
        "zero",
        0,
    )
    yield Identity(
        "Win of rounds",
        "win + awards - electronic",
        daily_win["total"]["win_cents"] - legs.get("attendant", 0) - legs.get("account_funded", 0),
        "into trays, by settlement",
        legs.get("chips", 0),
    )
    yield from _inventory(reports, pit, legs)
    yield from _beside_the_tray(reports, pit, inventory_legs)
    fees, total = reports.vigorish["total"], daily_win["total"]
    settled = fees["collected_cents"] + fees["waived_cents"] - fees["returned_cents"]
    settled += fees["outstanding_cents"] - fees["over_collected_cents"]
    yield Identity(
        "Vigorish",
        "assessed by rounds",
        total["vigorish_cents"],
        "collected + waived - returned + owed",
        settled,
    )
    yield Identity(
        "Banks of players",
        "collected - paid, all seats",
        -sum(legs.get(leg, 0) for leg in _BANK_LEGS),
        "what the house won in them",
        -legs.get("house_in_bank", 0),
    )
    yield from _accounts(reports.liability, electronic, legs)
    yield from _meters(reports, legs)


def _inventory(reports: PitReports, pit: PitDay, legs: Mapping[str, int]) -> Iterator[Identity]:
    total = reports.win["total"]
    planted = 0 if pit.planted is None else sum(money.variance for money in pit.tables.values())
    yield Identity(
        "Win by § 601a.9",
        "counted at the tables",
        total["win_cents"],
        "rounds - coupons - waived + variances",
        total["rounds_win_cents"] + total["inventory_variance_cents"] + (total["drop_variance_cents"] or 0),
    )
    yield Identity(
        "Chips of rounds",
        "into trays, by settlement",
        legs.get("chips", 0),
        "of rounds, by table inventory",
        total["rounds_win_cents"] + total["coupons_paid_cents"] + total["vigorish_waived_cents"],
    )
    yield Identity(
        "Table inventory",
        "counted - expected",
        sum(one["cents"] for one in reports.variances),
        "the planted variance",
        planted,
    )
    yield Identity(
        "Drop",
        "counted twice in the boxes",
        total["drop_cents"],
        "chips sold, for cash and checks",
        sum(money.drop for money in pit.tables.values()),
    )


def _beside_the_tray(reports: PitReports, pit: PitDay, legs: Mapping[str, int]) -> Iterator[Identity]:
    total = reports.win["total"]
    yield Identity(
        "Counter checks",
        "found in the boxes",
        total["counter_checks_cents"],
        "issued at the tables",
        sum(money.checks for money in pit.tables.values()),
    )
    yield Identity(
        "Coupons, no drop",
        "found in the boxes",
        total["coupons_cents"],
        "dropped at the tables",
        sum(money.coupons for money in pit.tables.values()),
    )
    yield Identity(
        "Tips, in no tray",
        "owed to the dealers",
        -legs.get("tips_payable", 0),
        "collected at the tables",
        sum(money.tips for money in pit.tables.values()),
    )


def _accounts(liability: Document, electronic: ElectronicTables, legs: Mapping[str, int]) -> Iterator[Identity]:
    money = electronic.money
    yield Identity(
        "Accounts",
        "liability by what changed it",
        liability["closing_cents"],
        "sum of all balances",
        liability["balances"]["total_cents"],
    )
    yield Identity(
        "Electronic wagers",
        "staked - credited by rounds",
        legs.get("account_funded", 0),
        "paid in - paid out - liability",
        money.bought_in - money.cashed_out - liability["closing_cents"],
    )


def _meters(reports: PitReports, legs: Mapping[str, int]) -> Iterator[Identity]:
    sums = {
        name: _cents(sum(Decimal(pool[f"{name}_cents"]) for pool in reports.meters["pools"]))
        for name in ("opening", "seed", "contribution", "award", "reset", "transfer", "released", "closing")
    }
    yield Identity(
        "Meters",
        "opening and what moved them",
        sum(sums[name] for name in ("opening", "seed", "contribution", "reset", "transfer", "released"))
        - sums["award"],
        f"closing of {len(reports.meters['pools'])} pools",
        sums["closing"],
    )
    yield Identity(
        "Contributions",
        "of rounds, by settlement",
        -legs.get("meter_contribution", 0),
        "onto the meters",
        sums["contribution"],
    )
    yield Identity(
        "Awards",
        "paid by attendants",
        -legs.get("attendant", 0),
        f"off the meters: {len(reports.hits)}",
        sums["award"],
    )


def _cents(exact: Decimal | int) -> int:
    """What the day came to; a share of a cent, which no wager of the floor makes, would not be equal to anything."""
    cents = int(exact)
    return cents if cents == exact else cents - 1


def pit_differences(
    reports: PitReports, found: Sequence[Identity], *, pit: PitDay, electronic: ElectronicTables, books: Books
) -> Iterator[str]:
    """Where the services of the pit do not report what the simulator's own arithmetic comes to."""
    for identity in found:
        if not identity.holds:
            yield f"{identity.name}: {identity.left} is {identity.left_cents}, {identity.right} {identity.right_cents}"
    rows = {row["table"]: row for row in reports.win["tables"]}
    for table, money in pit.tables.items():
        for name, column in _WIN_COLUMNS.items():
            expected, reported = getattr(money, name), rows.get(table, {}).get(column)
            if reported != expected:
                yield f"table {table}: {column} is {reported} in the win report and must be {expected}"
    yield from _variances(reports.variances, pit.planted, pit.tables)
    fees = reports.vigorish["total"]
    yield from _exceptions(reports.exceptions, pit)
    for name in ("assessed", "collected", "waived", "returned"):
        if fees[f"{name}_cents"] != getattr(pit.vigorish, name):
            yield f"vigorish: {name} is {fees[f'{name}_cents']} and must be {getattr(pit.vigorish, name)}"
    held = {account["account"]: account["available_cents"] for account in reports.accounts}
    for account, cents in electronic.balances().items():
        if held.get(account) != cents:
            yield f"account {account} holds {held.get(account)} and must hold {cents}"
    awarded = sum(hit["cents"] for hit in reports.hits)
    if awarded != books.total().meter_payout:
        yield f"meters: the hits come to {awarded} and must come to {books.total().meter_payout}"
    if not reports.meters["balanced"]:
        yield f"meters: {'; '.join(reports.meters['wrong'])}"
    for service, count in reports.left_over.items():
        if count:
            yield f"{service}: {count} exceptions are open, and there must be none"


def _exceptions(exceptions: Sequence[Document], pit: PitDay) -> Iterator[str]:
    found = Counter((one["kind"], one["status"], one["table"]) for one in exceptions)
    planted = [] if pit.planted is None else [("variance", pit.planted[0])]
    planted += [("slip_late", fill.table) for fill in pit.paper] + [("equipment", table) for table in pit.late_cards]
    expected = Counter((kind, "noted", table) for kind, table in planted)
    if found != expected:
        yield f"exceptions of the inventory: {dict(found)}, and there must be {dict(expected)}"


def _variances(
    variances: Sequence[Document], planted: tuple[str, int] | None, tables: Mapping[str, TableMoney]
) -> Iterator[str]:
    found = [(one["table"], one["number"], one["cents"], one["status"]) for one in variances]
    expected = [] if planted is None else [(*planted, tables[planted[0]].variance, "resolved")]
    if found != expected:
        yield f"variances: {found}, and there must be {expected}"
