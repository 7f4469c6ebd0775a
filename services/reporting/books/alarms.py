"""The alarms of tests over time, as exceptions: what each is about, when it was raised, and what it comes from."""

from collections.abc import Iterable
from datetime import date

from services.reporting.books.evidence import alarms_known, dealer_counts
from services.reporting.books.exceptions import Exceptional
from services.reporting.books.reading import Books
from services.reporting.books.seals import sealed_days
from services.reporting.domain.carried_evidence import THRESHOLD, Alarm
from services.reporting.kit.figures import AddedUp, Because


async def of_statistics(books: Books) -> list[Exceptional]:
    """Return the alarms that were raised up to the last gaming day of the question: they stay open.

    Each comes with the entry that sealed the gaming day after which it was raised, and with what it was raised by.
    """
    alarms = [alarm for alarm in await alarms_known(books) if alarm.since <= books.question.last]
    if not alarms:
        return []
    days = [alarm.since for alarm in alarms]
    sealed = {one.gaming_day: one.entry for one in await sealed_days(books.asked(first=min(days), last=max(days)))}
    evidence = await behind(books, alarms)
    return [
        Exceptional(
            kind="statistical",
            status="open",
            since=alarm.raised_at,
            subject=_subject(alarm),
            reason=f"{alarm.says}: {alarm.statistic:.2f}, the limit is {THRESHOLD:.2f}; observations: {alarm.n}",
            entries=(sealed[alarm.since],),
            evidence=evidence[alarm],
            gaming_day=alarm.since,
            table=alarm.tested.table or None,
        )
        for alarm in alarms
    ]


def _subject(alarm: Alarm) -> str:
    tested = alarm.tested
    seat = f"seat {tested.seat}" if tested.seat else ""
    named = (tested.kind, tested.table, seat, tested.dealer, tested.game, tested.wager, tested.row)
    return ", ".join(filter(None, named))


async def behind(books: Books, alarms: Iterable[Alarm]) -> dict[Alarm, Because]:
    """Return what alarms come from: the rounds of the gaming day that raised one, or all the counts that were off."""
    return {
        alarm: await _counts(books, alarm) if alarm.tested.kind == "counts" else (_rounds(alarm),) for alarm in alarms
    }


def _rounds(alarm: Alarm) -> AddedUp:
    tested = alarm.tested
    named = (
        ("table_name", tested.table),
        ("dealer", tested.dealer),
        ("game", tested.game),
        ("wager", tested.wager),
        ("category", tested.row),
    )
    where = tuple((name, value) for name, value in named if value)
    return AddedUp("lines", ("lines",), alarm.since, alarm.since, where)


async def _counts(books: Books, alarm: Alarm) -> Because:
    tested_by_then = books.known_at(alarm.raised_at).asked(first=date.min, last=date.max)
    of_all = await dealer_counts(tested_by_then)
    return tuple(entry for (dealer, _), one in of_all.items() if dealer == alarm.tested.dealer for entry in one.entries)
