"""The floor of a property: the state of each table, combined from several services.

The theoretical win of the day comes from a report that takes longer than the floor: it is read each minute, beside it.
"""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from services.console.charts import section_of
from services.console.charts.bands import Standing, standing_of
from services.console.console import Person
from services.console.services import INVENTORY, REPORTING, Calls, Missing, or_missing, path, together

FRESH_SECONDS: Final = 1.0
"""The seconds for which the services' answers are reused for all viewers of the same floor."""
BANDS_SECONDS: Final = 60.0
"""The seconds for which the theoretical win of a floor's tables is reused."""
_BANDS_WAIT_SECONDS: Final = 0.1
"""The seconds for which a live page waits for a theoretical win that is being read; then it shows the previous one."""
_SIGMAS: Final = 4
"""The standard deviations between the theoretical win and an end of the scale on which the win is drawn."""
_SCALE: Final = 100
_LOW: Final = 2
"""A fill is suggested when a tray should hold less than its last count divided by this number."""
_KEPT_MAX: Final = 64

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Band:
    """The win of a table's rated wagers beside its theoretical win and standard deviation, in cents.

    Rated wagers are those with an exact distribution, as in the report `statistics`.

    >>> Band(150_00, 100_00, 25_00).standing, Band(201_00, 100_00, 25_00).standing, Band(5, 5, 0).standing
    ('as expected', 'beyond 3', 'as expected')
    """

    win_cents: int
    theoretical_cents: int
    deviation_cents: int

    @property
    def distance(self) -> float | None:
        """Return the standard deviations from the theoretical win to the win; None without variance."""
        return (self.win_cents - self.theoretical_cents) / self.deviation_cents if self.deviation_cents else None

    @property
    def standing(self) -> Standing:
        """Return whether the win is within two standard deviations of the theoretical win, or beyond."""
        return standing_of(self.distance)

    @property
    def two_deviations_cents(self) -> int:
        """Return two standard deviations, in cents."""
        return 2 * self.deviation_cents

    @property
    def mark(self) -> float:
        """Return the place of the win on a scale from 0 to 100, with the theoretical win at 50.

        The scale has four standard deviations on each side; a win beyond is shown at its end.

        >>> Band(100_00, 100_00, 25_00).mark, Band(150_00, 100_00, 25_00).mark, Band(0, 100_00, 5_00).mark
        (50.0, 75.0, 0.0)
        """
        share = (self.distance or 0) / _SIGMAS
        return round(min(max((1 + share) * _SCALE / 2, 0.0), float(_SCALE)), 1)


@dataclass(frozen=True, slots=True)
class TableView:
    """The state of a table on the floor; amounts are cents, or None if the service did not answer.

    `inventory` is the table's row of the expected inventories: open or closed, the last count, and what has moved
    since. It is None if the table was never counted, or is in another gaming day by now.
    """

    said: Record
    inventory: Record | None
    requests: int
    slips: int
    variances: int
    due: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return the name of the table."""
        return str(self.said["table"])

    @property
    def expected_cents(self) -> int | None:
        """Return the expected inventory; None if it is unknown."""
        return None if self.inventory is None else self.inventory["expected_cents"]

    @property
    def status(self) -> str:
        """Return `open`, `closed`, or `unknown` if the table was not counted yet."""
        return "unknown" if self.inventory is None else "open" if self.inventory["open"] else "closed"

    @property
    def short_cents(self) -> int:
        """Return what the tray lacks to its last count, if it should hold less than half of it; else 0.

        A counted table's tray is not known between its counts.
        """
        if self.inventory is None or not self.inventory["open"] or self.said["play"] == "counted":
            return 0
        counted, expected = self.inventory["counted"]["cents"], self.inventory["expected_cents"]
        return counted - expected if expected * _LOW < counted else 0

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
    """The state of a property, and of its tables by pit; `missing` lists the reasons for missing answers.

    `bands` has the theoretical win by table, once a page has asked for it.
    """

    said: Record
    pits: Mapping[str, list[TableView]]
    missing: tuple[str, ...]
    bands: dict[str, Band] = field(default_factory=dict)
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
        self._bands: dict[tuple[str, str], tuple[float, Mapping[str, Band]]] = {}
        self._reading_bands: dict[tuple[str, str], asyncio.Task[None]] = {}

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

    async def with_bands(self, person: Person, property_name: str, day: str = "") -> FloorView:
        """Return a floor as `of` does, with the theoretical win of tables that have any, as last read.

        It is read again each minute, beside the floor: the page of the current gaming day, which is live, does not wait
        for a report that takes longer. If reporting does not say it, the floor is without. Raises: Refused.
        """
        found = await self.of(person, property_name, day)
        asked = (property_name, found.said["gaming_day"])
        found.bands.update(await self._bands_of(person.calls, asked, None if day else _BANDS_WAIT_SECONDS))
        return found

    async def _bands_of(self, calls: Calls, asked: tuple[str, str], seconds_max: float | None) -> Mapping[str, Band]:
        read_at, _ = self._bands.get(asked, (float("-inf"), {}))
        if asked not in self._reading_bands and monotonic() - read_at > BANDS_SECONDS:
            self._reading_bands[asked] = task = asyncio.create_task(self._read_bands(calls, asked))
            task.add_done_callback(lambda _: self._reading_bands.pop(asked))
        if (reading := self._reading_bands.get(asked)) is not None:
            for done in (await asyncio.wait([reading], timeout=seconds_max))[0]:
                done.result()
        return self._bands.get(asked, (0.0, {}))[1]

    async def _read_bands(self, calls: Calls, asked: tuple[str, str]) -> None:
        property_name, day = asked
        as_json = {"property": property_name, "gaming_day": day, "as": "json"}
        report = await or_missing(calls.get(REPORTING, path("reports", "statistics"), **as_json))
        self._bands[asked] = (monotonic(), {} if isinstance(report, Missing) else dict(_bands(report)))
        while len(self._bands) > _KEPT_MAX:
            del self._bands[next(iter(self._bands))]


def _bands(report: Record) -> Iterator[tuple[str, Band]]:
    for one in section_of(report, "tables"):
        handle = one["handle_cents"]
        yield (
            one["table"],
            Band(handle - one["payout_cents"], handle - one["expected_cents"], one["deviation_cents"]),
        )


async def read_floor(calls: Calls, property_name: str, day: str = "") -> FloorView:
    """Return a floor read from the services, for the current gaming day or another. Raises: Refused by reporting."""
    said = await calls.get(REPORTING, path("floors", property_name), gaming_day=day)
    asked_for, day = day, said["gaming_day"]
    inventories, prepared, carried, variances, requests, clocks = await together(
        calls.get(INVENTORY, "/inventories", property=property_name),
        calls.get_all(INVENTORY, "/slips", property=property_name, status="prepared"),
        calls.get_all(INVENTORY, "/slips", property=property_name, status="carried"),
        calls.get(INVENTORY, "/variances", property=property_name, gaming_day=day),
        calls.get_all(INVENTORY, "/requests", property=property_name),
        calls.get(INVENTORY, "/equipment", property=property_name),
    )
    trays = {
        one["table"]: one
        for one in (inventories or {}).get("tables", ())
        if not asked_for or one["gaming_day"] == asked_for
    }
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
            inventory=trays.get(name),
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
