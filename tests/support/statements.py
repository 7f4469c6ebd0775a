"""What table inventory states of wins, for tests of those who read it: each statement after the one before it."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from shared.contracts.win import Missing, ShiftTime, WinFigures, WinStated
from tests.support.published import published

SHARD = 90
"""Statements are in a shard of their own."""


class Statements:
    """Makes the statements of a property, and knows what each says of a shift last."""

    def __init__(self, property_name: str, *, shard: int = SHARD) -> None:
        self._property = property_name
        self._shard = shard
        self._seq = 0
        self._last: dict[tuple[str, str, str], WinStated] = {}

    def figures(self, table: str, day: str, shift: str = "day") -> WinFigures:
        """What is stated of a shift."""
        last = self._last.get((table, day, shift))
        return WinFigures() if last is None else last.figures

    def stated(
        self,
        at: datetime,
        table: str,
        day: str,
        shift: str = "day",
        *,
        missing: Iterable[str] = (),
        non_banking: bool = False,
        times: Iterable[tuple[datetime, datetime | None]] | None = None,
        **figures: int,
    ) -> dict[str, Any]:
        """The figures of a shift are these, cents by name without `_cents`, and those that were stated and are not.

        So are the `times` in which the table was open in it. Drop is currency and counter checks, and the win what
        Pennsylvania makes of it. What is `missing` is so since the moment at which that is stated first.
        """
        key = (table, day, shift)
        last = self._last.get(key)
        known = {} if last is None else last.figures.model_dump()
        known |= {name if name in WinFigures.model_fields else f"{name}_cents": n for name, n in figures.items()}
        before = () if last is None else last.missing
        lacks = tuple(_missing(one, before, at) for one in missing)
        if not non_banking:
            known["drop_cents"] = known.get("currency_cents", 0) + known.get("counter_checks_cents", 0)
            known["win_cents"] = 0 if lacks else _win_cents(known)
        now = WinFigures(**known)
        fact = WinStated(
            property=self._property,
            table=table,
            gaming_day=date.fromisoformat(day),
            shift=shift,
            revision=1 if last is None else last.revision + 1,
            figures=now,
            changes=now - (WinFigures() if last is None else last.figures),
            missing=lacks,
            lost=tuple(one for one in lacks if one not in before),
            found=tuple(one for one in before if one not in lacks),
            times=_times(() if last is None else last.times, times),
            non_banking=True if non_banking else None,
        )
        self._last[key] = fact
        self._seq += 1
        data = fact.model_dump(mode="json", exclude_none=True)
        return published("win.stated", data, service="table-inventory", sequence=self._seq, at=at, shard=self._shard)


def _times(
    before: tuple[ShiftTime, ...], times: Iterable[tuple[datetime, datetime | None]] | None
) -> tuple[ShiftTime, ...]:
    return before if times is None else tuple(ShiftTime(since=since, until=until) for since, until in times)


def _missing(said: str, before: Iterable[Missing], at: datetime) -> Missing:
    what, _, name = said.partition(" ")
    known = [one for one in before if (one.what, one.name) == (what, name)]
    return known[0] if known else Missing.model_validate({"what": what, "name": name, "since": at})


def _win_cents(known: dict[str, int]) -> int:
    plus, minus = ("closer", "credits", "drop"), ("opener", "fills")
    return sum(known.get(f"{name}_cents", 0) for name in plus) - sum(known.get(f"{name}_cents", 0) for name in minus)
