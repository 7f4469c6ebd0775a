"""What restatements change in a return: every line as it was sealed, as it is now, and the difference."""

from collections.abc import Container, Iterator
from datetime import date
from typing import Any, Final

from services.reporting.books.reading import Books
from services.reporting.books.seals import sealed_days
from services.reporting.domain.tax.amendments import Amended, AmendedLines, differences
from services.reporting.kit.document import Column, Section
from services.reporting.kit.figures import Because, Figure
from services.reporting.reports.cells import rate_text
from services.reporting.reports.revenue import CountedRevenue, counted_revenue
from shared.jurisdictions.model import ClassOfRevenue

AMENDED: Final = Section(
    name="amended",
    title="What restatements change",
    key=("gaming_day", "line", "party", "rate", "figure"),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day", formula="none: the whole period"),
        Column(name="line", title="Line"),
        Column(name="party", title="Party"),
        Column(name="rate", title="Rate"),
        Column(name="figure", title="Figure"),
        Column(
            name="sealed_cents",
            title="As sealed",
            unit="cents",
            formula="as it was known when the last of the gaming days was sealed",
        ),
        Column(name="current_cents", title="Now", unit="cents"),
        Column(name="difference_cents", title="Difference", unit="cents", formula="now - as sealed"),
    ),
)


async def amended_rows(books: Books, now: CountedRevenue) -> list[dict[str, Any]]:
    """Return the lines of the period, and those that changed of each gaming day that changed.

    There are none while a gaming day is not sealed, or where nothing has changed since the last was.
    """
    sealed = await sealed_days(books)
    played = {one.gaming_day for one in now.in_sheet}
    if not played or not played <= {one.gaming_day for one in sealed} or not any(one.changed for one in sealed):
        return []
    sealed_revenue = await counted_revenue(books.known_at(max(one.recorded_at for one in sealed)))
    before, known = sealed_revenue.sheet, {*sealed_revenue.classes, *now.classes}
    if before == now.sheet:
        return []
    because = now.because(now.classes, now.sheet.first, now.sheet.last)
    rows = list(_rows(None, differences(before, now.sheet), known, because))
    for then, current in zip(before.sheets, now.sheet.sheets, strict=True):
        day = then.gaming_day
        changed = _rows(day, differences(then, current), known, now.because(now.classes, day, day))
        rows += [row for row in changed if row["difference_cents"]]
    return rows


def _rows(
    day: date | None, lines: AmendedLines, known: Container[ClassOfRevenue], because: Because
) -> Iterator[dict[str, Any]]:
    for one in lines.classes:
        if one.revenue_class in known:
            yield _row(day, because, one.revenue_class, "revenue", one.revenue)
            yield _row(day, because, one.revenue_class, "counted", one.counted)
    for layer in lines.layers:
        yield _row(day, because, layer.layer, "base", layer.base, rate=rate_text(layer.rate))
        yield _row(day, because, layer.layer, "tax", layer.amount, rate=rate_text(layer.rate))
    for share in lines.shares:
        yield _row(day, because, share.share, "share", share.amount, party=share.party, rate=rate_text(share.part))


def _row(
    day: date | None, because: Because, line: str, figure: str, amounts: Amended, *, party: str = "", rate: str = ""
) -> dict[str, Any]:
    return {
        "gaming_day": day,
        "line": line,
        "party": party,
        "rate": rate,
        "figure": figure,
        "sealed_cents": amounts.original_cents,
        "current_cents": Figure(amounts.current_cents, because),
        "difference_cents": amounts.difference_cents,
    }
