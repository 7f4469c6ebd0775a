"""Invoices beside the accrual on a real database: each return agrees, differs, or lacks one or the other."""

from typing import Any, Final

from tests.support.properties import property_event
from tests.support.reporting import Books, names, rows_of
from tests.support.table_days import Entry, TableDays

STATE: Final = "Commonwealth of Pennsylvania"
COUNTY: Final = "host county and municipality, through the Department of Revenue"
MOMENT: Final = "2026-11-24T15:00:00Z"
QUARTER: Final = "&period=quarter&known_at=2026-11-25T12:00:00Z"
"""As known when the week was over."""


def _invoice(ledger: TableDays, kind: str, invoice: str, payee: str, cents: int, *, revision: int = 1) -> Entry:
    said: dict[str, Any] = {
        "property": "riverside",
        "invoice": invoice,
        "first_day": "2026-11-16",
        "last_day": "2026-11-22",
        "revision": revision,
        "payee": payee,
        "cents": cents,
        "received_on": "2026-11-24",
        "reason": "by mail",
        "entered_by": "audit.kim",
        "entered_at": MOMENT,
    }
    decided = {
        "entered": {},
        "approved": {"approved_by": "control.eve", "approved_at": MOMENT},
        "rejected": {"rejected_by": "control.eve", "rejected_at": MOMENT, "rejection_reason": "again"},
    }
    return ledger.entry(f"tax_invoice.{kind}", said | decided[kind])


def _returns(books: Books, week: str = "2026-11-22") -> list[tuple[Any, ...]]:
    return [
        names(row, "payee", "accrued_cents", "invoiced_cents", "difference_cents", "status")
        for row in rows_of(books.report("tax-invoices", QUARTER), "returns")
        if row["last_day"] == week
    ]


def test_a_quarter_is_reconciled_return_by_return(books: Books) -> None:
    """What two people approved counts, less credits, in its last revision; what waits or was rejected does not."""
    ledger = TableDays()
    books.desk.feed("inventory", *ledger.table_day("BJ-01", drop=100_000))
    accrued = {STATE: 14_000, COUNTY: 2_000}
    assert [
        (STATE, 14_000, 0, -14_000, "not invoiced"),
        (COUNTY, 2_000, 0, -2_000, "not invoiced"),
    ] == _returns(books)
    books.desk.feed(
        "inventory",
        _invoice(ledger, "approved", "S-1", STATE, 15_000),
        _invoice(ledger, "approved", "S-2", STATE, -1_000),
        _invoice(ledger, "approved", "C-1", COUNTY, 1_900),
        _invoice(ledger, "entered", "C-2", COUNTY, 100),
        _invoice(ledger, "rejected", "C-3", COUNTY, 100),
    )
    assert [
        (STATE, accrued[STATE], 14_000, 0, "agrees"),
        (COUNTY, accrued[COUNTY], 1_900, -100, "differs"),
    ] == _returns(books)
    books.desk.feed("inventory", _invoice(ledger, "approved", "C-1", COUNTY, 2_000, revision=2))
    report = books.report("tax-invoices", QUARTER)
    assert [(STATE, 14_000, 14_000, 0), (COUNTY, 2_000, 2_000, 0)] == [
        names(row, "payee", "accrued_cents", "invoiced_cents", "difference_cents") for row in rows_of(report, "payees")
    ]
    assert {"C-1/1": "replaced", "C-1/2": "approved", "C-2/1": "entered", "C-3/1": "rejected", "S-1/1": "approved"} == {
        f"{row['invoice']}/{row['revision']}": row["status"]
        for row in rows_of(report, "invoices")
        if row["invoice"] != "S-2"
    }
    assert [] == [one["name"] for one in report["content"]["identities"] if not one["holds"]]


def test_a_return_that_is_not_counted_yet_has_no_difference(books: Books) -> None:
    """Nothing is compared with a part of the revenue; an invoice for a week without any is not accrued."""
    ledger = TableDays()
    books.desk.feed(
        "inventory", *ledger.table_day("BJ-01", "2026-11-10"), _invoice(ledger, "approved", "S-1", STATE, 5)
    )
    assert [(STATE, 0, 5, 5, "not accrued")] == [one for one in _returns(books) if one[0] == STATE]
    books.desk.feed("inventory", ledger.stated("BJ-02", opener=100_000, missing=["closer", "drop"]))
    assert [(STATE, None, 5, None, "not counted yet")] == [one for one in _returns(books) if one[0] == STATE]


def test_a_return_whose_week_has_not_ended_is_not_due(books: Books) -> None:
    """Nothing is compared, and it is not counted; what has not begun is not there, but with an invoice."""
    ledger = TableDays()
    books.desk.feed(
        "inventory", *ledger.table_day("BJ-01", drop=100_000), _invoice(ledger, "approved", "S-1", STATE, 5)
    )
    report = books.report("tax-invoices", "&period=quarter")
    rows = [row for row in rows_of(report, "returns") if row["payee"] == STATE]
    assert ("2026-11-22", None, 5, None, "not due yet") == names(
        rows[-1], "last_day", "accrued_cents", "invoiced_cents", "difference_cents", "status"
    )
    assert {"agrees"} == {row["status"] for row in rows[:-1]}
    [payee] = [row for row in rows_of(report, "payees") if row["payee"] == STATE]
    assert (len(rows) - 1, 0) == names(payee, "returns", "accrued_cents")


def test_there_is_no_return_from_before_the_property(books: Books) -> None:
    """The week in which it begins is the first."""
    books.desk.feed("properties", property_event("harbor", sequence=3, effective_from="2026-11-11T11:00:00Z"))
    books.desk.feed("inventory", *TableDays("harbor", shard=2).table_day("BJ-01", drop=100_000))
    path = f"/reports/tax-invoices?property=harbor&gaming_day=2026-11-20{QUARTER}"
    found = books.get(path)
    assert 200 == found.status_code, found.text
    rows = rows_of(found.json(), "returns")
    assert {("2026-11-15", "agrees"), ("2026-11-22", "not invoiced"), ("2026-11-29", "not due yet")} == {
        names(row, "last_day", "status") for row in rows
    }
