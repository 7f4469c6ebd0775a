"""Alarms of sequential tests, as exceptions with subject, time and provenance."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.domain.carried_evidence import THRESHOLD, Alarm
from services.reporting.framework.figures import Aggregate, EntryRef, Sources
from services.reporting.read_model.evidence import alarms_known, all_alarms, dealer_counts
from services.reporting.read_model.exceptions import Exceptional
from services.reporting.read_model.reading import Books, Listed
from services.reporting.read_model.seals import sealed_days
from shared.contracts.alarms import AlarmOwned, AlarmResolved


async def of_statistics(books: Books) -> list[Exceptional]:
    """Return the alarms raised on the queried gaming days, and earlier alarms that are still open.

    Each alarm has its provenance, and the entry that sealed the gaming day that raised it.
    """
    known = [alarm for alarm in await alarms_known(books) if alarm.since <= books.question.last]
    if not known:
        return []
    said = await _said(books)
    alarms = [one for one in known if one.since >= books.question.first or "resolved" not in said.get(name_of(one), {})]
    days = [alarm.since for alarm in alarms]
    sealed = {one.gaming_day: one.entry for one in await sealed_days(books.asked(first=min(days), last=max(days)))}
    evidence = await behind(books, alarms)
    return [_exception(alarm, sealed[alarm.since], evidence[alarm], said.get(name_of(alarm), {})) for alarm in alarms]


def _exception(alarm: Alarm, sealed: EntryRef, evidence: Sources, said: Mapping[str, Listed]) -> Exceptional:
    owned, resolved = said.get("owned"), said.get("resolved")
    settled = {} if resolved is None else {"settled_at": resolved.fact.resolved_at, "settled_by": resolved.fact.owner}
    return Exceptional(
        kind="statistical",
        status="open" if resolved is None else "resolved",
        since=alarm.raised_at,
        subject=name_of(alarm),
        reason=f"{alarm.says}: {alarm.statistic:.2f}, the limit is {THRESHOLD:.2f}; observations: {alarm.n}",
        entries=(sealed, *(one.entry for one in (owned, resolved) if one is not None)),
        evidence=evidence,
        gaming_day=alarm.since,
        table=alarm.tested.table or None,
        owner=None if owned is None else owned.fact.owner,
        resolution=None if resolved is None else resolved.fact.conclusion,
        **settled,
    )


async def _said(books: Books) -> dict[str, dict[str, Listed]]:
    """Return the last fact about each alarm, keyed by the alarm's name and by step (`owned` or `resolved`)."""
    found: dict[str, dict[str, Listed]] = {}
    for one in await books.all_facts(AlarmOwned, AlarmResolved):
        step = "resolved" if isinstance(one.fact, AlarmResolved) else "owned"
        found.setdefault(one.fact.alarm, {})[step] = one
    return found


def name_of(alarm: Alarm) -> str:
    """Return the name of an alarm, unique within its property.

    >>> from datetime import datetime
    >>> from services.reporting.domain.carried_evidence import Subject
    >>> tested = Subject("hits", table="BJ-01", seat=3, game="blackjack", wager="match")
    >>> name_of(Alarm(tested, date(2026, 11, 20), datetime(2026, 11, 21), 20, 3.5))
    'hits, BJ-01, seat 3, blackjack, match'
    """
    tested = alarm.tested
    seat = f"seat {tested.seat}" if tested.seat else ""
    named = (tested.kind, tested.table, seat, tested.dealer, tested.game, tested.wager, tested.row)
    return ", ".join(filter(None, named))


async def behind(books: Books, alarms: Sequence[Alarm]) -> dict[Alarm, Sources]:
    """Return the provenance of each alarm: the rounds of its gaming day, or the dealer's inaccurate counts."""
    moments = {alarm.raised_at for alarm in alarms if alarm.tested.kind == "counts"}
    counts = {moment: await _counts_by(books, moment) for moment in moments}
    return {
        alarm: counts[alarm.raised_at].get(alarm.tested.dealer, ())
        if alarm.tested.kind == "counts"
        else (_rounds(alarm),)
        for alarm in alarms
    }


def _rounds(alarm: Alarm) -> Aggregate:
    tested = alarm.tested
    named = (
        ("table_name", tested.table),
        ("dealer", tested.dealer),
        ("game", tested.game),
        ("wager", tested.wager),
        ("category", tested.row),
    )
    where = tuple((name, value) for name, value in named if value)
    return Aggregate("lines", ("lines",), alarm.since, alarm.since, where)


async def _counts_by(books: Books, moment: datetime) -> Mapping[str, Sources]:
    """Return the inaccurate counts tested up to a given time, keyed by dealer."""
    found: dict[str, list[EntryRef]] = {}
    for (dealer, _), one in (await dealer_counts(books.known_at(moment).asked(first=date.min, last=date.max))).items():
        found.setdefault(dealer, []).extend(one.entries)
    return {dealer: tuple(entries) for dealer, entries in found.items()}


_RESOLVED: Final = text("""
    SELECT property, data ->> 'alarm' AS alarm FROM reporting.facts WHERE kind = 'alarm.resolved'""")


async def open_alarms(connection: AsyncConnection) -> list[tuple[str, Alarm]]:
    """Return the unresolved alarms of all properties, each with its property."""
    resolved = {(row.property, row.alarm) for row in await connection.execute(_RESOLVED)}
    known = [(of, alarm) for of, alarms in await all_alarms(connection) for alarm in alarms]
    return [(of, alarm) for of, alarm in known if (of, name_of(alarm)) not in resolved]
