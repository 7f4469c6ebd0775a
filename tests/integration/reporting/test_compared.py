"""Sums by window from the database beside windows that are put together one by one."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from datetime import date, datetime
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from services.reporting.framework.figures import NOTHING, total
from services.reporting.framework.question import ReportQuery
from services.reporting.read_model.boxes import boxes_of
from services.reporting.read_model.compared import compared_boxes, compared_windows, sums_in
from services.reporting.read_model.many_slips import compared_slips
from services.reporting.read_model.reading import Books
from services.reporting.read_model.slips import slips_of
from services.reporting.read_model.spans import Span, chips_in, rounds_in
from services.reporting.read_model.variances import CaseKey, cases_of
from services.reporting.read_model.windows import counts_of, moved_in, windows_of
from services.reporting.report_service import books_of
from shared.runtime.snapshot_reader import read_at_once
from tests.support.pit_day import Pit
from tests.support.pit_ledger import PROPERTY, at

DAY = date(2026, 11, 20)
MOMENTS = (at(22), at(24.5), at(48))


def asked(url: str, known_at: datetime, read: Callable[[Books], Awaitable[Any]]) -> Any:
    """Return what is read from the books of the month as known at a moment."""

    async def run() -> Any:
        question = ReportQuery(
            property=PROPERTY, period="month", first=DAY.replace(day=1), last=DAY, known_at=known_at, by="audit.kim"
        )
        engine = create_async_engine(url)
        try:
            async with read_at_once(engine) as state:
                return await read(await books_of(state, question))
        finally:
            await engine.dispose()

    return asyncio.run(run())


def play(pit: Pit) -> None:
    """Play a day with a credit that is voided on its way, and is back at the table before the closer."""
    pit.play()
    returned = [{"kind": "chip", "cents": 100, "count": 7}]
    voided = {"slip": "credit", "number": 9, "returned": returned, "void_reason": "dropped on the way"}
    by = {"voided_by": "cage.lou", "voided_at": at(21).isoformat()}
    pit.feed("inventory", pit.ledger.desk("slip.voided", at(21), table="BJ-01", **voided, **by))


@pytest.mark.parametrize("known_at", MOMENTS)
def test_sums_are_those_of_spans_read_one_by_one(url: str, pit: Pit, known_at: datetime) -> None:
    """Between counts and since ever, at every moment: people's movements by instrument, and rounds."""
    play(pit)

    async def read(books: Books) -> tuple[Any, Any]:
        counts = [(start, end) for start, end in await counts_of(books)]
        spans = [Span(end.table, None if start is None else start.at, end.at) for start, end in counts]
        spans += [Span(end.table, None, end.at) for start, end in counts if start is not None]
        one_by_one = []
        for span in spans:
            moves = (await moved_in(books, [span]))[span]
            by = [moves.get(what, NOTHING) for what in ("currency", "counter_check.issued")]
            chips = (await rounds_in(books, [span])).get(span)
            one_by_one.append(
                (total(moves.values()).value, *(figure.value for figure in by), 0 if chips is None else chips.value)
            )
        summed = zip(await sums_in(books, spans), await chips_in(books, spans), strict=True)
        return one_by_one, [(*sums, chips) for sums, chips in summed]

    one_by_one, summed = asked(url, known_at, read)
    assert one_by_one == summed
    assert any(moved for moved, *_ in one_by_one)


@pytest.mark.parametrize("known_at", MOMENTS)
def test_what_differs_is_what_windows_and_boxes_say_one_by_one(url: str, pit: Pit, known_at: datetime) -> None:
    """The same windows and boxes with the same explanations; the others are as expected."""
    play(pit)

    async def read(books: Books) -> None:
        cases = await cases_of(books)
        windows, boxes = await windows_of(books), await boxes_of(books)
        of_windows, of_boxes = await compared_windows(books, cases), await compared_boxes(books, cases)
        off = [one for one in windows if one.variance is not None and one.variance.value]
        assert [(one.key, one.variance) for one in off] == [(one.key, one.variance) for one in of_windows.off]
        assert {one.key for one in windows if one.variance is None} == set(of_windows.alone)
        alike = [one.key for one in windows if one not in off and one.key not in of_windows.alone]
        assert _by_day(alike) == of_windows.alike
        instruments = ("currency", "counter_check")
        differs = [one for one in boxes if any(_off(one, each) for each in instruments)]
        assert differs == list(of_boxes.off)
        assert _by_day(one.key for one in boxes if one not in differs) == of_boxes.alike

    asked(url, known_at, read)


@pytest.mark.parametrize("known_at", MOMENTS)
def test_slips_that_are_not_read_were_received_as_they_were_sent(url: str, pit: Pit, known_at: datetime) -> None:
    """All others are what they are among all slips."""
    play(pit)

    async def read(books: Books) -> None:
        slips, compared = await slips_of(books), await compared_slips(books, (await cases_of(books)).owned_on)
        alike = [one for one in slips if one not in compared.off]
        assert [one for one in slips if one in compared.off] == list(compared.off)
        keys = ((one.begun.gaming_day, one.begun.table, one.slip, one.begun.number) for one in alike)
        assert _by_day(keys) == compared.alike
        for one in alike:
            assert one.status == "received"
            assert one.arrived is not None
            assert one.arrived.value == one.value.value

    asked(url, known_at, read)


def _by_day(keys: Iterable[CaseKey]) -> Counter[tuple[date, str]]:
    return Counter((day, kind) for day, _, kind, _ in keys)


def _off(box: Any, instrument: str) -> bool:
    """Return whether a box has not been counted, or otherwise than recorded."""
    difference = box.difference(instrument)
    return difference is None or difference.value != 0
