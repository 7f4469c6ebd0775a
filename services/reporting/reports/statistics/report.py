"""Statistics: payouts compared with exact expectations, counts by dealer, and alarms of sequential tests."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import partial
from typing import Final

from services.reporting.domain.carried_evidence import THRESHOLD, Alarm, Carried, false_alarms_expected, summary_of
from services.reporting.domain.evidence import FALSE_ALARMS
from services.reporting.domain.statistics import rows_too_often
from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Filled, Made, Section, fill
from services.reporting.framework.figures import NOTHING, Cell, Figure, Sources, Value, explained_by, total
from services.reporting.read_model.alarms import behind
from services.reporting.read_model.evidence import carried_evidence, dealer_counts
from services.reporting.read_model.reading import Books
from services.reporting.read_model.sums import HANDOVER_SHIFT
from services.reporting.reports.common.settled_win import SettledWin, lines_identities
from services.reporting.reports.statistics.exact_parts import Against, Exact, Part, against, parts_of
from services.reporting.reports.statistics.sections import (
    ALARMS,
    COUNTS,
    DEALERS,
    HONEST,
    ROWS,
    SHIFTS,
    TABLES,
    TESTS,
    WAGERS,
    WITHOUT,
)
from shared.contracts.inventory import DayFinal, PitRecorded
from shared.contracts.settlements import SettlementPosted, SettlementReversed
from shared.contracts.submissions import SubmissionApproved
from shared.rules import Returns

Cells = Mapping[str, Value | Figure | Cell]


async def _fill(books: Books) -> Content:
    parts, (day, carried) = await asyncio.gather(parts_of(books), carried_evidence(books))
    exact = Exact(await books.house_edges({part.submission for part in parts}))
    by = partial(against, books, exact)
    dealers, wagers, tables, shifts, whole = await asyncio.gather(
        by("dealer"), by("game", "earner"), by("table_name"), by(HANDOVER_SHIFT), by()
    )
    alarms, rows, counts = await asyncio.gather(
        _alarms(books, carried.alarms), _rows(books, exact, parts), _counts(books)
    )
    totals = whole.get((), Against()).cells()
    sections = (
        fill(ALARMS, alarms),
        _filled(WAGERS, wagers, totals),
        _filled(TABLES, tables, totals),
        _filled(DEALERS, dealers, totals),
        _filled(SHIFTS, shifts, totals),
        fill(ROWS, rows),
        fill(COUNTS, counts),
        fill(WITHOUT, _without(exact, parts)),
        fill(TESTS, _tests(carried, day)),
    )
    return Content(sections, await lines_identities(books, SettledWin(_all(parts))))


def _all(parts: Iterable[Part]) -> dict[str, Figure]:
    listed = list(parts)
    return {name: total(part.figures[name] for part in listed) for name in ("handle_cents", "payout_cents")}


def _filled(section: Section, found: Mapping[tuple[str, ...], Against], totals: Mapping[str, Figure | Cell]) -> Filled:
    def row(of: tuple[tuple[str, ...], Against]) -> Cells:
        place, one = of
        return {**dict(zip(section.key, place, strict=True)), **one.cells()}

    added = {
        "wagers": total(one.stakes for one in found.values()),
        "handle_cents": total(one.handle for one in found.values()),
        "payout_cents": total(one.payout for one in found.values()),
    }
    return fill(section, Made(list(found.items()), row), **{**totals, **added})


async def _rows(books: Books, exact: Exact, parts: Iterable[Part]) -> list[Cells]:
    hits: defaultdict[tuple[str, ...], dict[str, Figure]] = defaultdict(dict)
    found = await books.lines(("game", "version", "submission", "wager", "category"))
    for (game, version, submission, line, category), figures in found.items():
        counted = exact.of(submission, line)
        if category and counted is not None:
            hits[game, version, submission, counted[0]][category] = figures["lines"]
    rows: list[Cells] = []
    for part in parts:
        counted = exact.of(part.submission, part.wager)
        number = part.figures["stakes"]
        if counted is not None and counted[1] is not None and number.value > 0:
            of_wager = hits[part.game, part.version, part.submission, part.wager]
            rows += _of_wager(part, counted[1], number, of_wager)
    return rows


def _of_wager(part: Part, returns: Returns, number: Figure, hits: Mapping[str, Figure]) -> Iterator[Cells]:
    counts = {row: min(figure.value, number.value) for row, figure in hits.items()}
    for row, finding in rows_too_often(returns, counts, number.value).items():
        because = hits.get(row, NOTHING)
        yield {
            "game": part.game,
            "wager": part.wager,
            "version": part.version,
            "row": row,
            "wagers": number,
            "hits": because,
            "expected": Cell(f"{float(returns.probability(row) * number.value):.2f}", number),
            "probability": Cell(f"{finding.statistic:.2g}", explained_by(because, number)),
            "too_often": "yes" if finding.alarm else None,
        }


async def _counts(books: Books) -> list[Cells]:
    return [
        {
            "dealer": dealer,
            "shift": shift,
            "counts": one.counts,
            "off": Cell(one.off, tuple(one.entries)),
            "short": one.short,
            "variance_cents": Cell(one.variance_cents, tuple(one.entries)),
        }
        for (dealer, shift), one in (await dealer_counts(books)).items()
    ]


def _without(exact: Exact, parts: Iterable[Part]) -> Iterator[Cells]:
    for part in parts:
        if exact.of(part.submission, part.wager) is None:
            yield {
                "game": part.game,
                "wager": part.wager,
                "version": part.version,
                "handle_cents": part.figures["handle_cents"],
                "payout_cents": part.figures["payout_cents"],
                "reason": exact.reason(part.submission, part.wager),
            }


def _shown(books: Books, alarms: Iterable[Alarm]) -> Iterator[Alarm]:
    """Yield the alarms about the queried table or game that were raised on or before the last queried gaming day."""
    question = books.question
    for alarm in alarms:
        here = question.table in (None, alarm.tested.table) and question.game in (None, alarm.tested.game)
        if here and alarm.since <= question.last:
            yield alarm


async def _alarms(books: Books, alarms: Iterable[Alarm]) -> list[Cells]:
    shown = await behind(books, list(_shown(books, alarms)))
    return [_alarm(alarm, because) for alarm, because in shown.items()]


def _alarm(alarm: Alarm, because: Sources) -> Cells:
    tested = alarm.tested
    return {
        "test": tested.kind,
        "table": tested.table,
        "seat": tested.seat or None,
        "dealer": tested.dealer,
        "game": tested.game,
        "wager": tested.wager,
        "row": tested.row,
        "since": Cell(alarm.since, because),
        "observations": alarm.n,
        "statistic": f"{alarm.statistic:.2f}",
        "threshold": f"{THRESHOLD:.2f}",
        "false_alarms": str(FALSE_ALARMS),
        "says": alarm.says,
    }


def _tests(carried: Carried, day: date | None) -> Iterator[Cells]:
    for kind, (tests, observations) in summary_of(carried.evidence).items():
        yield {
            "test": kind,
            "tests": tests,
            "through": day,
            "observations": observations,
            "alarms": sum(alarm.tested.kind == kind for alarm in carried.alarms),
            "false_alarms_expected": f"{float(false_alarms_expected(tests)):.3f}",
            "honest": HONEST[kind],
        }


STATISTICS: Final = Report(
    name="statistics",
    title="Statistics",
    about=(
        "Payouts against exactly computed expectations, by wager, table, dealer and shift; paytable rows that "
        "hit too often; count variances by dealer; and alarms of sequential tests, whose stated rate of false "
        "alarms holds however often they are looked at. A z-score or an alarm shows where to look first. It "
        "is not proof against anyone."
    ),
    sections=(ALARMS, WAGERS, TABLES, DEALERS, SHIFTS, ROWS, COUNTS, WITHOUT, TESTS),
    sources=(SettlementPosted, SettlementReversed, SubmissionApproved, PitRecorded, DayFinal),
    fill=_fill,
)
