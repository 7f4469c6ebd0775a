"""What is stated of the win of tables: the figures of each shift of a gaming day, and what changes of them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from pydantic import BaseModel

from services.table_inventory.domain.days import DayKey
from services.table_inventory.domain.rake import non_banking
from services.table_inventory.domain.win import Win
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.win import Missing, ShiftTime, WinFigures, WinStated


class Stated(BaseModel):
    """What was stated last of a table in a shift."""

    table: str
    shift: str
    revision: int = 0
    figures: WinFigures = WinFigures()
    missing: tuple[Missing, ...] = ()
    counts: tuple[int, ...] = ()
    boxes: tuple[int, ...] = ()
    times: tuple[ShiftTime, ...] = ()


def days_since(running: date, now: date) -> list[date]:
    """Return the gaming days that are over since one was running, up to the one that runs now."""
    return [running + number * timedelta(days=1) for number in range((now - running).days)]


def unstated_of(
    place: PropertySnapshot, key: DayKey, shifts: Mapping[str, Sequence[Win]], stated: Sequence[Stated]
) -> Iterator[WinStated]:
    """Return what is to be stated of a gaming day: the shifts that are other now than was stated of them last.

    `shifts` is the win of each table by shift, `stated` what was stated last of these tables.
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
