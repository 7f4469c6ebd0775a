"""Entries of the table-inventory ledger about a table and a gaming day, for tests."""

from datetime import timedelta
from typing import Any

from tests.support.published import published
from tests.support.statements import SHARD, Statements
from tests.unit.reporting.entries import DAY, NOON

PEOPLE: dict[str, Any] = {"dealer": "dealer.1", "floorperson": "floor.lee"}


class Ledger:
    """Makes the entries of the table-inventory ledger; the `seq`-th was recorded so many seconds after noon."""

    def __init__(self, table: str = "BJ-01", day: str = DAY, seq: int = 0) -> None:
        self.table, self.day, self.seq, self.pit_events = table, day, seq, 0
        self.statements = Statements("riverside", shard=SHARD + seq)
        self.at = {"property": "riverside", "table": table, "gaming_day": day}

    def entry(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        """The next entry."""
        self.seq += 1
        at = NOON + timedelta(seconds=self.seq)
        return published(kind, data, service="table-inventory", sequence=self.seq, at=at)

    def stated(self, shift: str = "day", **said: Any) -> dict[str, Any]:
        """What is stated of the win of a shift when the last entry was recorded."""
        return self.statements.stated(NOON + timedelta(seconds=self.seq), self.table, self.day, shift, **said)

    def pit(self, event: str, shift: str, *, moved: int | None = None, **data: Any) -> dict[str, Any]:
        """An event of the pit was recorded."""
        movement = {} if moved is None else {"moved": {"movement": "transfer", "cents": moved}}
        said = self.at | {"shift": shift} | data
        self.pit_events += 1
        place = self.at | {"shift": shift, "event": event, "sequence": self.pit_events}
        return self.entry("pit.recorded", place | {"data": said} | movement)

    def count(self, event: str, shift: str, dollars: int, **more: Any) -> dict[str, Any]:
        """A table was counted: so many chips of a dollar."""
        contents = [{"kind": "chip", "cents": 100, "count": dollars}]
        return self.pit(event, shift, contents=contents, **PEOPLE, **more)

    def box(self, shift: str, exchange: int, dollars: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """A box was taken off the table, and counted: so many dollars in currency."""
        people: dict[str, Any] = {"removed_by": "security.1", "witnessed_by": "floor.lee"}
        at = (NOON + timedelta(seconds=self.seq)).isoformat()
        figures = {"currency": [{"cents": 100, "count": dollars}]}
        counted = {
            "table": self.table,
            "exchange": exchange,
            "box": f"B-{exchange}",
            "gaming_day": self.day,
            "shift": shift,
            "figures": figures,
            "currency_cents": dollars * 100,
            "counter_checks_cents": 0,
            "coupons_cents": 0,
            "turns": [],
        }
        count = {"property": "riverside", "gaming_day": self.day, "count": exchange, "boxes": [counted]}
        count |= {"opened_by": "count.a", "opened_at": at, "concluded_by": "count.b", "concluded_at": at}
        removed = self.pit("box.exchanged", shift, removed_box=f"B-{exchange}", **people)
        return removed, self.entry("count.concluded", count)


def counted_day(table: str = "BJ-01", *, closer: int, day: str = "2026-11-20", seq: int = 0) -> list[dict[str, Any]]:
    """A table opened with 1,000 dollars, filled with 500, sold 600 for currency that its box has, and closed."""
    ledger = Ledger(table, day, seq)
    fill = {"number": 7 + seq, "received_by": "dealer.1", "observed_by": "floor.lee"}
    return [
        ledger.count("table.opened", "day", 1_000, game="blackjack"),
        ledger.pit("fill.received", "day", moved=50_000, contents=[{"cents": 100, "count": 500}], **fill),
        ledger.pit("chips.sold", "day", moved=-60_000, instrument="currency", cents=60_000, dealer="dealer.1"),
        *ledger.box("day", 1 + seq, 600),
        ledger.count("table.closed", "day", closer),
        ledger.stated(opener=100_000, fills=50_000, currency=60_000, closer=closer * 100),
    ]
