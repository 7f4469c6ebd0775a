"""The demo's general ledger: a mapping that two people file and approve, and the journal of the sealed day."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from rich.console import RenderableType

from loadtest.floor.books import Wagered
from loadtest.floor.floor_day import opening
from loadtest.traffic.reports import rows_of, total_of
from services.cli.books.gl import example_mapping
from services.cli.demo.pit import REGISTRY, REPORTING, People
from services.cli.demo.reports import amount
from services.cli.output import heading, names, numbers, table, words
from shared.rules.packaged import parsed

Document = Mapping[str, Any]

_PATH: Final = "/ledger-mappings"


def map_ledger(people: People, property_name: str, gaming_day: date) -> None:
    """Have one person file the example mapping, in effect from the gaming day on, and another approve it."""
    of_property = {
        "property": property_name,
        "title": f"{property_name.title()}, chart of accounts",
        "effective_from": opening(gaming_day).isoformat(),
    }
    mapping = parsed(example_mapping()) | of_property
    filed = people.does("demo.ledger_accountant", REGISTRY, _PATH, mapping)
    people.does("demo.financial_controller", REGISTRY, f"{_PATH}/{property_name}/{filed['version']}/approve")


def read_ledger(people: People, property_name: str, gaming_day: date) -> Document:
    """Return the general-ledger report of a gaming day."""
    asked = {"property": property_name, "gaming_day": gaming_day.isoformat()}
    return people.at(REPORTING).read("/reports/general-ledger", **asked)


def ledger_differences(ledger: Document, played: Wagered) -> Iterator[str]:
    """Yield the faults of the day's ledger journal, and where its handle or payouts differ from the simulator's."""
    for identity in ledger["content"]["identities"]:
        if not identity["holds"]:
            yield f"general ledger, {identity['name']}: {identity['left']} is not {identity['right']}"
    for row in rows_of(ledger, "transfers"):
        if row["cents"]:
            yield f"general ledger, transfer of {row['transfer']}: {row['cents']} cents are left over"
    if not rows_of(ledger, "journals"):
        yield "general ledger: the sealed day has no journal"
    posted: Counter[str] = Counter()
    for row in rows_of(ledger, "trial_balance"):
        posted[row["leg"]] += (row["credit_cents"] or 0) - (row["debit_cents"] or 0)
    for leg, cents in (("handle", played.handle), ("payout", played.meter_payout - played.payout)):
        if posted[leg] != cents:
            yield f"general ledger, {leg}: {posted[leg]} cents were posted, {cents} were played"


def ledger_tables(ledger: Document) -> Iterator[RenderableType]:
    """Yield a table of the sealed day's debits and credits by general-ledger account."""
    journals = ", ".join(dict.fromkeys(row["journal"] for row in rows_of(ledger, "journals")))
    yield heading(f"General ledger of the sealed day: {journals}")
    rows = [
        [row["account"], row["account_title"], *map(amount, (row["debit_cents"], row["credit_cents"]))]
        for row in rows_of(ledger, "balances")
    ]
    totals = total_of(ledger, "balances")
    rows.append(["all", "", *map(amount, (totals["debit_cents"], totals["credit_cents"]))])
    yield table(names("Account") + words("Title") + numbers("Debit", "Credit"), rows, footer=True)
