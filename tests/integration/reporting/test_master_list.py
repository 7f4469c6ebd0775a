"""The device and table master list on a real database."""

from typing import Any

from shared.contracts.properties import PropertyDocument, property_hash
from tests.support.properties import property_event
from tests.support.reporting import Books, names
from tests.support.rounds import submission


def _rows(report: dict[str, Any], section: str) -> list[dict[str, Any]]:
    [found] = [one for one in report["content"]["sections"] if one["name"] == section]
    rows: list[dict[str, Any]] = found["rows"]
    return rows


def _file(books: Books) -> None:
    table = {"pit": "pit-1", "positions": 7, "location": "main floor", "game": "blackjack"}
    shuffler = {"kind": "shuffler", "asset_number": "S-1", "serial_number": "9-77"}
    tables = [
        table | {"table": "BJ-01", "asset_number": "A-1", "opened_on": "2020-01-01", "devices": [shuffler]},
        table | {"table": "BJ-02", "asset_number": "A-2", "opened_on": "2026-11-18", "fully_automated": True},
        table | {"table": "BJ-03", "asset_number": "A-3", "opened_on": "2020-01-01", "retired_on": "2026-11-10"},
    ]
    changes: dict[str, Any] = {"tables": tables, "effective_from": "2026-10-01T12:00:00Z"}
    event = property_event(sequence=3, version=2)
    document = event["data"] | changes
    document["tables"] = tables
    books.desk.feed("properties", _approved_again(event, document))
    books.desk.feed("submissions", submission(1, property="riverside", tables=["BJ-01"]))


def _approved_again(event: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    wanted = {name: value for name, value in document.items() if name in PropertyDocument.model_fields}
    digest = property_hash(PropertyDocument.model_validate(wanted), document["version"])
    return event | {"data": document | {"hash": digest}}


def test_every_table_is_listed_with_its_rules_devices_and_status(books: Books) -> None:
    """As its property is on the last gaming day; an open table without a submission breaks the identity."""
    _file(books)
    report = books.report("master-list")
    assert [
        ("BJ-01", "A-1", 1, "banking", 1, "open"),
        ("BJ-02", "A-2", None, "fully_automated", 0, "open"),
        ("BJ-03", "A-3", None, "banking", 0, "retired"),
    ] == [
        names(row, "table", "asset_number", "submission", "revenue_class", "devices", "status")
        for row in _rows(report, "tables")
    ]
    assert [("BJ-01", "shuffler", "S-1", "9-77")] == [
        names(row, "table", "kind", "asset_number", "serial_number") for row in _rows(report, "devices")
    ]
    [identity] = report["content"]["identities"]
    assert (2, 1, False) == names(identity, "left", "right", "holds")
    explained = books.explain("master-list", "tables/BJ-01/submission")
    assert [("paytable-registry", 1, 1)] == [names(one, "service", "shard", "seq") for one in explained["entries"]]


def test_tables_are_counted_month_by_month(books: Books) -> None:
    """A table that was opened or retired within a month is one of it, with the days that it was there."""
    _file(books)
    assert [("2026-11", "blackjack", 3, 2, 30 + 13 + 9)] == [
        names(row, "month", "game", "tables", "last_day_tables", "table_days")
        for row in _rows(books.report("master-list", "&period=month"), "months")
    ]
