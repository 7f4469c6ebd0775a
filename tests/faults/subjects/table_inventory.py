"""Table inventory: slips at the desk, days of tables, rounds that move chips; late, twice, and refused."""

from tests.faults.subject import Ask, Message, Subject
from tests.support.pit import DAY, PEOPLE, PROPERTY, Rounds, Table, at, chips
from tests.support.properties import property_event

_OPENER, _FILL = chips(c500=1000), chips(c500=20)
_PLACE = {"property": PROPERTY, "table": "BJ-06", "gaming_day": DAY, "shift": "day"}
_REQUEST = Ask(person="pit.ray", path="/requests", body={"slip": "fill", "contents": _FILL, **_PLACE}, status=201)


def _pit() -> list[Message]:
    events: list[Message] = []
    for name in ("BJ-01", "BJ-02", "BJ-03", "BJ-04"):
        table = Table(name)
        events.append(table.opened(at(0), _OPENER))
        events += [table.sold(at(1 + n / 100), 100 * (n + 1)) for n in range(8)]
        events.append(table.event("tips.collected", at(2), cents=500, collected_by="tips.jo", observed_by="floor.fay"))
        events += table.box_off(at(7))
        events.append(table.closed(at(8), _OPENER))
    filled = Table("BJ-06")
    events.append(filled.event("fill.carried", at(3), number=1, carried_by="sec.gus"))
    received = {"received_by": "dealer.dan", "observed_by": "floor.fay"}
    events.append(filled.event("fill.received", at(3.2), number=1, contents=_FILL, **received))
    late = Table("BJ-05")
    first, second, third = (late.sold(at(n), 100) for n in range(3))
    return [
        *events,
        first,
        (b"nobody", b"not an event"),
        third,  # the second comes late
        first,  # delivered twice
        second,
        late.event("fill.carried", at(4), number=7, carried_by="sec.gus"),  # refused: that slip was never prepared
    ]


def _rounds(shard: int, name: str) -> list[Message]:
    table, rounds = Table(name), Rounds(shard)
    posted = [rounds.posted(table, at(3), f"r-{n}", handle=1000 + n, payout=400) for n in range(20)]
    return [
        *posted,
        rounds.reversed(table, at(9), "r-3", handle=1003, payout=400),
        rounds.reversed(table, at(9), "r-77", handle=1, payout=0),  # refused: never posted
        rounds.voided(table, at(4), "r-99"),
    ]


SUBJECT = Subject(
    name="table-inventory",
    references={"properties": [property_event(PROPERTY)]},
    records={"pit.events": _pit(), "settlements": [*_rounds(1, "BJ-01"), *_rounds(2, "BJ-02")]},
    kinds={
        "pit.recorded": 4 * 13 + 2 + 3,
        "round.counted": 42,
        "record.quarantined": 4,
        "gap.opened": 3,
        "gap.filled": 1,
    },
    late={"pit.events": [2, 3, 10, 15], "settlements": [0, 1, 9, 30]},
    figures=[
        """SELECT property, "table", at, gaming_day, movement, cause, cents, rounds, ref, revision
           FROM table_inventory.movements m ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10""",
        'SELECT property, "table", sequence, at, purpose, cents FROM table_inventory.counts ORDER BY 1, 2, 3',
        'SELECT property, "table", exchange, box FROM table_inventory.boxes ORDER BY 1, 2, 3',
    ],
    people=PEOPLE,
    commands=[
        _REQUEST,
        Ask(person="cage.bob", path="/slips", body={"property": PROPERTY, "request": 1}, status=201),
        Ask(
            person="cage.ann as pit",
            path="/requests",
            body={"slip": "credit", "contents": chips(c2500=4), **_PLACE},
            status=201,
        ),
        Ask(person="cage.ann", path="/slips", body={"property": PROPERTY, "request": 2}, status=403),
        Ask(person="cage.bob", path="/slips", body={"property": PROPERTY, "request": 2}, status=201),
        Ask(person="cage.bob", path=f"/slips/{PROPERTY}/credit/1/void", body={"reason": "misspelled"}),
        Ask(person="count.sue", path="/drop-counts", body={"property": PROPERTY, "gaming_day": DAY}, status=201),
    ],
    repeated=_REQUEST,
)
