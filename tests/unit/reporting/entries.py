"""Settlement entries as events, for tests."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, TypeVar

from shared.contracts.envelope import shard_source, table_source
from tests.support.published import published

T = TypeVar("T")

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = "2026-11-20"
CORRECTION = {"reason": "misread card", "entered_by": "floor.lee", "approved_by": "audit.kim"}

Event = dict[str, Any]
Totals = Sequence[Mapping[str, Any]]


def total(wager: str = "blackjack", *, handle: int = 0, payout: int = 0, **more: int) -> dict[str, Any]:
    """Return what one round did on a wager type, cents; `more` are other figures, named without their unit."""
    figures = {"handle": handle, "payout": payout} | more
    return {"wager": wager, "count": 1} | {f"{name}_cents": cents for name, cents in figures.items()}


def lines_of(totals: Totals) -> list[dict[str, Any]]:
    """Return the settlement lines of one round that come to these totals: one for each wager against the house."""
    return [
        {
            "seat": 1,
            "wager": one["wager"],
            "outcome": "win" if one["payout_cents"] else "lose",
            "stake": one["handle_cents"],
            "payout": one["payout_cents"],
            "stake_returned": 0,
            "from_meter": one.get("meter_payout_cents", 0),
            "paid_by": "house",
        }
        for one in totals
        if one["handle_cents"] or one["payout_cents"]
    ]


def entry_hash(seq: int) -> str:
    """Return the hash that entry `seq` has here, in hexadecimal."""
    return sha256(b"%d" % seq).hexdigest()


def shuffled(items: Sequence[T], seed: int = 20261120) -> list[T]:
    """Return the items in another order, the same for the same seed."""
    return random.Random(seed).sample(list(items), len(items))


@dataclass(frozen=True)
class Shard:
    """A shard of the settlement journal: makes its entries, about the rounds of one property.

    Entry `seq` was recorded `seq` seconds after noon.
    """

    number: int = 1
    property_name: str = "riverside"

    @property
    def source(self) -> str:
        """The stream of its entries."""
        return shard_source("round-settlement", self.number)

    def table(self, name: str) -> str:
        """Return the stream of a table."""
        return table_source(self.property_name, name)

    def posted(self, seq: int, table: str, totals: Totals, *, round_id: str = "", **more: Any) -> Event:
        """A round was posted; with a revision above 1 as a correction. `more` replaces and adds fields."""
        revision = more.get("revision", 1)
        data = {
            "regulation": "pa-633a-2024",
            "opened_at": NOON.isoformat(),
            "closed_at": NOON.isoformat(),
            "submission": {"version": 1, "hash": "a" * 64},
            "revision": revision,
            "totals": list(totals),
            "lines": lines_of(totals),
            "meters": {},
            "record": {},
        } | self._round(table, round_id or f"r-{seq}", more)
        correction = {} if revision == 1 else {"correction": CORRECTION}
        return self._entry(seq, "settlement.posted", table, data | correction)

    def reversed(self, seq: int, table: str, totals: Totals, *, round_id: str, **more: Any) -> Event:
        """The money of a posted round, given as it was posted, was taken back."""
        negative = [
            {name: -value if isinstance(value, int) else value for name, value in one.items()} for one in totals
        ]
        under = {"version": 1, "hash": "a" * 64}
        data = {"revision": 1, "reverses": 1, "submission": under, "correction": CORRECTION, "totals": negative}
        data |= {"closed_at": NOON.isoformat(), "lines": lines_of(totals)}
        return self._entry(seq, "settlement.reversed", table, data | self._round(table, round_id, more))

    def voided(self, seq: int, table: str, round_id: str) -> Event:
        """A round was voided before it was posted."""
        return self._entry(seq, "settlement.voided", table, self._round(table, round_id, {"correction": CORRECTION}))

    def superseded(self, seq: int, table: str, round_id: str) -> Event:
        """A record came after a later void or correction."""
        return self._entry(seq, "settlement.superseded", table, self._round(table, round_id, {"record": {}}))

    def result(self, seq: int, table: str, game: str, **more: Any) -> Event:
        """A counted table recorded a result."""
        said = {"property": self.property_name, "table": table, "game": game, "gaming_day": DAY, "outcome": "banker"}
        moments = {"opened_at": NOON.isoformat(), "closed_at": self.result_closed(seq)}
        return self._entry(seq, "result.counted", table, said | moments | more)

    @staticmethod
    def result_closed(seq: int) -> str:
        """The moment at which a result closed, which is recorded at once: so many seconds after noon."""
        return (NOON + timedelta(seconds=seq)).isoformat()

    def voided_result(self, seq: int, table: str, game: str, voids: int, **more: Any) -> Event:
        """A result of a counted table was voided."""
        said = {"property": self.property_name, "table": table, "game": game, "gaming_day": DAY, "voids": voids}
        void = {"counted": True, "correction": CORRECTION, "closed_at": self.result_closed(voids)}
        return self._entry(seq, "result.uncounted", table, said | void | more)

    def gap(self, seq: int, table: str, first: int, last: int) -> Event:
        """Events of a table are missing."""
        return self._entry(seq, "gap.opened", table, {"source": self.table(table), "first": first, "last": last})

    def filled(self, seq: int, table: str, sequence: int) -> Event:
        """A missing event came."""
        return self._entry(seq, "gap.filled", table, {"source": self.table(table), "sequence": sequence})

    def quarantined(
        self, seq: int, table: str | None, sequence: int | None, reason: str, key: str | None = None
    ) -> Event:
        """A record was refused; without a table it could not be read at all, and only its key says whose it is."""
        place = {"topic": "table.events", "partition": 0, "offset": seq, "sequence": sequence, "reason": reason}
        source = None if table is None else self.table(table)
        said = place | {"source": source, "key": key, "sha256": "0" * 64}
        return self._entry(seq, "record.quarantined", table or "", said)

    def mended(self, seq: int, table: str, sequence: int, *closed: int) -> Event:
        """Refused records, by their entries, were replaced."""
        why = {"by": "floor.lee", "reason": "wager renamed"}
        entries = [{"shard": self.number, "seq": one} for one in closed]
        place = {"source": self.table(table), "sequence": sequence, "quarantine": list(closed), "entries": entries}
        return self._entry(seq, "record.mended", table, why | place)

    def dismissed(self, seq: int, closed: int) -> Event:
        """A refused record, by its entry, was dismissed."""
        place = {"topic": "table.events", "partition": 0, "offset": closed, "source": None, "sequence": None}
        entry = {"quarantine": closed, "shard": self.number, "seq": closed, "request": 1, "correction": CORRECTION}
        return self._entry(seq, "quarantine.dismissed", "", place | entry)

    def dismissed_together(self, seq: int, first: int, last: int) -> Event:
        """Refused records, by their entries, were dismissed together."""
        places = [{"shard": self.number, "first": first, "last": last}]
        meant = {"dismissal": 1, "filter": {"until": last}, "records": last - first + 1, "digest": "0" * 64}
        return self._entry(
            seq, "quarantine.dismissed_together", "", meant | {"closed": places, "correction": CORRECTION}
        )

    def _round(self, table: str, round_id: str, more: Mapping[str, Any]) -> dict[str, Any]:
        where = {"property": self.property_name, "table": table, "game": "blackjack", "gaming_day": DAY}
        return where | {"round_id": round_id} | dict(more)

    def _entry(self, seq: int, kind: str, table: str, data: Mapping[str, Any]) -> Event:
        return published(
            kind,
            data,
            service="round-settlement",
            shard=self.number,
            sequence=seq,
            at=NOON + timedelta(seconds=seq),
            subject=self.table(table),
        )


def day_closed(seq: int, status: str, *, seconds: int = 0, property_name: str = "riverside", day: str = DAY) -> Event:
    """Return the entry of the table inventory that a gaming day is now preliminary, audited or final."""
    at = NOON + timedelta(seconds=seconds)
    data = {"property": property_name, "gaming_day": day}
    step = {f"{status}_by": "audit.kim", f"{status}_at": at.isoformat()}
    sealed = {"hash": "e" * 64, "report": {"total": {"final_win_cents": None}}} if status == "final" else {}
    return published(f"day.{status}", data | step | sealed, service="table-inventory", sequence=seq, at=at)
