"""The stage of gaming days as of a given time (open, preliminary, final, restated), and the restatements."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from sqlalchemy import text

from services.reporting.framework.figures import EntryRef
from services.reporting.framework.question import ReportQuery
from services.reporting.read_model.statements import COUNT_OPEN
from shared.contracts import pit
from shared.contracts.counts import CountConcluded
from shared.contracts.inventory import (
    AdjustmentApproved,
    BoxWrittenOff,
    CreditReceived,
    ManualSlipEntered,
    PitVoided,
    SlipVoided,
)
from shared.contracts.reports import Reached, ReportStatus, furthest_behind
from shared.contracts.topic_reader import kind_of
from shared.runtime.snapshot_reader import Executes


@dataclass(frozen=True, slots=True)
class Restatement:
    """An entry that changed a sealed gaming day, with the new version, the person responsible, and any reason."""

    gaming_day: date
    version: int
    entry: EntryRef
    kind: str
    recorded_at: datetime
    who: str
    why: str


@dataclass(frozen=True, slots=True)
class Stage:
    """The stage of the queried gaming days, which is the earliest stage that any of the days is in.

    `version` is 1, plus 1 for each moment at which entries changed a sealed day.
    """

    status: ReportStatus
    version: int
    restatements: tuple[Restatement, ...]
    sealed_at: Mapping[date, datetime]


_CLOSED: Final = text("""
    SELECT f.gaming_day, f.kind, min(f.recorded_at) AS at, bool_or(m.last_recorded > f.recorded_at) AS changed
    FROM reporting.facts f JOIN reporting.day_moments m USING (property, gaming_day)
    WHERE f.property = :property AND f.gaming_day BETWEEN :first AND :last AND f.recorded_at <= :known_at
      AND f.kind IN ('day.preliminary', 'day.final')
    GROUP BY f.gaming_day, f.kind""")

PLAYED: Final = text("""
    SELECT gaming_day FROM reporting.day_moments
    WHERE property = :property AND gaming_day BETWEEN :first AND :last AND first_recorded <= :known_at
    ORDER BY gaming_day""")

_STATED_OF: Final = (
    *(kind_of(event) for event in (pit.OpenedTable, pit.ClosedTable, pit.CountedOpenTable, pit.CarriedTable)),
    *(kind_of(event) for event in (pit.ReceivedFill, pit.CarriedCredit, pit.SoldChips, pit.DroppedCoupon)),
    *(kind_of(event) for event in (pit.WaivedVigorish, pit.ExchangedBox)),
    *(fact.KIND.name for fact in (ManualSlipEntered, CreditReceived, SlipVoided, AdjustmentApproved, BoxWrittenOff)),
    *(PitVoided.KIND.name, CountConcluded.KIND.name),
)
"""Types of pit events, and kinds of facts, that may change the win."""

# Such an entry changes no figure of the win until the win is stated, so it belongs to the version of the next entry
# that changes a figure.
_AFTER: Final = text("""
    SELECT c.gaming_day, c.service, c.shard, c.seq, c.recorded_at, c.changes,
           coalesce(f.kind, x.kind, 'settlement.posted') AS kind,
           coalesce(x.entered_by, f.data #>> '{correction,approved_by}', f.data ->> 'approved_by',
                    f.data ->> 'resolved_by', f.data ->> 'owner',
                    f.data ->> 'concluded_by', f.data ->> 'entered_by', f.data ->> 'by', '') AS who,
           coalesce(x.reason, f.data #>> '{correction,reason}', f.data ->> 'reason', f.data ->> 'conclusion',
                    f.data ->> 'late_reason', '') AS why
    FROM (SELECT gaming_day, service, shard, seq, recorded_at, bool_or(changes) AS changes FROM (
              SELECT gaming_day, service, shard, seq, recorded_at, true AS changes FROM reporting.amounts
              WHERE property = :property AND gaming_day = :day AND measure NOT IN ('acts', 'posted_cents', 'unposted')
                AND recorded_at > :sealed AND recorded_at <= :known_at
              UNION ALL
              SELECT gaming_day, service, shard, seq, recorded_at, false FROM reporting.facts
              WHERE property = :property AND gaming_day = :day AND coalesce(event, kind) = ANY(:stated_of)
                AND recorded_at > :sealed AND recorded_at <= :known_at
              UNION ALL
              SELECT gaming_day, service, shard, seq, recorded_at, true FROM reporting.facts
              WHERE :of_ratings AND property = :property AND gaming_day = :day AND kind = 'rating.stated'
                AND recorded_at > :sealed AND recorded_at <= :known_at
              UNION ALL
              SELECT CAST(:day AS date), s.service, s.shard, s.seq, s.recorded_at, false FROM reporting.facts s
              WHERE :of_ratings AND s.property = :property AND s.kind = 'rating.recorded' AND s.gaming_day >= :day
                AND s.recorded_at > :sealed AND s.recorded_at <= :known_at
                AND s.data ->> 'rating' IN (
                    SELECT f.data ->> 'rating' FROM reporting.facts f
                    WHERE f.property = :property AND f.gaming_day = :day AND f.kind = 'rating.stated'
                      AND f.recorded_at > :sealed AND f.recorded_at <= :known_at)) entries
          GROUP BY gaming_day, service, shard, seq, recorded_at
          UNION ALL
          SELECT gaming_day, 'round-settlement', shard, seq, recorded_at, true FROM reporting.rounds
          WHERE property = :property AND gaming_day = :day AND recorded_at > :sealed AND recorded_at <= :known_at) c
    LEFT JOIN reporting.facts f ON f.service = c.service AND f.shard = c.shard AND f.seq = c.seq
    LEFT JOIN reporting.exceptions x
        ON x.service = c.service AND x.shard = c.shard AND x.seq = c.seq AND x.kind IN ('reversed', 'voided')
    ORDER BY c.recorded_at, c.service, c.shard, c.seq""")

# `last_recorded` is compared first, because for most days it is before the seal, which excludes the day.
_RESTATED_SINCE: Final = text("""
    SELECT m.property, m.gaming_day
    FROM reporting.day_moments m
    CROSS JOIN LATERAL (
        SELECT min(f.recorded_at) AS at FROM reporting.facts f
        WHERE f.property = m.property AND f.gaming_day = m.gaming_day AND f.kind = 'day.final') sealed
    WHERE m.last_recorded > :since AND m.last_recorded > sealed.at
      AND (EXISTS (SELECT FROM reporting.amounts a
                   WHERE a.property = m.property AND a.gaming_day = m.gaming_day
                     AND a.measure NOT IN ('acts', 'posted_cents', 'unposted')
                     AND a.recorded_at > greatest(sealed.at, :since))
           OR EXISTS (SELECT FROM reporting.rounds r
                      WHERE r.property = m.property AND r.gaming_day = m.gaming_day
                        AND r.recorded_at > greatest(sealed.at, :since)))
    ORDER BY m.property, m.gaming_day""")

_THROUGH: Final = text("""
    WITH RECURSIVE found AS (
        (SELECT service, shard FROM reporting.positions ORDER BY service, shard LIMIT 1)
        UNION ALL
        SELECT following.* FROM found CROSS JOIN LATERAL (
            SELECT p.service, p.shard FROM reporting.positions p
            WHERE (p.service, p.shard) > (found.service, found.shard) ORDER BY p.service, p.shard LIMIT 1) following)
    SELECT service, shard, last.seq,
           (SELECT coalesce(sum(g.last - g.first + 1), 0) FROM reporting.gaps g
            WHERE g.source = '/' || service || '/shards/' || shard) AS missing
    FROM found CROSS JOIN LATERAL (
        SELECT p.seq FROM reporting.positions p
        WHERE p.service = found.service AND p.shard = found.shard AND p.recorded_at <= :known_at
        ORDER BY p.recorded_at DESC LIMIT 1) last
    ORDER BY service, shard""")
# Positions exist for each moment of recording, millions a month, so each shard is looked up by index, without
# aggregation.


async def played_days(connection: Executes, question: ReportQuery) -> Sequence[date]:
    """Return the queried gaming days for which anything was recorded, in order."""
    rows = await connection.execute(PLAYED, _parameters(question))
    return [row.gaming_day for row in rows]


async def stage_of(
    connection: Executes, question: ReportQuery, played: Sequence[date], *, of_ratings: bool = False
) -> Stage:
    """Return the earliest stage that any of the `played` days, or a later last queried day, is in.

    With `of_ratings` (for a report about ratings), a rating stated after the seal is a restatement. A rating moves no
    money, so it restates no other report of the day.
    """
    closed: dict[date, dict[str, datetime]] = {}
    changed: set[date] = set()
    for row in await connection.execute(_CLOSED, _parameters(question)):
        closed.setdefault(row.gaming_day, {})[row.kind] = row.at
        if row.changed and row.kind == "day.final":  # the seal itself comes after the preliminary step
            changed.add(row.gaming_day)
    statuses: list[ReportStatus] = []
    restatements: list[Restatement] = []
    sealed_at: dict[date, datetime] = {}
    for day in {*played, *([question.last] if question.last > max(played, default=date.min) else [])}:
        steps = closed.get(day, {})
        if "day.final" in steps:
            sealed_at[day] = steps["day.final"]
            sealed = steps["day.final"]
            after = await _restatements(connection, question, day, sealed, of_ratings) if day in changed else ()
            restatements.extend(after)
            statuses.append(ReportStatus.RESTATED if after else ReportStatus.FINAL)
        else:
            statuses.append(ReportStatus.PRELIMINARY if steps else ReportStatus.OPEN)
    versions = {(one.gaming_day, one.version) for one in restatements}
    status = furthest_behind(statuses)
    in_order = sorted(restatements, key=lambda one: (one.gaming_day, one.version))
    return Stage(status, 1 + len(versions), tuple(in_order), sealed_at)


async def _restatements(
    connection: Executes, question: ReportQuery, day: date, sealed: datetime, of_ratings: bool
) -> Sequence[Restatement]:
    asked = {
        **_parameters(question, "property", "known_at"),
        "day": day,
        "sealed": sealed,
        "stated_of": list(_STATED_OF),
        "of_ratings": of_ratings,
    }
    rows = (await connection.execute(_AFTER, asked)).all()
    moments = sorted({row.recorded_at for row in rows if row.changes})
    versions = [(bisect_left(moments, row.recorded_at), row) for row in rows]
    return [
        Restatement(
            day,
            2 + number,
            EntryRef(row.service, row.shard, row.seq),
            row.kind,
            row.recorded_at,
            row.who,
            row.why,
        )
        for number, row in versions
        if number < len(moments)
    ]


async def restated_since(connection: Executes, since: datetime) -> list[tuple[str, date]]:
    """Return (property, gaming day) for each sealed day that was changed by entries recorded after a moment."""
    rows = await connection.execute(_RESTATED_SINCE, {"since": since})
    return [(row.property, row.gaming_day) for row in rows]


async def through(connection: Executes, question: ReportQuery) -> list[Reached]:
    """Return, for each shard of each journal, the last sequence read, and the number of missing entries."""
    rows = await connection.execute(_THROUGH, {"known_at": question.known_at})
    return [Reached(service=row.service, shard=row.shard, seq=row.seq, missing=int(row.missing)) for row in rows]


async def open_exceptions(connection: Executes, question: ReportQuery) -> tuple[int, int]:
    """Return the number of the property's open exceptions, and the number of those about reporting's own input."""
    row = (await connection.execute(text(COUNT_OPEN), _parameters(question, "property", "known_at"))).one()
    return row.exceptions, row.input


def _parameters(question: ReportQuery, *names: str) -> dict[str, object]:
    return {name: getattr(question, name) for name in names or ("property", "first", "last", "known_at")}
