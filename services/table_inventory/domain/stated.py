"""Statements of win: the figures of each shift of a gaming day, and their changes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from pydantic import BaseModel

from services.table_inventory.domain.days import DayKey
from services.table_inventory.domain.rake import non_banking
from services.table_inventory.domain.win import Win
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.win import Missing, ShiftTime, WinFigures, WinStated


class Stated(BaseModel):
    """The last statement about the win of a table in a shift."""

    table: str
    shift: str
    revision: int = 0
    figures: WinFigures = WinFigures()
    missing: tuple[Missing, ...] = ()
    counts: tuple[int, ...] = ()
    boxes: tuple[int, ...] = ()
    times: tuple[ShiftTime, ...] = ()


def days_since(running: date, now: date) -> list[date]:
    """Return the gaming days that ended since `running` was the current day; `now` is the current day."""
    return [running + number * timedelta(days=1) for number in range((now - running).days)]


def goes_on(place: PropertySnapshot, day: date, wins: Iterable[Win]) -> bool:
    """Return whether a table stayed open past the end of a gaming day without being counted.

    If it did, a count of an earlier day can change the statement of a later day, even if no statement about the days in
    between changes.
    """
    end = place.begins_at(day + timedelta(days=1))
    return any(lack.what == "day_count" and lack.since >= end for win in wins for lack in win.lacks)


def unstated_of(
    place: PropertySnapshot, key: DayKey, shifts: Mapping[str, Sequence[Win]], stated: Sequence[Stated]
) -> Iterator[WinStated]:
    """Yield the statements that are due for a gaming day, one for each shift that differs from its last statement.

    `shifts` maps each table to the wins of its shifts. `stated` are the last statements about these tables.
    """
    known = {(one.table, one.shift): one for one in stated}
    now = {(table, win.shift or ""): win for table, wins in shifts.items() for win in wins}
    for table, shift in sorted({*known, *now}):
        last = known.get((table, shift), Stated(table=table, shift=shift))
        win, mark = now.get((table, shift), Win(table, shift)), non_banking(place, table, key.gaming_day)
        figures, missing = win.figures(non_banking=bool(mark)), tuple(win.lacks)
        if (figures, missing, tuple(win.counts), tuple(win.boxes), tuple(win.times)) == _said(last):
            continue
        yield WinStated(
            **key._asdict(),
            table=table,
            shift=shift,
            revision=last.revision + 1,
            figures=figures,
            changes=figures - last.figures,
            missing=missing,
            lost=tuple(one for one in missing if one not in last.missing),
            found=tuple(one for one in last.missing if one not in missing),
            counts=tuple(win.counts),
            boxes=tuple(win.boxes),
            times=tuple(win.times),
            non_banking=mark,
        )


def _said(last: Stated) -> tuple[Any, ...]:
    return last.figures, last.missing, last.counts, last.boxes, last.times
