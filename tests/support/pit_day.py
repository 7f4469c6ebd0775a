"""A gaming day of a small pit, as the table-inventory and settlement journals tell it to reporting.

At BJ-01 chips are sold, checks issued, fills and credits carried, rounds played and the box counted; BJ-02 does not
open; BJ-03 has no record at all.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx

from tests.support.pit import chips
from tests.support.pit_ledger import (
    DAY,
    DAY_BEFORE,
    LATER,
    PROPERTY,
    Event,
    Ledger,
    Said,
    at,
    counted_box,
    figures,
    turn,
)
from tests.support.properties import property_event
from tests.support.reporting import Books
from tests.support.statements import Statements
from tests.unit.reporting.entries import Shard, total


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


def statements_of_the_day(property_name: str, *, checks: int = 20000) -> list[Event]:
    """What is stated of that day before the box is counted and after it, with so many cents of counter checks."""
    statements, table = Statements(property_name), "BJ-01"
    swing: Said = {"opener": 138000, "credits": 30000, "fills": 1000, "closer": 100000, "boxes": 1}
    handed_over: Said = {"opener": 147500, "fills": 49500, "prepaid": 5000, "closer": 138000, "handed_over": 138000}
    return [
        statements.stated(at(8), table, DAY_BEFORE, "grave", closer=150000, missing=["opener"]),
        statements.stated(at(8), "BJ-02", DAY_BEFORE, "grave", closer=80000, missing=["opener"]),
        statements.stated(at(19), table, DAY, "day", **handed_over, times=[(at(10), at(19))]),
        statements.stated(at(20), "BJ-02", DAY, "day", opener=80000, closer=80000, carried=1),
        statements.stated(at(23.1), table, DAY, "swing", **swing, missing=["count A1"], times=[(at(19), at(23))]),
        statements.stated(
            at(25), table, DAY, "swing", currency=30000, counter_checks=checks, boxes_counted=1, missing=[]
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
        self.feed("inventory", *day_of_the_pit(self.ledger), *statements_of_the_day(PROPERTY))
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
