"""Drop boxes on a table: each box on an open table must be removed and counted, or written off.

An exchange removes a box and places the next one. The first box of a table was placed without a recorded exchange.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Final

from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.sessions import EVER, Lack, Piece, ShiftKey
from shared.contracts.win import Missing

AT_THE_COUNT: Final = timedelta(minutes=30)
"""If an empty box was on an open table for at most this time, it was only there while the drop was collected."""

_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Stay:
    """The period of a drop box on a table, between the exchanges that placed and removed it (`placed` and `back`).

    Each exchange is represented by the box that it removed. `placed` is None for the table's first box; `back` is None
    while the box is still on the table.
    """

    placed: Box | None
    back: Box | None

    @property
    def until(self) -> datetime:
        """Return the time at which the box was removed."""
        return EVER if self.back is None else self.back.removed_at


def stays_of(boxes: Sequence[Box]) -> list[Stay]:
    """Return the stay of each drop box on a table; `boxes` are those removed, in chronological order."""
    return [Stay(placed, back) for placed, back in pairwise((None, *boxes, None))]


def box_lacks(boxes: Sequence[Box], pieces: Sequence[Piece]) -> Iterator[Lack]:
    """Yield the missing drop boxes and box counts of a table, by shift.

    `pieces` are the times in which the table was open; each must lie between two exchanges.
    """
    for box in boxes:
        if not box.is_done:
            yield Lack(ShiftKey(box.gaming_day, box.shift), box.missing_count())
    on_days = _by_day(stays_of(boxes), pieces)
    for found in on_days.values():
        needed = {number: each for number, each in found.items() if not _is_for_the_count(each[1])} or found
        for stay, parts in needed.values():
            for of in sorted({part.of for part in parts}):
                yield from (Lack(of, missing) for missing in _missing(stay, parts))


def other_days(boxes: Sequence[Box], day: date, stated: Collection[int]) -> tuple[date, date] | None:
    """Return the range of gaming days (first, and last exclusive) that may miss the same box as `day`.

    `boxes` are the boxes removed around the day, including the last before and the first after the day. `stated` are
    the exchanges in the day's last statement, of which some may have been voided since. The result is None if the day
    has no removed or written-off box.
    """
    if not stated and not any(box.gaming_day == day or box.placed_written_off for box in boxes):
        return None
    if not boxes:
        return date.min, date.max
    before, after = boxes[0].gaming_day, boxes[-1].gaming_day
    is_first, is_last = before >= day - _DAY, after <= day + _DAY
    return (date.min if is_first else before - _DAY, date.max if is_last else after + 2 * _DAY)


_Found = tuple[Stay, list[Piece]]


def _by_day(stays: Sequence[Stay], pieces: Sequence[Piece]) -> dict[object, dict[int, _Found]]:
    """Return each stay of a box, with the periods in which the table was open, by gaming day and index of the stay."""
    found: dict[object, dict[int, _Found]] = defaultdict(dict)
    number = 0
    for piece in sorted(pieces, key=lambda one: one.since):
        while number < len(stays) - 1 and stays[number].until <= piece.since:
            number += 1
        found[piece.of.gaming_day].setdefault(number, (stays[number], []))[1].append(piece)
    return found


def _is_for_the_count(parts: Sequence[Piece]) -> bool:
    open_for = sum(((part.until - part.since) for part in parts), timedelta())
    return open_for <= AT_THE_COUNT and not any(part.moves.dropped for part in parts)


def _missing(stay: Stay, parts: Sequence[Piece]) -> Iterator[Missing]:
    placed = stay.placed
    if placed is not None and placed.placed_written_off:
        return  # no day misses it: if it turns up, it is counted for the day of its removal
    name = None if placed is None else placed.placed_box
    if placed is not None and name is not None and (stay.back is None or stay.back.box != name):
        yield Missing(what="box", name=name, since=placed.removed_at)
    elif stay.back is None:
        yield Missing(what="drop", since=parts[0].since)
    if stay.back is not None and not stay.back.is_done:
        yield stay.back.missing_count()
