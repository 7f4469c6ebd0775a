"""Openers against the closers before them."""

from tests.support.pit_day import Pit, identities, rows, total_of
from tests.support.pit_ledger import at

SHORT = {"table": "BJ-01", "variance": "inventory", "number": 2, "cents": -2500}
"""The opener of BJ-01 beside the closer of the day before."""


def test_each_opener_stands_beside_the_closer_before_it(pit: Pit) -> None:
    """Also across gaming days; a count at an open table is both."""
    pit.play()
    report = pit.read("openers-closers")
    assert [
        ("BJ-01", "day", "opener", "1", 150000, "2", 147500, -2500),
        ("BJ-01", "swing", "one count", "9", 138000, "9", 138000, 0),
        ("BJ-02", "day", "carried", "1", 80000, "2", 80000, 0),
    ] == rows(
        report,
        "openers",
        *("table", "shift", "how", "closer_slip", "closer_cents", "slip", "opener_cents", "difference_cents"),
    )
    assert -2500 == total_of(report, "openers", "difference_cents")
    assert report["content"]["sections"] == pit.read("openers-closers", "&period=week")["content"]["sections"]
    assert {"owned differences": (1, 0)} == identities(report)
    entries = pit.explain("openers-closers", "openers/BJ-01|2/difference_cents")["entries"]
    assert [3, 1] == [entry["seq"] for entry in entries]  # the opener, and the closer before it


def test_a_difference_has_an_owner_and_a_conclusion(pit: Pit) -> None:
    """Once it is owned, the report's identity holds; a report as of before does not know of it."""
    pit.play()
    pit.feed("inventory", pit.ledger.owned(at(26), **SHORT))
    owned = pit.read("openers-closers")
    assert (1, 1) == identities(owned)["owned differences"]
    assert [("owned", "audit.kim", None, "noted")] == rows(owned, "openers", "status", "owner", "conclusion", "level")[
        :1
    ]
    pit.feed("inventory", pit.ledger.resolved(at(27), **SHORT))
    resolved = pit.read("openers-closers")
    assert [("resolved", "audit.kim", "found in the rail")] == rows(
        resolved, "openers", "status", "owner", "conclusion"
    )[:1]
    before = pit.read("openers-closers", known_at="2026-11-21T01:30:00Z")
    assert [("open", None, None)] == rows(before, "openers", "status", "owner", "conclusion")[:1]
