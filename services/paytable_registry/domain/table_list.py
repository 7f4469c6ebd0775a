"""The tables and devices of a property, on a gaming day and over a month. Pure."""

from calendar import monthrange
from collections import Counter
from collections.abc import Sequence
from datetime import date

from shared.contracts.envelope import Contract
from shared.contracts.properties import PropertyApproved, PropertyTable
from shared.contracts.property_snapshot import PropertySnapshot


class TableLine(Contract):
    """A table's line in the master list."""

    table: str
    asset_number: str
    game: str
    pit: str
    location: str
    positions: int
    fully_automated: bool
    non_banking: bool
    progressive_links: tuple[str, ...]
    opened_on: date
    retired_on: date | None = None


class DeviceLine(Contract):
    """A device's line in the master list, with its table."""

    asset_number: str
    kind: str
    serial_number: str | None = None
    table: str
    pit: str


class MonthLine(Contract):
    """A table's line in the list of a month: its game and pit, and the number of gaming days on which it was open."""

    table: str
    asset_number: str
    game: str
    pit: str
    days: int


def master_list(document: PropertyApproved, day: date) -> tuple[list[TableLine], list[DeviceLine]]:
    """Return lines for the tables in use on a gaming day, by name, and for their devices, by asset number."""
    there = sorted((table for table in document.tables if table.is_open_on(day)), key=lambda table: table.table)
    lines = [TableLine(**{name: getattr(table, name) for name in TableLine.model_fields}) for table in there]
    devices = [
        DeviceLine(
            asset_number=device.asset_number,
            kind=device.kind,
            serial_number=device.serial_number,
            table=table.table,
            pit=table.pit,
        )
        for table in there
        for device in table.devices
    ]
    return lines, sorted(devices, key=lambda device: device.asset_number)


def by_month(places: Sequence[PropertySnapshot], month: str) -> list[MonthLine]:
    """Return the lines of the tables in a month (`2026-11`); a table has one line for each game and pit that it had.

    Each gaming day counts under the version of the property in effect when the day begins.
    """
    year, number = (int(part) for part in month.split("-"))
    days = [date(year, number, day) for day in range(1, monthrange(year, number)[1] + 1)]
    found = Counter(
        (table.table, table.asset_number, table.game, table.pit) for day in days for table in _open_on(places, day)
    )
    return [
        MonthLine(table=table, asset_number=asset, game=game, pit=pit, days=count)
        for (table, asset, game, pit), count in sorted(found.items())
    ]


def _open_on(places: Sequence[PropertySnapshot], day: date) -> list[PropertyTable]:
    begun = [place for place in places if place.document.effective_from <= place.begins_at(day)]
    if not begun:
        return []
    document = max((place.document for place in begun), key=lambda document: document.effective_from)
    return [table for table in document.tables if table.is_open_on(day)]
