"""The published example of a day at a table, and a paper slip of that day."""

from typing import Any

from tests.support.pit import DAY, PROPERTY, InventoryDesk, Rounds, Table, at, chips

OPENER = chips(c500=1000, c2500=600)  # 20,000.00
FOUND = {
    "currency": [{"cents": 10000, "count": 80}],
    "counter_checks": [{"serial": "CC-1", "cents": 1_000_00}],
    "coupons": [{"coupon": "match_play", "cents": 2500, "count": 4}],
}
BOX = 7  # the sequence of box.exchanged in the stream of that table
PAPER: dict[str, Any] = {
    "slip": "fill",
    "property": PROPERTY,
    "table": "BJ-01",
    "gaming_day": DAY,
    "shift": "day",
    "number": 5001,
    "contents": chips(c500=10),
    "occurred_at": at(2).isoformat(),
    "requested_by": "pit.ray",
    "prepared_by": "cage.ann",
    "carried_by": "sec.gus",
    "received_by": "dealer.dan",
    "observed_by": "floor.fay",
    "reason": "network outage",
}


def play_a_day(desk: InventoryDesk, *, missing: int = 0) -> Table:
    """The published example: opener 20,000, fills 5,000, credits 2,000, closer 18,000, drop 9,000: win 4,000.

    The settled rounds imply the same win; `missing` cents are not there when the table closes.
    """
    table, rounds = Table("BJ-01"), Rounds()
    desk.pit(table.opened(at(0), OPENER))
    fill = desk.slip("fill", "BJ-01", chips(c2500=200))
    credit = desk.slip("credit", "BJ-01", chips(c500=400))
    desk.pit(
        table.event("fill.carried", at(1), number=fill, carried_by="sec.gus"),
        table.event(
            "fill.received",
            at(1.1),
            number=fill,
            contents=chips(c2500=200),
            received_by="dealer.dan",
            observed_by="floor.fay",
        ),
        table.sold(at(1.2), 8_000_00),
        table.event(
            "counter_check.issued",
            at(2),
            serial="CC-1",
            cents=1_000_00,
            dealer="dealer.dan",
            floorperson="floor.fay",
        ),
        table.event(
            "credit.carried",
            at(3),
            number=credit,
            surrendered_by="dealer.dan",
            observed_by="floor.fay",
            carried_by="sec.gus",
        ),
    )
    desk.done(f"/slips/{PROPERTY}/credit/{credit}/receive", {"contents": chips(c500=400)}, person="cage.ann")
    desk.settle(
        rounds.posted(table, at(2.5), "r-1", handle=10_000_00, payout=6_500_00),
        rounds.posted(table, at(4), "r-2", handle=900_00, payout=1_400_00, vigorish=1_000_00),
    )
    closer = chips(c500=600, c2500=600) if not missing else [*chips(c500=600 - missing // 500, c2500=600)]
    desk.pit(*table.box_off(at(7.9)), table.closed(at(8), closer))
    return table
