"""Reporting: the entries of three shards of the settlement journal, late, twice, and refused. It publishes nothing."""

from collections.abc import Mapping
from typing import Any

from tests.faults.subject import Message, Subject
from tests.support.devices import device, registered
from tests.support.properties import TABLES, property_event
from tests.support.rounds import submission
from tests.unit.progressive_meters.examples import METERS
from tests.unit.reporting.entries import Shard, day_closed, total
from tests.unit.vigorish.examples import VIGORISH
from tests.unit.wagering_accounts.examples import ACCOUNTS

_SHARDS = [Shard(number) for number in (1, 2, 3)]
_MAIN = [total(handle=1000, payout=400)]
_WON = {
    "outcome": "win",
    "seat": 1,
    "wager": "side",
    "stake": 500,
    "payout": 400_000,
    "stake_returned": 500,
    "from_meter": 0,
    "paid_by": "house",
}
"""A line whose winnings may have to be reported."""
_FUNDED = {"account": "ga-1", "seat": 1, "wager": "side", "staked_cents": 500, "credited_cents": 400_500}
"""The account that it was wagered from."""
_TAKEN_BACK = _FUNDED | {"staked_cents": -500, "credited_cents": -400_500}


_READER = device(registered("BJ-01-reader"), signs=("rating.events",))
_PROPERTY = property_event(tables={table: {} for table in TABLES} | {"BJ-01": {"devices": [_READER]}})
"""Cards are read at one of the tables, so that what is wagered there in chips is kept, too."""


def _entries(shard: Shard) -> list[Message]:
    table = f"BJ-0{shard.number}"
    return [
        *(shard.posted(n, table, [total(handle=100 * n, payout=70 * n)]) for n in range(1, 13)),
        shard.gap(13, table, 20, 22),
        shard.filled(14, table, 21),
        shard.quarantined(15, table, 23, "no such card"),
        shard.posted(16, table, _MAIN, round_id="r-a", lines=[_WON], account_credits=[_FUNDED]),
        shard.reversed(17, table, _MAIN, round_id="r-a", lines=[_WON], account_credits=[_TAKEN_BACK]),
        shard.posted(18, table, [total(handle=1000)], round_id="r-a", revision=2),
        shard.voided(19, table, "r-b"),
        shard.superseded(20, table, "r-b"),
        shard.mended(21, table, 23, 15),
        shard.posted(24, table, _MAIN),  # 22 and 23 come late
        (shard.source.encode(), b"not an entry"),
        shard.posted(3, table, [total(handle=300, payout=210)]),  # delivered twice
        shard.posted(23, table, _MAIN),
        shard.posted(22, table, _MAIN),
    ]


def _each(examples: Mapping[str, dict[str, Any]]) -> list[Message]:
    """Return an entry of each kind of a journal, one after the other."""
    return [dict(one) | {"id": f"1-{n}", "sequence": n} for n, one in enumerate(examples.values(), 1)]


SUBJECT = Subject(
    name="reporting",
    references={"properties": [_PROPERTY], "submissions": [submission()]},
    records={
        "settlements": [message for together in zip(*map(_entries, _SHARDS), strict=True) for message in together],
        "inventory": [day_closed(n, status) for n, status in enumerate(("preliminary", "audited", "final"), 1)],
        "vigorish": _each(VIGORISH),
        "meters": _each(METERS),
        "accounts": _each(ACCOUNTS),
    },
    kinds={"record.quarantined": 3, "gap.opened": 3, "gap.filled": 6},
    late={"settlements": [0, 1, 2, 3, 9, 36, 39, 42]},
    figures=[
        f"SELECT * FROM reporting.{table} t ORDER BY t::text"
        for table in (
            "house_edges",
            "facts",
            "amounts",
            "amount_days",
            "rounds",
            "seat_wagers",
            "dealer_days",
            "wager_days",
            "play_days",
            "chip_hours",
            "pace_hours",
            "line_days",
            "day_moments",
        )
    ]
    + [
        """SELECT shard, seq, number, kind, stream, first, last FROM reporting.exceptions
           WHERE service = 'round-settlement' ORDER BY 1, 2, 3""",
        """SELECT shard, seq, stream, sequence FROM reporting.filled_gaps
           WHERE service = 'round-settlement' ORDER BY 1, 2""",
        """SELECT shard, seq, closed_seq, status FROM reporting.closings
           WHERE service = 'round-settlement' ORDER BY 1, 2""",
    ],
)
