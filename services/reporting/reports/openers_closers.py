"""Openers compared with the previous closers; each difference needs an owner, who must explain it."""

from collections.abc import Mapping
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Identity, Section, fill
from services.reporting.framework.figures import Figure
from services.reporting.read_model.reading import Books
from services.reporting.read_model.variances import Cases, cases_of
from services.reporting.read_model.windows import Count, Window, counts_of, windows_between
from services.reporting.reports.common.cases import CASE_COLUMNS, cells_of, marks
from shared.contracts.inventory import PitRecorded, VarianceOwned, VarianceResolved

OPENERS: Final = Section(
    name="openers",
    title="Openers against previous closers",
    key=("table", "slip"),
    columns=(
        Column(name="pit", title="Pit"),
        Column(name="table", title="Table"),
        Column(name="game", title="Game"),
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="shift", title="Shift"),
        Column(name="slip", title="Slip", formula="sequence number of the opener in the table's pit stream"),
        Column(
            name="how",
            title="Type of count",
            formula=(
                "opener; carried: the inventory of a table that did not open on the gaming day; one count: a count at "
                "an open table, both closer and opener"
            ),
            source="58 Pa. Code §§ 465a.37, 465a.41",
        ),
        Column(name="closer_slip", title="Closer's slip"),
        Column(name="closed_at", title="Closed at", unit="moment"),
        Column(name="closer_cents", title="Previous closer", unit="cents", added=True),
        Column(
            name="moved_cents",
            title="Movements since",
            unit="cents",
            added=True,
            formula="fills, credits and all other movements since the previous closer",
        ),
        Column(name="opened_at", title="Opened at", unit="moment"),
        Column(name="opener_cents", title="Opener", unit="cents", added=True),
        Column(
            name="difference_cents",
            title="Difference",
            unit="cents",
            added=True,
            formula="opener - previous closer - movements since; empty for the first count of a table",
        ),
        Column(name="counted_by", title="Dealer"),
        Column(name="observed_by", title="Floorperson"),
        *CASE_COLUMNS,
    ),
)


async def _fill(books: Books) -> Content:
    found = [(before, count) for before, count in await counts_of(books) if _opens_asked(books, count)]
    opened = await windows_between(books, [pair for pair in found if pair[1].begins is None])
    windows = {window.end: window for window in opened}
    cases = await cases_of(books)
    rows = [_row(books, windows.get(count), count, cases) for _, count in found]
    identities = (
        Identity(
            "owned differences",
            Figure(sum(1 for window in opened if _differs(window))),
            Figure(sum(1 for window in opened if _differs(window) and _is_owned(window, cases))),
            "every opener that differs from the previous closer is a variance with an owner",
            "count",
        ),
    )
    return Content((fill(OPENERS, rows),), identities, marks(books, OPENERS))


def _opens_asked(books: Books, count: Count) -> bool:
    return count.opens is not None and books.question.first <= count.opens[0] <= books.question.last


def _differs(window: Window) -> bool:
    return window.variance is not None and window.variance.value != 0


def _is_owned(window: Window, cases: Cases) -> bool:
    return cases.of(window.key).owner is not None


def _row(books: Books, window: Window | None, count: Count, cases: Cases) -> Mapping[str, Any]:
    assert count.opens is not None, "an opener opens a gaming day and shift"
    gaming_day, shift = count.opens
    place = {
        "pit": books.pit_of(count.table, gaming_day),
        "table": count.table,
        "game": books.game_of(count.table),
        "gaming_day": gaming_day,
        "shift": shift,
        "slip": str(count.sequence),
        "opened_at": count.at,
        "opener_cents": count.value,
        "counted_by": count.counted_by,
        "observed_by": count.observed_by,
    }
    if window is None:  # a single count is both closer and opener
        closer = {"closer_slip": str(count.sequence), "closed_at": count.at, "closer_cents": count.value}
        return {**place, **closer, "how": "one count", "difference_cents": Figure(0, (count.entry,))}
    if window.start is None or window.variance is None:
        return {**place, "how": count.purpose}
    start = window.start
    closer = {"closer_slip": str(start.sequence), "closed_at": start.at, "closer_cents": start.value}
    return {
        **place,
        **closer,
        "how": count.purpose,
        "moved_cents": window.moved + window.rounds,
        "difference_cents": window.variance,
        **cells_of(books, cases, window.key, window.variance),
    }


OPENERS_CLOSERS: Final = Report(
    name="openers-closers",
    title="Openers against previous closers",
    about=(
        "Each opener of a gaming day and its shifts against the previous count at the table, from whichever "
        "gaming day: the two are equal, or there is a variance with an owner."
    ),
    sections=(OPENERS,),
    sources=(PitRecorded, VarianceOwned, VarianceResolved),
    fill=_fill,
    periods=("day", "week"),
    signatures=("Revenue audit",),
)
