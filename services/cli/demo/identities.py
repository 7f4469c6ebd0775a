"""The demo day's accounting identities, which compare the services' reports with the simulator's figures."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from loadtest.floor.books import Books
from loadtest.floor.electronic import ElectronicTables
from loadtest.floor.pit import PitDay
from loadtest.traffic.reports import rows_of, total_of
from services.cli.demo.cage_locations import HELD_CENTS
from services.cli.demo.pit import ACCOUNTS, INVENTORY, METERS, REPORTING, VIGORISH, Document, People
from shared.contracts.cage_locations import CAGE

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
    "counted_win": "counted_win_cents",
    "variance": "inventory_variance_cents",
    "waived": "vigorish_waived_cents",
}
"""The columns of the day's win report, by the simulator's name for the figure."""

_OF_THE_DESK: Final = frozenset(
    ("variance", "slip_open", "slip_gap", "slip_void", "slip_late", "box_not_counted", "adjustment", "equipment")
)
"""Kinds of exceptions at the pit's desk; exceptions in rounds are checked separately."""

_BANK_LEGS: Final = ("banked_wagers", "banked_payouts", "bank_collected", "bank_paid")
_BALANCES: Final = (
    *("available_cents", "held_cents", "staked_cents"),
    *("promotional_cents", "promotional_held_cents", "promotional_staked_cents"),
)
_ONTO_METERS: Final = ("opening", "seed", "contribution", "reset", "transfer", "released")


@dataclass(frozen=True, slots=True)
class PitReports:
    """A day's reports of reporting and of the services for the pit."""

    win: Document
    variances: Sequence[Document]
    vigorish: Document
    liability: Document
    accounts: Sequence[Document]
    meters: Document
    progressives: Document
    exceptions: Sequence[Document]
    """The exceptions of the pit's desk, including resolved ones."""
    held_cents: int
    """Cents that the vault and the drawers of the cage should hold by the books."""
    owed_cents: int
    """Cents that patrons owe on their credit lines."""
    left_over: Mapping[str, int]
    """Number of open follow-ups by service, without resolved variances."""

    @property
    def hits(self) -> Sequence[Document]:
        """Return the report's rows of awards paid from meters."""
        return rows_of(self.progressives, "hits")


def read_pit(people: People, property_name: str, gaming_day: date, until: date) -> PitReports:
    """Read the reports of the day, and the account liability up to the gaming day `until`."""
    day = {"property": property_name, "gaming_day": gaming_day.isoformat()}
    of_day, of_reconciliation = (f"/{what}/{property_name}/{gaming_day}" for what in ("gaming-days", "reconciliations"))
    inventory, accounts, meters = people.at(INVENTORY), people.at(ACCOUNTS), people.at(METERS)
    reports = people.at(REPORTING)
    reconciled = meters.read(of_reconciliation)
    exceptions = reports.read("/reports/exceptions", **day)
    return PitReports(
        win=inventory.read(f"{of_day}/win"),
        variances=inventory.read("/variances", **day)["items"],
        vigorish=reports.read("/reports/vigorish", **day),
        liability=reports.read("/reports/account-liability", **day | {"gaming_day": until.isoformat()}, period="year"),
        accounts=list(accounts.pages("/accounts", property=property_name)),
        meters=reconciled,
        progressives=reports.read("/reports/progressives", **day),
        exceptions=[
            row for section in ("open", "over") for row in rows_of(exceptions, section) if row["kind"] in _OF_THE_DESK
        ],
        held_cents=sum(
            book["cents"]
            for book in inventory.read(f"/cage/{property_name}/books")["items"]
            if book["location"] != CAGE
        ),
        owed_cents=sum(line["outstanding_cents"] for line in inventory.pages(f"/credit-lines/{property_name}/patrons")),
        left_over={
            INVENTORY: len(inventory.read(f"{of_day}/follow-ups")["items"]),
            VIGORISH: len(list(people.at(VIGORISH).pages("/follow-ups", **day))),
            METERS: reconciled["exceptions"] + reconciled["input_open"],
            ACCOUNTS: len(list(accounts.pages("/open-rounds", property=property_name))),
        },
    )


def identities(
    reports: PitReports,
    *,
    pit: PitDay,
    electronic: ElectronicTables,
    settled: Document,
    legs: Mapping[str, Mapping[str, int]],
    checks_paid_cents: int,
) -> list[Document]:
    """Return the day's accounting identities; `legs` are the sums of all postings by journal schema and leg.

    `settled` is the total row of the settled win; `checks_paid_cents` are the payments on counter checks.
    """
    rounds, inventory = Counter(legs["round_settlement"]), Counter(legs["table_inventory"])
    counted, fees = reports.win["total"], total_of(reports.vigorish, "tables")
    variances = counted["inventory_variance_cents"] + (counted["drop_variance_cents"] or 0)
    implied = counted["rounds_win_cents"] + counted["counted_win_cents"] + variances
    tray = counted["rounds_win_cents"] + counted["coupons_paid_cents"] + counted["vigorish_waived_cents"]
    tables: Counter[str] = Counter()  # the simulator's sums over all tables
    for money in pit.tables.values():
        tables.update(asdict(money))
    planted = 0 if pit.planted is None else tables["variance"]
    charged = fees["collected_cents"] + fees["waived_cents"] - fees["returned_cents"] + fees["outstanding_cents"]
    banks = sum(rounds[leg] for leg in _BANK_LEGS)
    accounts, liability = electronic.money, total_of(reports.liability, "days")["closing_cents"]
    left_in = accounts.bought_in + accounts.granted - accounts.cashed_out - liability
    pools = reports.meters["pools"]
    meters = {
        name: _whole_cents(sum(Decimal(pool[f"{name}_cents"]) for pool in pools))
        for name in (*_ONTO_METERS, "award", "closing")
    }
    moved = sum(meters[name] for name in _ONTO_METERS) - meters["award"]
    out_of_balance = sum(abs(sum(sums.values())) for sums in legs.values())
    won = settled["win_cents"] - rounds["attendant"] - rounds["account_funded"]
    sides: list[tuple[str, str, int, str, int]] = [
        ("Trial balance", f"debits - credits, {len(legs)} journals", out_of_balance, "zero", 0),
        ("Settled win", "win + awards - electronic", won, "into trays, by settlement", rounds["chips"]),
        ("Win by § 601a.9", "counted at the tables", counted["win_cents"],
         "rounds - coupons - waived + by count + variances", implied),
        ("Win by count", "posted of counted tables", -inventory["counted_win"],
         "in their trays and boxes", tables["counted_win"]),
        ("Chips of rounds", "into trays, by settlement", rounds["chips"], "of rounds, by table inventory", tray),
        ("Table inventory", "counted - expected", sum(one["cents"] for one in reports.variances),
         "the planted variance", planted),
        ("Drop", "counted twice in the boxes", counted["drop_cents"],
         "chips sold, for cash and checks", tables["drop"]),
        ("Rake, in no win", "found in the boxes of poker", inventory["rake_counted"],
         "time collected at the tables", sum(pit.poker.values())),
        ("Counter checks", "found in the boxes", counted["counter_checks_cents"],
         "issued at the tables", tables["checks"]),
        ("Credit", "outstanding on credit lines", reports.owed_cents,
         "checks issued - paid at the cage", tables["checks"] - checks_paid_cents),
        ("Cage", "vault and drawer, by the books", reports.held_cents, "as counted, transferred and paid", HELD_CENTS),
        ("Coupons, no drop", "found in the boxes", counted["coupons_cents"],
         "dropped at the tables", tables["coupons"]),
        ("Tips, in no tray", "owed to the dealers", -inventory["tips_payable"],
         "collected at the tables", tables["tips"]),
        ("Vigorish", "assessed by rounds", settled["vigorish_cents"], "collected + waived - returned + owed", charged),
        ("Banks of players", "collected - paid, all seats", -banks,
         "what the house won in them", -rounds["house_in_bank"]),
        ("Accounts", "liability by what changed it", liability,
         "sum of all balances", sum(account[name] for account in reports.accounts for name in _BALANCES)),
        ("Electronic wagers", "staked - credited by rounds", rounds["account_funded"],
         "paid in + granted - paid out - liability", left_in),
        ("Meters", "opening and what moved them", moved, f"closing of {len(pools)} pools", meters["closing"]),
        ("Contributions", "of rounds, by settlement", -rounds["meter_contribution"],
         "onto the meters", meters["contribution"]),
        ("Awards", "paid by attendants", -rounds["attendant"],
         f"off the meters: {len(reports.hits)}", meters["award"]),
    ]  # fmt: skip
    names = ("identity", "left", "left_cents", "right", "right_cents")
    return [dict(zip(names, row, strict=True)) | {"holds": row[2] == row[4]} for row in sides]


def _whole_cents(exact: Decimal | int) -> int:
    """Return the amount if it is whole cents; otherwise return a wrong one, so that the accounting identity fails."""
    cents = int(exact)
    return cents if cents == exact else cents - 1


def pit_differences(
    reports: PitReports, found: Sequence[Document], *, pit: PitDay, electronic: ElectronicTables, books: Books
) -> Iterator[str]:
    """Yield the differences between the pit services' reports and the simulator's figures."""
    for one in found:
        if not one["holds"]:
            yield f"{one['identity']}: {one['left']} is {one['left_cents']}, {one['right']} {one['right_cents']}"
    rows = {row["table"]: row for row in reports.win["tables"]}
    for table, money in pit.tables.items():
        for name, column in _WIN_COLUMNS.items():
            expected, reported = getattr(money, name), rows.get(table, {}).get(column)
            if reported != expected:
                yield f"table {table}: {column} is {reported} in the win report and must be {expected}"
    yield from _followed_up(reports, pit)
    for name, cents in asdict(pit.vigorish).items():
        if (charged := total_of(reports.vigorish, "tables")[f"{name}_cents"]) != cents:
            yield f"vigorish: {name} is {charged} and must be {cents}"
    held = {account["account"]: account["available_cents"] for account in reports.accounts}
    for account, cents in electronic.balances().items():
        if held.get(account) != cents:
            yield f"account {account} holds {held.get(account)} and must hold {cents}"
    awarded = sum(hit["award_cents"] for hit in reports.hits)
    if awarded != books.total().meter_payout:
        yield f"meters: the hits come to {awarded} and must come to {books.total().meter_payout}"
    if not reports.meters["balanced"]:
        yield f"meters: {'; '.join(reports.meters['wrong'])}"
    for service, count in reports.left_over.items():
        if count:
            yield f"{service}: {count} things have to be looked after, and there must be none"


def _followed_up(reports: PitReports, pit: PitDay) -> Iterator[str]:
    """Yield a message each if the pit's variances or its exceptions differ from those the simulator planted."""
    variances = [(one["table"], one["number"], one["cents"], one["status"]) for one in reports.variances]
    planted = [] if pit.planted is None else [(*pit.planted, pit.tables[pit.planted[0]].variance, "resolved")]
    if variances != planted:
        yield f"variances: {variances}, and there must be {planted}"
    found = Counter((one["kind"], one["status"], one["table"]) for one in reports.exceptions)
    expected = Counter(
        [("variance", "resolved", table) for table, *_ in planted]
        + [("slip_late", "noted", fill.table) for fill in pit.paper]
        + [("equipment", "noted", table) for table in pit.late_cards]
    )
    if found != expected:
        yield f"exceptions of the desk: {dict(found)}, and there must be {dict(expected)}"
