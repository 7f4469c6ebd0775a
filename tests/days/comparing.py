"""Compare what the service states and reads of the days of a table with what the reference has seen."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Any, Final, Protocol
from zoneinfo import ZoneInfo

from services.table_inventory.domain.provisions import Provisions
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.win import Missing, WinFigures
from tests.days.acts import TABLES, Act
from tests.days.books import Books, Standing
from tests.days.meter import Metered
from tests.days.reference import Clock, Line, Reference, Shift
from tests.days.sign import Sign
from tests.days.telling import BASE_CENTS
from tests.support.properties import place

PROPERTY: Final = "riverbend"
_NOBODY_OPENED: Final = "opener"
_OF_WIN: Final = ("win_cents", "counted_win_cents", "unrecorded_currency_cents", "unrecorded_checks_cents")
"""The figures of a shift that lacks nothing."""


class Ledger(Protocol):
    """What states the days of a table: the books in memory, or the services themselves."""

    place: PropertySnapshot

    @property
    def revisions(self) -> int:
        """Return how often something was stated."""

    @property
    def resolves(self) -> bool:
        """Return whether variances are resolved: then the counts that they are of cannot be void."""

    @property
    def standing(self) -> Mapping[str, Mapping[Shift, Standing]]:
        """What is stated of each shift, by table."""

    def expect(self, act: Act) -> None:
        """Note what was done, before anything is told of it."""

    def take(self, act: Act) -> bool:
        """Record an act; return whether it was accepted. Raises: Refused."""

    def refusal(self, act: Act) -> str | None:
        """Return why an act is refused, and dismiss its record; None where it is taken."""

    def state(self, now: datetime) -> object:
        """State what is other than was stated of it."""

    def unlike_stated(self, table: str, day: date, now: datetime) -> Iterator[str]:
        """Return in words where a gaming day of a table is read otherwise than it is stated: it could not be sealed."""

    def variances(self, table: str, day: date, now: datetime) -> Mapping[str, int]:
        """Return the variance of the inventory that is read of each shift of a table on a gaming day."""

    def metered(self, day: date) -> Metered:
        """Return what is said of the meter on a gaming day."""

    def left(self, day: date, now: datetime, excused: Collection[str] = ()) -> list[str] | None:
        """Close a gaming day as far as it goes, but for the tables that are excused; return what keeps it from that.

        None: it is closed already.
        """


@cache
def place_of(
    begins: str = "06:00", margin_minutes: int = 240, other: str = "refuse", sales: str | None = None
) -> PropertySnapshot:
    """Return a property whose gaming day begins at a time, and how it takes another day than that of a moment.

    With `sales` its last table is counted, and reports these.
    """
    counted = {} if sales is None else {"play": "counted", "sales": sales}
    tables: dict[str, dict[str, str]] = {one: {} for one in TABLES} | {TABLES[-1]: counted}
    plausible = {"plausibility": {"boundary_minutes": margin_minutes}, "other_gaming_day": other}
    return place(PROPERTY, tables, gaming_day_begins=begins, **plausible)


def books_of(at: PropertySnapshot, day: date) -> Books:
    """Return the books of a table that was never counted."""
    return Books(at, Provisions.of(at, day))


def clock_of(at: PropertySnapshot) -> Clock:
    """Return the clock of a property, as the reference has it."""
    document = at.document
    shifts = sorted((one.begins, one.shift) for one in document.shifts)
    return Clock(ZoneInfo(document.time_zone), document.gaming_day_begins, at.pit_margin, shifts)


@dataclass(frozen=True)
class Seen:
    """What the reference has seen of the acts that were told, at each table."""

    tables: Mapping[str, Reference]
    sign: Sign

    @classmethod
    def of(cls, at: PropertySnapshot, acts: Sequence[Act], now: datetime) -> "Seen":
        """Return what there is to see by now."""
        clock, counted = clock_of(at), at.counted_on(at.gaming_day(now))
        tables = {
            name: Reference(clock, now, counted.get(name)).watch(one for one in acts if one.table == name)
            for name in TABLES
        }
        return cls(tables, Sign(BASE_CENTS, acts))

    def days(self, table: str | None = None) -> list[date]:
        """Return the gaming days of which there is anything to say, of a table or of any."""
        seen = self.tables.values() if table is None else [self.tables[table]]
        lines = [item for one in seen for item in one.lines.items()]
        return sorted({day for (day, _), line in lines if figures_seen(line) or line.missing})

    def excused(self, day: date) -> list[str]:
        """Return the tables that nobody was at on a gaming day, if somebody was at another one."""
        idle = [name for name, seen in self.tables.items() if not seen.was_used_on(day)]
        return idle if len(idle) < len(self.tables) else []

    def was_recorded(self, day: date) -> bool:
        """Return whether the tables that are not excused were open on a gaming day, or their inventory was carried."""
        excused = self.excused(day)
        return all(name in excused or day in seen.days_at_work() for name, seen in self.tables.items())

    def lacks(self, table: str, day: date) -> set[tuple[str, str, datetime]]:
        """Return what a table lacks on a gaming day."""
        return {lack for (of, _), line in self.tables[table].lines.items() if of == day for lack in line.missing}


def differences(books: Ledger, seen: Seen, now: datetime) -> Iterator[str]:
    """Return in words what is stated or read otherwise than it was seen."""
    for table in seen.tables:
        yield from (f"{table} {said}" for said in _of_table(books, seen, table, now))
    for day in seen.sign.days():
        said, expected = books.metered(day), Metered(**seen.sign.metered(day))
        if said != expected:
            yield f"{day}: of the meter is said {said}, seen {expected}"


def _of_table(books: Ledger, seen: Seen, table: str, now: datetime) -> Iterator[str]:
    standing, lines = books.standing[table], seen.tables[table].lines
    is_counted = seen.tables[table].sales is not None
    for day in sorted({*seen.days(table), *(of for of, _ in standing)}):
        yield from books.unlike_stated(table, day, now)
        nobody_opened = _nobody_opened(standing, seen.lacks(table, day), day)
        yield from nobody_opened or ()
        read = books.variances(table, day, now)
        for key in sorted({key for key in (*standing, *lines) if key[0] == day}):
            line = lines.get(key, Line())
            variance = 0 if is_counted else line.variance()
            if nobody_opened is None and not line.missing and read.get(key[1], 0) != variance:
                yield f"{day} {key[1]}: a variance of {read.get(key[1], 0)}, seen {variance}"
            for said in _of_shift(standing.get(key), line, exact=nobody_opened is None, is_counted=is_counted):
                yield f"{day} {key[1]}: {said}"


def _nobody_opened(
    standing: Mapping[Shift, Standing], lacks: Collection[tuple[str, str, datetime]], day: date
) -> list[str] | None:
    """Return how the two differ in whether the day lacks an opener; None where neither says so.

    Where it does, no more than that is compared of what it lacks: when the table was opened, nobody knows.
    """
    stated = {one.what for (of, _), it in standing.items() if of == day for one in it.missing}
    seen_so = {what for what, *_ in lacks}
    if _NOBODY_OPENED not in stated | seen_so:
        return None
    if _NOBODY_OPENED in stated & seen_so:
        return []
    return [f"{day}: stated is that it lacks {sorted(stated)}, seen {sorted(seen_so)}"]


def _of_shift(standing: Standing | None, line: Line, *, exact: bool, is_counted: bool) -> Iterator[str]:
    figures = WinFigures() if standing is None else standing.sums
    missing = set[Missing]() if standing is None else standing.missing
    expected = figures_seen(line)
    if exact:
        lacks = {(one.what, one.name, one.since) for one in missing}
        if lacks != line.missing:
            yield f"lacks {_words(missing)}, seen {sorted(line.missing)}"
        expected |= {} if line.missing else {"win_cents": line.win()}
        if is_counted and not line.missing:
            expected |= line.counted_win()
    else:
        figures = figures.model_copy(update=dict.fromkeys(_OF_WIN, 0))
    if figures != WinFigures(**expected):
        yield f"figures {_few(figures)}, seen {expected}"
    numbers = (set[int](), set[int]()) if standing is None else (set(standing.last.counts), set(standing.last.boxes))
    if numbers != (line.counts, set(line.boxes)):
        yield f"of counts and boxes {numbers}, seen {line.counts}, {line.boxes}"


def figures_seen(line: Line) -> dict[str, int]:
    """Return the figures of a shift but for its win, under the names of what is stated, as far as they are not 0."""
    tally, into = line.tally, line.into
    found = {
        "opener_cents": tally["opener"],
        "closer_cents": tally["closer"],
        "handed_over_cents": tally["handed_over"],
        "fills_cents": into["fill"],
        "credits_cents": -into["credit"],
        "prepaid_cents": -into["prepaid_access"],
        "coupons_paid_cents": -into["coupon"],
        "vigorish_waived_cents": -into["waived"],
        "currency_cents": tally["currency"],
        "counter_checks_cents": tally["checks"],
        "coupons_cents": tally["coupons"],
        "match_play_cents": tally["match_play"],
        "drop_cents": tally["currency"] + tally["checks"] - into["prepaid_access"],
        "adjusted_cents": tally["adjusted"],
        "openings": tally["openings"],
        "closings": tally["closings"],
        "carried": tally["carried"],
        "boxes": len(line.boxes),
        "boxes_counted": tally["counted"],
    }
    return {name: value for name, value in found.items() if value}


def _few(figures: WinFigures) -> dict[str, Any]:
    return {name: value for name, value in figures if value}


def _words(missing: Iterable[Missing]) -> list[tuple[str, str, str]]:
    return sorted((one.what, one.name, one.since.isoformat()) for one in missing)
