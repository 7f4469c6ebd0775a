"""The hours of the drop and win summary on a real database: what tables sold, by the hour of the property's clock."""

from tests.support.pit_day import Pit, identities, rows
from tests.support.pit_ledger import at

_COLUMNS = ("hour", "sales", "sold_for_currency_cents", "checks_issued_cents", "sold_cents")
_TEN, _ELEVEN = "2026-11-20T10:00:00+00:00", "2026-11-20T11:00:00+00:00"


def _sell(pit: Pit) -> None:
    pit.feed(
        "inventory",
        pit.ledger.sold("BJ-01", at(10), 30_000),
        pit.ledger.sold("BJ-01", at(10.5), 5_000, "prepaid_access"),
        pit.ledger.check("BJ-01", at(10.9), "CC-1", 20_000),
        pit.ledger.sold("BJ-02", at(11), 7_000),
    )


def test_what_tables_sold_is_added_up_by_hour(pit: Pit) -> None:
    """Currency and Counter Checks are, at all tables or at one; prepaid access goes into no drop box."""
    _sell(pit)
    report = pit.read("drop-and-win")
    assert [(_TEN, 2, 30_000, 20_000, 50_000), (_ELEVEN, 1, 7_000, 0, 7_000)] == rows(report, "hours", *_COLUMNS)
    assert (57_000, 57_000) == identities(report)["hours and tables"]
    of_game = pit.read("drop-and-win", "&game=blackjack")
    assert rows(report, "hours", *_COLUMNS) == rows(of_game, "hours", *_COLUMNS)
    assert (57_000, 57_000) == identities(of_game)["hours and tables"]
    report = pit.read("drop-and-win", "&table=BJ-02")
    assert [(_ELEVEN, 1, 7_000, 0, 7_000)] == rows(report, "hours", *_COLUMNS)
    assert (7_000, 7_000) == identities(report)["hours and tables"]


def test_an_hour_leads_to_its_sales(pit: Pit) -> None:
    """Each entry of a figure is one sale."""
    _sell(pit)
    found = pit.explain("drop-and-win", f"hours/{_TEN}/sold_cents")["entries"]
    assert [1, 3] == sorted(entry["seq"] for entry in found)


def test_longer_periods_have_no_hours(pit: Pit) -> None:
    """A month would bring thousands of hours, and the identity of none is claimed."""
    _sell(pit)
    report = pit.read("drop-and-win", "&period=month")
    assert [] == rows(report, "hours", *_COLUMNS)
    assert "hours and tables" not in identities(report)
