"""The floor of a property: the state of each table, combined from several services."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from services.console.console import Person
from services.console.services import INVENTORY, REPORTING, Calls, Missing, path, together

FRESH_SECONDS: Final = 1.0
"""The seconds for which the services' answers are reused for all viewers of the same floor."""
_KEPT_MAX: Final = 64

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TableView:
    """The state of a table on the floor; amounts are cents, or None if the service did not answer."""

    said: Record
    expected_cents: int | None
    requests: int
    slips: int
    variances: int
    due: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return the name of the table."""
        return str(self.said["table"])

    @property
    def kind(self) -> str | None:
        """Return the kind of the table's game; None if the kind is unknown or already part of the game's name.

        >>> TableView({"game": "mini-baccarat", "kind": "minibaccarat"}, None, 0, 0, 0, ()).kind
        >>> TableView({"game": "double-zero-roulette", "kind": "roulette"}, None, 0, 0, 0, ()).kind
        >>> TableView({"game": "wheel-of-fortune", "kind": "big_six"}, None, 0, 0, 0, ()).kind
        'big_six'
        """
        kind: str | None = self.said["kind"]
        return None if kind is None or _letters(kind) in _letters(self.said["game"]) else kind

    @property
    def notices(self) -> int:
        """Return the number of the table's notices that need attention, such as variances, exceptions and alarms."""
        return self.variances + len(self.due) + int(self.said["exceptions"]) + int(self.said["alarms"])


@dataclass(frozen=True, slots=True, eq=False)
class FloorView:
    """The state of a property, and of its tables by pit; `missing` lists the reasons for missing answers."""

    said: Record
    pits: Mapping[str, list[TableView]]
    missing: tuple[str, ...]
    read_at: float = field(default_factory=monotonic)

    @property
    def tables(self) -> list[TableView]:
        """Return all tables, pit by pit."""
        return [one for tables in self.pits.values() for one in tables]

    def total(self, name: str) -> int:
        """Return the sum of a figure over all tables, skipping tables without the figure."""
        return sum(int(one.said[name] or 0) for one in self.tables)


class Floors:
    """Caches floors for a second, so that many viewers cause only one request to the services."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], FloorView] = {}
        self._reading: dict[str, asyncio.Lock] = {}

    async def of(self, person: Person, property_name: str, day: str = "") -> FloorView:
        """Return a floor at most one second old, for the current gaming day or another one. Raises: Refused.

        A cached floor is shown only to people with permission to read it.
        """
        if not (person.may("reports.read") and person.session.works_for(property_name)):
            return await read_floor(person.calls, property_name, day)  # reporting refuses, with the reason
        asked = (property_name, day)
        async with self._reading.setdefault(property_name, asyncio.Lock()):
            known = self._known.get(asked)
            if known is None or monotonic() - known.read_at > FRESH_SECONDS:
                known = await read_floor(person.calls, property_name, day)
                self._known[asked] = known
                while len(self._known) > _KEPT_MAX:
                    del self._known[next(iter(self._known))]
        return known


async def read_floor(calls: Calls, property_name: str, day: str = "") -> FloorView:
    """Return a floor read from the services, for the current gaming day or another. Raises: Refused by reporting."""
    said = await calls.get(REPORTING, path("floors", property_name), gaming_day=day)
    day = said["gaming_day"]
    inventories, prepared, carried, variances, requests, clocks = await together(
        calls.get(INVENTORY, "/inventories", property=property_name),
        calls.get_all(INVENTORY, "/slips", property=property_name, status="prepared"),
        calls.get_all(INVENTORY, "/slips", property=property_name, status="carried"),
        calls.get(INVENTORY, "/variances", property=property_name, gaming_day=day),
        calls.get_all(INVENTORY, "/requests", property=property_name),
        calls.get(INVENTORY, "/equipment", property=property_name),
    )
    expected = {one["table"]: one["expected_cents"] for one in (inventories or {}).get("tables", ())}
    slips = _counted([*(prepared or ()), *(carried or ())])
    asked = _counted(requests or ())
    open_variances = [one for one in (variances or {}).get("items", ()) if one["status"] != "resolved"]
    found = _counted(open_variances)
    due: dict[str, list[str]] = {}
    for clock in (clocks or {}).get("items", ()):
        if clock.get("overdue"):
            due.setdefault(clock["table"], []).append(str(clock["check"]))
    pits: dict[str, list[TableView]] = {}
    for one in said["tables"]:
        name = one["table"]
        view = TableView(
            said=one,
            expected_cents=expected.get(name),
            requests=asked.get(name, 0),
            slips=slips.get(name, 0),
            variances=found.get(name, 0),
            due=tuple(due.get(name, ())),
        )
        pits.setdefault(one["pit"], []).append(view)
    answers = (inventories, prepared, carried, variances, requests, clocks)
    missing = dict.fromkeys(one.why for one in answers if isinstance(one, Missing))
    return FloorView(said, pits, tuple(missing))


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def _counted(records: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in records:
        found[one["table"]] = found.get(one["table"], 0) + 1
    return found
