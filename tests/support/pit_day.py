"""A gaming day of a small pit, as the table-inventory and settlement journals tell it to reporting.

At BJ-01 chips are sold, checks issued, fills and credits carried, rounds played and the box counted; BJ-02 does not
open; BJ-03 has no record at all.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import httpx

from shared.contracts.envelope import pit_source
from tests.support.pit import chips
from tests.support.properties import property_event
from tests.support.published import published
from tests.support.reporting import Books
from tests.unit.reporting.entries import Shard, total

PROPERTY, DAY, DAY_BEFORE = "hillside", "2026-11-20", "2026-11-19"
LATER = "2026-11-22T12:00:00Z"
"""A moment at which all of it is known."""

Event = dict[str, Any]
Said = dict[str, Any]
"""Members of the data of an event or a fact."""


def at(hour: float) -> datetime:
    """Return an hour (UTC) of November 20; the gaming day begins at 9."""
    return datetime(2026, 11, 20, tzinfo=UTC) + timedelta(hours=hour)


class Ledger:
    """The journal of table inventory: one shard, and the pit streams of the tables that it has read."""

    def __init__(self, property_name: str = PROPERTY) -> None:
        self.property = property_name
        self._seqs = count(1)
        self._sequences: Counter[str] = Counter()

    def pit(
        self,
        table: str,
        event: str,
        moment: datetime,
        *,
        day: str = DAY,
        shift: str = "day",
        moved: int | None = None,
        **data: Any,
    ) -> Event:
        """The pit reported something; `moved` is what it did to the table inventory, cents."""
        self._sequences[table] += 1
        place = {"property": self.property, "table": table, "gaming_day": day, "shift": shift}
        fact = place | {"event": event, "sequence": self._sequences[table], "data": place | data}
        if moved is not None:
            fact["moved"] = {"movement": "transfer", "cents": moved}
        return self._entry("pit.recorded", fact, moment, pit_source(self.property, table))

    def desk(self, kind: str, moment: datetime, *, table: str | None = None, **data: Any) -> Event:
        """Somebody at a desk did something."""
        place = {"property": self.property, "gaming_day": DAY} | ({} if table is None else {"table": table})
        return self._entry(kind, place | data, moment, f"/properties/{self.property}/inventory")

    def _entry(self, kind: str, data: Mapping[str, Any], moment: datetime, subject: str) -> Event:
        sequence = next(self._seqs)
        return published(kind, data, service="table-inventory", sequence=sequence, at=moment, subject=subject)

    # --- what happens at a table ---

    def opened(self, table: str, moment: datetime, contents: Any, **more: Any) -> Event:
        """The table opens; its number in the pit stream is that of its slip."""
        people: Said = {"dealer": "dealer.dan", "floorperson": "floor.fay", "game": "blackjack"}
        return self.pit(table, "table.opened", moment, contents=contents, **people, **more)

    def closed(self, table: str, moment: datetime, contents: Any, **more: Any) -> Event:
        """The table closes."""
        people: Said = {"dealer": "dealer.eve", "floorperson": "floor.fay"}
        return self.pit(table, "table.closed", moment, contents=contents, **people, **more)

    def sold(self, table: str, moment: datetime, cents: int, instrument: str = "currency", **more: Any) -> Event:
        """A player buys chips."""
        data: Said = {"instrument": instrument, "cents": cents, "dealer": "dealer.dan"}
        return self.pit(table, "chips.sold", moment, moved=-cents, **data, **more)

    def check(self, table: str, moment: datetime, serial: str, cents: int, **more: Any) -> Event:
        """A counter check is issued."""
        data: Said = {"serial": serial, "cents": cents, "dealer": "dealer.dan", "floorperson": "floor.fay"}
        return self.pit(table, "counter_check.issued", moment, moved=-cents, **data, **more)

    def box_off(self, table: str, moment: datetime, box: str = "A1", **more: Any) -> Event:
        """The drop box comes off."""
        people: Said = {"removed_by": "sec.gus", "witnessed_by": "floor.fay"}
        return self.pit(table, "box.exchanged", moment, removed_box=box, **people, **more)

    # --- the cage ---

    def cage(self, moment: datetime, step: int, kind: str, **data: Any) -> Event:
        """The cage did something about a counter check of BJ-01, which is paid in currency."""
        said: Said = {"shift": "day", "step": step, "by": "cage.ann", "at": moment.isoformat(), "paid_in": "currency"}
        return self.desk(kind, moment, table="BJ-01", **said | data)

    def replaced(self, moment: datetime, step: int, serial: str, replaced: list[Said]) -> Event:
        """A counter check took the place of others."""
        said: Said = {"shift": "day", "step": step, "by": "cage.ann", "at": moment.isoformat(), "serial": serial}
        cents = sum(one["cents"] for one in replaced)
        return self.desk("counter_check.replaced", moment, **said, cents=cents, replaced=replaced)

    # --- variances, adjustments, the seal ---

    def owned(self, moment: datetime, **variance: Any) -> Event:
        """Somebody is to explain a variance."""
        owner: Said = {"owner": "audit.kim", "owned_at": moment.isoformat(), "named_by": "audit.lou"}
        return self.desk("variance.owned", moment, **variance, **owner)

    def resolved(self, moment: datetime, **variance: Any) -> Event:
        """The owner of a variance resolves it."""
        said: Said = {"owner": "audit.kim", "conclusion": "found in the rail", "resolved_at": moment.isoformat()}
        return self.desk("variance.resolved", moment, **variance, **said)

    def adjustment(self, status: str, moment: datetime, number: int, figure: str, cents: int) -> Event:
        """An adjustment of a figure of BJ-01 in the swing shift is entered, approved or rejected."""
        decided: dict[str, Said] = {
            "entered": {},
            "approved": {"approved_by": "control.eve", "approved_at": moment.isoformat()},
            "rejected": {
                "rejected_by": "control.eve",
                "rejected_at": moment.isoformat(),
                "rejection_reason": "already counted",
            },
        }
        entered: Said = {
            "table": "BJ-01",
            "shift": "swing",
            "adjustment": number,
            "figure": figure,
            "cents": cents,
            "reason": "found in the rail",
            "day_status": "preliminary",
            "entered_by": "audit.kim",
            "entered_at": at(26).isoformat(),
        }
        return self.desk(f"adjustment.{status}", moment, **entered, **decided[status])

    def sealed(self, moment: datetime) -> list[Event]:
        """The gaming day is closed and sealed."""
        said: Said = {"preliminary_by": "audit.kim", "preliminary_at": moment.isoformat()}
        final: Said = {"final_by": "control.eve", "final_at": moment.isoformat(), "hash": "e" * 64, "report": {}}
        return [self.desk("day.preliminary", moment, **said), self.desk("day.final", moment, **final)]

    # --- slips ---

    def requested(self, request: int, slip: str, table: str, moment: datetime, contents: Any, **more: Any) -> Event:
        """The pit asks the cage."""
        return self.desk("slip.requested", moment, **_request(request, slip, table, moment, contents), **more)

    def prepared(
        self, number: int, request: int, slip: str, table: str, moment: datetime, contents: Any, **more: Any
    ) -> Event:
        """The cage prepares a slip."""
        signed: Said = {"number": number, "prepared_by": "cage.bob", "prepared_at": moment.isoformat()}
        asked = _request(request, slip, table, moment, contents)
        return self.desk("slip.prepared", moment, **asked, **signed, **more)


def _request(request: int, slip: str, table: str, moment: datetime, contents: Any) -> dict[str, Any]:
    asked = {"requested_by": "pit.ray", "requested_at": moment.isoformat()}
    return {"slip": slip, "table": table, "shift": "day", "request": request, "contents": contents, **asked}


def figures(currency: int, *checks: tuple[str, int]) -> dict[str, Any]:
    """What somebody found in a box: pieces of a cent, and counter checks."""
    found = [{"serial": serial, "cents": cents} for serial, cents in checks]
    return {"currency": [{"cents": 100, "count": currency // 100}], "counter_checks": found}


def turn(number: int, person: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """A counting of a box."""
    return {"turn": number, "counted_by": person, "salt": "0" * 32, "figures": found}


def counted_box(table: str, exchange: int, agreed: Mapping[str, Any], *turns: Mapping[str, Any]) -> dict[str, Any]:
    """A box with what was agreed on."""
    return {
        "table": table,
        "exchange": exchange,
        "box": "A1",
        "gaming_day": DAY,
        "shift": "swing",
        "figures": agreed,
        "currency_cents": sum(one["cents"] * one["count"] for one in agreed["currency"]),
        "counter_checks_cents": sum(one["cents"] for one in agreed["counter_checks"]),
        "coupons_cents": 0,
        "turns": list(turns),
    }


def day_of_the_pit(ledger: Ledger) -> list[Event]:
    """The day up to the count of the box; BJ-01 opens $25 short, its fill arrives $5 short and it closes $10 short."""
    float_, table = chips(c2500=40, c500=100), "BJ-01"
    swing: Said = {"shift": "swing"}
    people: Said = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
    found = figures(30000, ("CC-1", 20000))
    return [
        ledger.closed(table, at(8), float_, day=DAY_BEFORE, shift="grave"),
        ledger.closed("BJ-02", at(8), chips(c500=160), day=DAY_BEFORE, shift="grave"),
        ledger.opened(table, at(10), chips(c2500=39, c500=100)),
        ledger.sold(table, at(10.1), 30000),
        ledger.sold(table, at(10.2), 5000, "prepaid_access"),
        ledger.check(table, at(10.3), "CC-1", 20000),
        ledger.check(table, at(10.4), "CC-2", 10000),
        ledger.requested(1, "fill", table, at(10.5), chips(c500=100)),
        ledger.prepared(1, 1, "fill", table, at(10.6), chips(c500=100)),
        ledger.pit(table, "fill.carried", at(10.7), number=1, carried_by="sec.gus"),
        ledger.pit(
            table,
            "fill.received",
            at(10.8),
            moved=49500,
            number=1,
            contents=chips(c500=99),
            received_by="dealer.dan",
            observed_by="floor.fay",
        ),
        ledger.pit(
            table,
            "table.counted",
            at(19),
            purpose="shift",
            begins={"gaming_day": DAY, "shift": "swing"},
            contents=chips(c2500=40, c500=76),
            **people,
        ),
        ledger.requested(2, "credit", table, at(19.5), chips(c2500=12)),
        ledger.prepared(1, 2, "credit", table, at(19.6), chips(c2500=12)),
        ledger.pit(
            table,
            "credit.carried",
            at(19.7),
            moved=-30000,
            number=1,
            surrendered_by="dealer.eve",
            observed_by="floor.fay",
            carried_by="sec.gus",
            **swing,
        ),
        ledger.desk(
            "slip.credit_received",
            at(19.8),
            table=table,
            slip="credit",
            number=1,
            received_contents=chips(c2500=12),
            received_by="cage.ann",
            received_at=at(19.8).isoformat(),
        ),
        _paper_fill(ledger, table),
        ledger.pit(
            "BJ-02",
            "table.carried",
            at(20),
            contents=chips(c500=160),
            recorded_by="floor.fay",
            checked_by="pit.ray",
        ),
        ledger.closed(table, at(23), chips(c2500=38, c500=10), **swing),
        ledger.box_off(table, at(23.1), **swing),
        ledger.desk("count.opened", at(24), count=1, opened_by="count.sue", opened_at=at(24).isoformat()),
        ledger.desk(
            "count.concluded",
            at(25),
            count=1,
            opened_by="count.sue",
            opened_at=at(24).isoformat(),
            concluded_by="count.sue",
            concluded_at=at(25).isoformat(),
            boxes=[
                counted_box(
                    table,
                    12,
                    found,
                    turn(1, "count.sue", found),
                    turn(2, "count.tom", figures(29900, ("CC-1", 20000))),
                    turn(3, "count.zoe", found),
                )
            ],
        ),
    ]


def _paper_fill(ledger: Ledger, table: str) -> Event:
    signed: Said = {
        "requested_by": "pit.ray",
        "prepared_by": "cage.bob",
        "carried_by": "sec.gus",
        "received_by": "dealer.eve",
        "observed_by": "floor.fay",
    }
    return ledger.desk(
        "manual_slip.entered",
        at(20),
        table=table,
        slip="fill",
        shift="swing",
        number=103,
        contents=chips(c500=2),
        occurred_at=at(20).isoformat(),
        reason="the network was down",
        late=True,
        entered_by="cage.bob",
        entered_at=at(21).isoformat(),
        **signed,
    )


def rounds() -> list[Event]:
    """What the rounds brought: $60 in the day shift, then a round that was taken back, then a loss of $80."""
    shard = Shard(property_name=PROPERTY)
    lost = [total(handle=2000, payout=10000)]
    back = [total(handle=700, payout=200)]
    return [
        shard.posted(1, "BJ-01", [total(handle=10000, payout=4000)], closed_at=at(11).isoformat()),
        shard.posted(2, "BJ-01", back, round_id="r-back", closed_at=at(12).isoformat()),
        shard.reversed(3, "BJ-01", back, round_id="r-back", closed_at=at(12).isoformat()),
        shard.posted(4, "BJ-01", lost, closed_at=at(19.5).isoformat()),
    ]


class Pit:
    """A property with three tables whose journals reporting reads."""

    def __init__(self, books: Books) -> None:
        self.books = replace(books, property_name=PROPERTY)
        self.ledger = Ledger()
        self.feed("properties", property_event(PROPERTY, ("BJ-01", "BJ-02", "BJ-03"), sequence=3))

    def feed(self, topic: str, *events: Event) -> None:
        """Let reporting read these entries."""
        self.books.desk.feed(topic, *events)

    def play(self) -> None:
        """Let it read the whole day."""
        self.feed("inventory", *day_of_the_pit(self.ledger))
        self.feed("settlements", *rounds())

    def answer(self, report: str, more: str = "", *, known_at: str = LATER) -> httpx.Response:
        """Ask for a report about the day."""
        return self.books.get(self.books.path(report, f"&known_at={known_at}{more}"))

    def read(self, report: str, more: str = "", *, known_at: str = LATER) -> dict[str, Any]:
        """Read a report about the day."""
        return self.books.report(report, f"&known_at={known_at}{more}")

    def explain(self, report: str, cell: str, more: str = "") -> dict[str, Any]:
        """Read where a cell comes from."""
        return self.books.explain(report, cell, f"&known_at={LATER}{more}")


def rows(document: Mapping[str, Any], section: str, *columns: str) -> list[tuple[Any, ...]]:
    """Return some columns of a section of a report."""
    [found] = [one for one in document["content"]["sections"] if one["name"] == section]
    return [tuple(row[name] for name in columns) for row in found["rows"]]


def total_of(document: Mapping[str, Any], section: str, column: str) -> Any:
    """Return the total of a column."""
    [found] = [one for one in document["content"]["sections"] if one["name"] == section]
    return found["total"][column]


def identities(document: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """Return both sides of each identity."""
    return {one["name"]: (one["left"], one["right"]) for one in document["content"]["identities"]}
