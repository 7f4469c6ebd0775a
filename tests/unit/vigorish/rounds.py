"""Settlements of Pai Gow Poker rounds with vigorish, and what a table collects and waives, as events, for tests."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.support.published import published
from tests.support.rounds import submission

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = "2026-11-20"
PROPERTY = "riverside"
TABLE = "PG-01"
CORRECTION = {"reason": "misread card", "entered_by": "floor.lee", "approved_by": "audit.kim"}

Event = dict[str, Any]


def rules(rounding: str = "quarter_up", *, sequence: int = 1) -> Event:
    """An approved submission for Pai Gow Poker with banking."""
    chosen = {"vigorish_rounding": rounding, "banking": True, "co_banking": True}
    return submission(
        sequence,
        submission={"options": chosen},
        game="pai-gow",
        regulation="pa-645a-2011",
        tables=[TABLE, "PG-02"],
    )


def moment(minute: float) -> datetime:
    """So many minutes after noon."""
    return NOON + timedelta(minutes=minute)


def line(seat: int, won: int, vigorish: int, **more: Any) -> dict[str, Any]:
    """A winning line."""
    return {
        "seat": seat,
        "wager": "pai_gow_poker",
        "outcome": "win",
        "stake": won,
        "payout": won,
        "stake_returned": won,
        "vigorish": vigorish,
        "from_meter": 0,
        "paid_by": "house",
        "paragraph": "§ 645a.11(h)",
    } | more


def bank_line(seat: int, surplus: int, vigorish: int, *, house_share: int | None = None) -> dict[str, Any]:
    """What a bank got from the center; with the house's share as a co-bank."""
    shared = {} if house_share is None else {"house_share": house_share}
    return line(seat, surplus, vigorish, wager="bank", stake=0, stake_returned=0, **shared)


def _entry(seq: int, kind: str, table: str, data: Mapping[str, Any], number: int) -> Event:
    return published(
        kind,
        data,
        service="round-settlement",
        sequence=seq,
        at=moment(seq + 0.75),
        shard=number,
        subject=f"/properties/{PROPERTY}/tables/{table}",
    )


def posted(
    seq: int,
    rules: Mapping[str, Any],
    lines: Sequence[Mapping[str, Any]],
    *,
    table: str = TABLE,
    round_id: str = "",
    revision: int = 1,
    dealer: str = "dealer.1",
    number: int = 1,
    **changes: Any,
) -> Event:
    """A round was posted; it closed half a minute after the minute `seq`."""
    total = {
        "wager": "pai_gow_poker",
        "count": 1,
        "handle_cents": sum(line["stake"] for line in lines),
        "payout_cents": sum(line["payout"] + line["stake_returned"] for line in lines),
        "vigorish_cents": sum(line["vigorish"] for line in lines),
    }
    data = {
        "property": PROPERTY,
        "table": table,
        "game": "pai-gow",
        "gaming_day": DAY,
        "round_id": round_id or f"r-{seq}",
        "regulation": "pa-645a-2011",
        "opened_at": moment(seq).isoformat(),
        "closed_at": moment(seq + 0.5).isoformat(),
        "dealer_id": dealer,
        "submission": {"version": 1, "hash": rules["data"]["hash"]},
        "revision": revision,
        "totals": [total],
        "lines": list(lines),
        "meters": {},
        "record": {"seats": []},
    }
    return _entry(seq, "settlement.posted", table, data | changes, number)


def reversed_round(seq: int, was: Mapping[str, Any], number: int = 1) -> Event:
    """The money of a posted round was taken back."""
    names = ("property", "table", "game", "gaming_day", "round_id", "revision")
    totals = [
        {name: -value if isinstance(value, int) else value for name, value in total.items()}
        for total in was["data"]["totals"]
    ]
    data = {name: was["data"][name] for name in names} | {"reverses": 1, "correction": CORRECTION, "totals": totals}
    return _entry(seq, "settlement.reversed", was["data"]["table"], data, number)


def pit(sequence: int, kind: str, minute: float, *, table: str = TABLE, shift: str = "day", **data: Any) -> Event:
    """An event of the table's pit."""
    return {
        "specversion": "1.0",
        "id": f"{table}-pit-{sequence}",
        "source": f"/properties/{PROPERTY}/tables/{table}/pit",
        "type": kind,
        "time": moment(minute).isoformat(),
        "sequence": sequence,
        "data": {"property": PROPERTY, "table": table, "gaming_day": DAY, "shift": shift} | data,
    }


def _of_seat(of_round: int, seat: int, cents: int, **more: str) -> dict[str, Any]:
    return {"round_id": f"r-{of_round}", "seat": seat, "cents": cents, **more}


def collected(sequence: int, of_round: int, seat: int, cents: int, **changes: Any) -> Event:
    """Vigorish was collected when the round was paid, before it closed."""
    minute = changes.pop("minute", of_round + 0.25)
    data = _of_seat(of_round, seat, cents, by="dealer.1", dealer_id="dealer.1")
    return pit(sequence, "vigorish.collected", minute, **(data | changes))


def waived(sequence: int, of_round: int, seat: int, cents: int, **changes: Any) -> Event:
    """Vigorish was waived."""
    data = _of_seat(of_round, seat, cents, by="floor.lee", reason="first hand")
    return pit(sequence, "vigorish.waived", of_round + 0.25, **(data | changes))


def returned(sequence: int, of_round: int, seat: int, cents: int, **changes: Any) -> Event:
    """Vigorish was given back, after the round had closed."""
    minute = changes.pop("minute", of_round + 5)
    data = _of_seat(of_round, seat, cents, by="floor.lee", dealer_id="dealer.1", reason="taken twice")
    return pit(sequence, "vigorish.returned", minute, **(data | changes))


def opened(sequence: int, minute: float, **changes: Any) -> Event:
    """The table opened."""
    counted = {"contents": [], "dealer": "dealer.1", "floorperson": "floor.lee", "game": "pai-gow"}
    return pit(sequence, "table.opened", minute, **(counted | changes))


def next_shift(sequence: int, minute: float, shift: str, **changes: Any) -> Event:
    """A count ended one shift and began another."""
    counted = {
        "contents": [],
        "dealer": "dealer.1",
        "floorperson": "floor.lee",
        "purpose": "shift",
        "begins": {"gaming_day": DAY, "shift": shift},
    }
    return pit(sequence, "table.counted", minute, **(counted | changes))
