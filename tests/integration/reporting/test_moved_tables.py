"""Tables that change pit or sign within a period: what a report adds up goes by what stood on each gaming day."""

from datetime import timedelta
from typing import Any, Final

from tests.support.ledger import Ledger
from tests.support.pit_day import Pit, rows
from tests.support.pit_ledger import DAY_BEFORE, PROPERTY, at
from tests.support.properties import property_event
from tests.support.reporting import Books, names, rows_of
from tests.unit.reporting.entries import DAY, NOON, total

DAWN: Final = f"{DAY}T09:00:00+00:00"
"""When the gaming day of the change begins."""


def _change(books: Books, before: dict[str, Any], after: dict[str, Any], **more: Any) -> None:
    """From the gaming day on, the property says another thing of a table; of another one it says the same."""
    for version, said in ((2, before), (3, after)):
        begins = {} if version == 2 else {"effective_from": DAWN}
        books.desk.feed(
            "properties",
            property_event(
                tables={"BJ-01": said, "BJ-02": before}, version=version, sequence=version + 1, **begins, **more
            ),
        )


def _round(books: Books, seq: int, dollars: int, *, day: str, table: str = "BJ-01", seats: int = 1) -> dict[str, Any]:
    """A round of one minute, in which so many seats lose so much together."""
    closed = NOON + timedelta(minutes=seq, days=0 if day == DAY else -1)
    moments = {"opened_at": (closed - timedelta(minutes=1)).isoformat(), "closed_at": closed.isoformat()}
    cents = dollars * 100 // seats
    lines = [
        {"seat": seat, "wager": "blackjack", "outcome": "lose", "stake": cents, "payout": 0}
        | {"stake_returned": 0, "from_meter": 0, "paid_by": "house"}
        for seat in range(1, seats + 1)
    ]
    said: dict[str, Any] = {"gaming_day": day, "lines": lines, "dealer_id": "d-1"}
    return books.posted(seq, table, [total(handle=dollars * 100)], **said, **moments)


def test_a_figure_by_pit_is_that_of_the_pit_of_its_own_day(books: Books) -> None:
    """A table moves overnight: each pit keeps what was won there, and the month is the sum of its days."""
    _change(books, {"pit": "pit-1"}, {"pit": "pit-2"}, pits=["pit-1", "pit-2"])
    books.desk.feed("inventory", Ledger(day=DAY_BEFORE).stated(opener=100_000, closer=80_000, currency=50_000))
    books.desk.feed("inventory", Ledger(seq=10).stated(opener=80_000, closer=100_000, currency=30_000))
    books.publish(
        _round(books, 1, 180, day=DAY_BEFORE),
        _round(books, 2, 70, day=DAY),
        _round(books, 3, 5, day=DAY, table="BJ-02"),
    )
    columns = ("drop_cents", "win_cents", "handle_cents")
    books.desk.feed("inventory", Ledger("BJ-02", seq=20).stated(opener=10_000, closer=10_000))
    of_day = books.report("drop-and-win")
    assert [("pit-1", 0, 0, 5_00), ("pit-2", 30_000, 50_000, 70_00)] == [
        names(row, "pit", *columns) for row in rows_of(of_day, "pits")
    ]
    assert ["pit-2", "pit-1"] == [row["pit"] for row in rows_of(of_day, "tables")]
    month = books.report("drop-and-win", "&period=month")
    assert [("pit-1", 50_000, 30_000, 185_00), ("pit-2", 30_000, 50_000, 70_00)] == [
        names(row, "pit", *columns) for row in rows_of(month, "pits")
    ]
    assert [("BJ-01", "pit-1, pit-2"), ("BJ-02", "pit-1")] == [
        names(row, "table", "pit") for row in rows_of(month, "tables")
    ]
    assert ["pit-1, pit-2", "pit-1"] == [
        row["pit"] for row in rows_of(books.report("master-game", "&period=month"), "tables")
    ]
    entries = books.explain("drop-and-win", "pits/pit-2/handle_cents", "&period=month")["entries"]
    assert [(2, 70_00)] == [names(entry, "seq", "value") for entry in entries]


def test_a_month_that_runs_names_no_pit_to_which_a_table_moves_only_later(books: Books) -> None:
    """The property is known for the days to come; a table has stood only where it stood until now."""
    moves = {"effective_from": "2026-11-25T09:00:00+00:00"}
    pits = ["pit-1", "pit-2"]
    books.desk.feed("properties", property_event(tables={"BJ-01": {}}, version=2, sequence=3, pits=pits))
    tables = {"BJ-01": {"pit": "pit-2"}}
    books.desk.feed("properties", property_event(tables=tables, version=3, sequence=4, pits=pits, **moves))
    books.publish(_round(books, 1, 180, day=DAY))
    month = books.report("drop-and-win", "&period=month")
    assert ["pit-1"] == [row["pit"] for row in rows_of(month, "tables")]
    assert ["pit-1"] == [row["pit"] for row in rows_of(month, "pits")]


def test_a_row_of_a_gaming_day_has_the_pit_of_that_day(pit: Pit) -> None:
    """Tips that a table collected before it moved stand under the pit in which it was."""
    pits = {"pits": ["pit-1", "pit-2"], "tips_pool": {"period": "day"}}
    for version, name in ((2, "pit-1"), (3, "pit-2")):
        begins = {} if version == 2 else {"effective_from": DAWN}
        moved = property_event(
            PROPERTY, {"BJ-01": {"pit": name}}, sequence=2 + version, version=version, **pits, **begins
        )
        pit.feed("properties", moved)
    people: dict[str, Any] = {"collected_by": "tips.jo", "observed_by": "floor.fay"}
    for day, hour in ((DAY_BEFORE, 12), (DAY, 13)):
        pit.feed("inventory", pit.ledger.pit("BJ-01", "tips.collected", at(hour), cents=60_00, day=day, **people))
    collected = rows(pit.read("tips-pool", "&period=month"), "collected", "gaming_day", "pit")
    assert [(DAY_BEFORE, "pit-1"), (DAY, "pit-2")] == collected


def test_pace_goes_by_the_sign_of_each_day(books: Books) -> None:
    """Two rounds at 6 of 7 positions, one at 3 of 3: 15 of 17 seats; each minimum has the handle of its own days."""
    _change(books, {"positions": 7, "minimum_cents": 10_00}, {"positions": 3, "minimum_cents": 25_00})
    books.publish(
        *(_round(books, seq, 60, day=DAY_BEFORE, seats=6) for seq in (1, 2)), _round(books, 3, 75, day=DAY, seats=3)
    )
    [row] = rows_of(books.report("pace"), "tables")
    assert ("100.00", 25_00) == names(row, "occupancy_percent", "minimum_cents")
    month = books.report("pace", "&period=month")
    [row] = rows_of(month, "tables")
    assert ("88.24", None, 195_00) == names(row, "occupancy_percent", "minimum_cents", "handle_cents")
    minimums = rows_of(month, "minimums")
    assert [(10_00, 1, 2, 120_00), (25_00, 1, 1, 75_00)] == [
        names(row, "minimum_cents", "tables", "rounds", "handle_cents") for row in minimums
    ]
    cell = f"minimums/blackjack|1000|{minimums[0]['hour']}/handle_cents"
    entries = books.explain("pace", cell, "&period=month")["entries"]
    assert [(1, 60_00), (2, 60_00)] == [names(entry, "seq", "value") for entry in entries]
