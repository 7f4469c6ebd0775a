"""Entries of the table-inventory ledger about whole gaming days of tables, for tests of what follows from them."""

from datetime import datetime, timedelta
from typing import Any

from tests.support.published import published
from tests.support.statements import SHARD, Statements
from tests.unit.reporting.entries import DAY, NOON

Entry = dict[str, Any]


class TableDays:
    """Makes the entries of a property; the `seq`-th of all is recorded so many seconds after noon of November 20."""

    def __init__(self, property_name: str = "riverside", *, shard: int = 1) -> None:
        self.property_name = property_name
        self.shard = shard
        self.seq = 0
        self.statements = Statements(property_name, shard=SHARD + shard)

    @property
    def last_recorded(self) -> datetime:
        """When the last entry was recorded."""
        return NOON + timedelta(seconds=self.seq)

    def entry(self, kind: str, data: Entry) -> Entry:
        """The next entry."""
        self.seq += 1
        return published(
            kind, data, service="table-inventory", sequence=self.seq, at=self.last_recorded, shard=self.shard
        )

    def pit(
        self,
        event: str,
        table: str,
        day: str = DAY,
        *,
        moved: int | None = None,
        non_banking: bool = False,
        **data: Any,
    ) -> Entry:
        """An event of the pit was recorded."""
        place = {"property": self.property_name, "table": table, "gaming_day": day, "shift": "day"}
        movement = {} if moved is None else {"moved": {"movement": "cash", "cents": moved}}
        mark = {"non_banking": True} if non_banking else {}
        said = {"event": event, "sequence": self.seq + 1, "data": place | data}
        return self.entry("pit.recorded", place | said | movement | mark)

    def table_day(
        self, table: str, day: str = DAY, *, opener: int = 100_000, closer: int = 100_000, drop: int = 0
    ) -> list[Entry]:
        """A table opened, closed and was counted, all in cents: it won closer + drop - opener."""
        people: Entry = {"dealer": "dealer.1", "floorperson": "floor.lee"}
        return [
            self.pit("table.opened", table, day, contents=_cents(opener), game="blackjack", **people),
            self.pit("table.closed", table, day, contents=_cents(closer), **people),
            *self.box(table, day, drop),
            self.stated(table, day, opener=opener, closer=closer, currency=drop),
        ]

    def stated(self, table: str, day: str = DAY, **said: Any) -> Entry:
        """What is stated of the win of a table when the last entry was recorded."""
        return self.statements.stated(self.last_recorded, table, day, **said)

    def raked(self, table: str, day: str = DAY, *, rake: int, drop: int = 0) -> list[Entry]:
        """A non-banking table opened, sold chips for currency, and took a rake, all in cents."""
        people: Entry = {"dealer": "dealer.1", "floorperson": "floor.lee"}
        opener = {"contents": _cents(100_000), "game": "poker", **people}
        return [
            self.pit("table.opened", table, day, non_banking=True, **opener),
            *self.box(table, day, drop, rake=rake),
            self.stated(table, day, non_banking=True, openings=1, boxes=1, boxes_counted=1, rake=rake),
        ]

    def contest(self, name: str, fees: int, prizes: int, before: tuple[int, int] | None = None) -> Entry:
        """The result of a contest was approved, cents; in place of the (fees, prizes) approved before."""
        at = self.last_recorded.isoformat()
        people = {"entered_by": "audit.kim", "entered_at": at, "approved_by": "controller.fay", "approved_at": at}
        result = {"contest": name, "fees_cents": fees, "prizes_cents": prizes, "reason": "list 7"}
        about = {"property": self.property_name, "gaming_day": DAY, "revision": 2 if before else 1}
        earlier = {"before": dict(zip(("fees_cents", "prizes_cents"), before, strict=True))} if before else {}
        return self.entry("contest.approved", about | result | people | earlier)

    def box(self, table: str, day: str, cents: int, rake: int | None = None) -> list[Entry]:
        """The box of a table was taken off, and counted; with a rake, of a non-banking one."""
        people: Entry = {"removed_by": "security.1", "witnessed_by": "floor.lee"}
        is_raked = rake is not None
        removed = self.pit("box.exchanged", table, day, non_banking=is_raked, removed_box=f"B-{self.seq}", **people)
        counted = {
            "table": table,
            "exchange": self.seq,
            "box": f"B-{self.seq}",
            "gaming_day": day,
            "shift": "day",
            "figures": {"currency": [{"cents": 1, "count": cents}] if cents else []},
            "currency_cents": cents,
            "counter_checks_cents": 0,
            "coupons_cents": 0,
            "turns": [],
        }
        counted |= {"rake_cents": rake} if is_raked else {}
        at = self.last_recorded.isoformat()
        count = {"property": self.property_name, "gaming_day": day, "count": self.seq, "boxes": [counted]}
        count |= {"opened_by": "count.a", "opened_at": at, "concluded_by": "count.b", "concluded_at": at}
        return [removed, self.entry("count.concluded", count)]

    def sealed(self, day: str = DAY, final_win_cents: int | None = None) -> list[Entry]:
        """The gaming day was closed, audited and sealed, with the final win of its report."""
        found = []
        report = {} if final_win_cents is None else {"total": {"final_win_cents": final_win_cents}}
        for step, more in (("preliminary", {}), ("audited", {}), ("final", {"report": report, "hash": "e" * 64})):
            people = {f"{step}_by": "audit.kim", f"{step}_at": self.last_recorded.isoformat()}
            about = {"property": self.property_name, "gaming_day": day}
            found.append(self.entry(f"day.{step}", about | people | more))
        return found

    def adjusted(self, table: str, cents: int, day: str = DAY) -> list[Entry]:
        """The currency of a sealed day was adjusted, and the win stated again."""
        adjustment = {
            "property": self.property_name,
            "table": table,
            "gaming_day": day,
            "adjustment": 1,
            "shift": "day",
            "figure": "currency",
            "cents": cents,
            "reason": "a note was counted twice",
            "day_status": "final",
            "entered_by": "audit.kim",
            "entered_at": self.last_recorded.isoformat(),
            "approved_by": "controller.fay",
            "approved_at": self.last_recorded.isoformat(),
        }
        approved = self.entry("adjustment.approved", adjustment)
        so_far = self.statements.figures(table, day).adjusted_cents
        return [approved, self.stated(table, day, adjusted=so_far + cents)]


def _cents(cents: int) -> list[Entry]:
    return [{"kind": "chip", "cents": 1, "count": cents}]
