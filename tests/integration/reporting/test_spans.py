"""What rounds brought into a table inventory in a span: hours that are added up, and the rounds of those in part."""

from datetime import UTC, date, datetime, timedelta
from itertools import combinations

import pytest

from services.reporting.framework.question import ReportQuery
from services.reporting.read_model.spans import Span, chips_in
from services.reporting.report_service import books_of
from shared.runtime.snapshot_reader import read_at_once
from tests.support.reporting import Books
from tests.unit.reporting.entries import DAY, NOON, total

LEAST = timedelta(microseconds=1)
HOUR = timedelta(hours=1)
CLOSED = [
    *(NOON + LEAST, NOON + 1.5 * HOUR, NOON, NOON + 5 * HOUR - LEAST, NOON + HOUR - LEAST),
    *(NOON + HOUR, NOON + HOUR + LEAST, NOON + 2 * HOUR, NOON + 4.25 * HOUR),
]
"""When rounds were closed, in the order in which that was recorded: at the edges of hours, and within them.

The number of one says what it brought.
"""


def _brought_cents(number: int) -> int:
    return int(2**number) * 100


@pytest.mark.parametrize("known", [len(CLOSED), 4, 0])
def test_hours_and_rounds_come_to_what_each_round_brought(books: Books, known: int) -> None:
    """Between any two moments, the first left out and the last not; also as it was known before the last ones came."""
    for number, closed in enumerate(CLOSED, 1):
        books.publish(
            books.posted(number, "BJ-01", [total(handle=_brought_cents(number))], closed_at=closed.isoformat())
        )
    books.publish(
        books.posted(len(CLOSED) + 1, "BJ-02", [total(handle=_brought_cents(20))], closed_at=NOON.isoformat())
    )
    moments = sorted({moment + step for moment in CLOSED for step in (-LEAST, 0 * LEAST, 10 * LEAST, HOUR / 7)})
    spans = [Span("BJ-01", *pair) for pair in combinations(moments, 2)]
    spans.append(Span("BJ-01", None, datetime(2026, 12, 1, tzinfo=UTC)))
    day = date.fromisoformat(DAY)
    question = ReportQuery(
        property="riverside",
        period="day",
        first=day,
        last=day,
        known_at=NOON + timedelta(seconds=known),
        by="audit.kim",
    )

    async def found() -> list[int]:
        async with read_at_once(books.desk.context.pools.background) as read:
            return await chips_in(await books_of(read, question), spans)

    expected = [
        sum(
            _brought_cents(number)
            for number, closed in enumerate(CLOSED[:known], 1)
            if (span.after is None or span.after < closed) and closed <= span.until
        )
        for span in spans
    ]
    assert expected == books.desk.client.run(found())
