"""The journal of table inventory as tests write it: what the pit reported, the desk did and the count found."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from shared.contracts.envelope import pit_source
from tests.support.published import published

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
