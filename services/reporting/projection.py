"""Writes what a batch changes into the tables behind the reports: one statement for each table, however many rows."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import FromClause, Table, bindparam, case, column, func, null, select, text
from sqlalchemy.dialects.postgresql import ARRAY, Insert, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.domain import Changes, Closing, Fill, Noticed
from services.reporting.tables import closings, exceptions, fills, game_days, submission_days, wager_days


async def write(connection: AsyncConnection, changes: Changes) -> None:
    """Adds the changes of a batch, in the caller's transaction. Rows are written in the order of their keys, so that
    two consumers cannot wait for each other."""
    if changes.sums:
        rows = [(*key, *sums) for key, sums in sorted(changes.sums.items())]
        await connection.execute(_ADD_WAGERS, _arrays(wager_days, rows))
    if changes.handles:
        handles = [(*key, handle) for key, handle in sorted(changes.handles.items())]
        await connection.execute(_ADD_HANDLES, _arrays(submission_days, handles))
    if changes.rounds:
        counted = [(*key, n.posted, n.corrected, n.reversed, n.voided) for key, n in sorted(changes.rounds.items())]
        await connection.execute(_ADD_GAMES, _arrays(game_days, counted))
    if changes.noticed:
        await connection.execute(_NOTICE, _arrays(exceptions, map(_noticed_row, changes.noticed), _NOTICED))
    if changes.fills:
        await connection.execute(_FILL, _arrays(fills, map(_fill_row, changes.fills)))
    if changes.closings:
        await connection.execute(_CLOSE, _arrays(closings, map(_closing_row, changes.closings)))
    await _follow_up(connection, changes)


async def _follow_up(connection: AsyncConnection, changes: Changes) -> None:
    """Lets what settles meet what is to be settled, whichever came first."""
    gaps = [(noticed.stream, noticed.first, noticed.last) for noticed in changes.noticed if noticed.kind == "gap"]
    gaps += [(fill.stream, fill.sequence, fill.sequence) for fill in changes.fills]
    if gaps:
        streams, firsts, lasts = map(list, zip(*gaps, strict=True))
        await connection.execute(_SHRINK_GAPS, {"streams": streams, "firsts": firsts, "lasts": lasts})
    refused = [one.entry[:3] for one in changes.noticed if one.kind == "quarantined"]
    refused += [(one.entry.service, one.closed_shard, one.closed_seq) for one in changes.closings]
    if refused:
        services, shards, seqs = map(list, zip(*refused, strict=True))
        await connection.execute(_SETTLE_REFUSED, {"services": services, "shards": shards, "seqs": seqs})
    rounds = [
        (one.property, one.table, one.round_id, one.revision)
        for one in changes.noticed
        if one.kind in ("notice", "reversed")
    ]
    if rounds:
        names = ("properties", "tables", "round_ids", "revisions")
        columns = map(list, zip(*rounds, strict=True))
        await connection.execute(_TAKE_BACK_NOTICES, dict(zip(names, columns, strict=True)))


# --- rows as arrays, one a column ---

_NOTICED = tuple(
    column.name for column in exceptions.columns if column.name != "missing" and not column.name.startswith("settled_")
)


def _noticed_row(noticed: Noticed) -> tuple[Any, ...]:
    return (
        *noticed.entry,
        noticed.number,
        noticed.kind,
        noticed.state,
        noticed.since,
        noticed.stream,
        noticed.first,
        noticed.last,
        noticed.property,
        noticed.table,
        noticed.game,
        noticed.gaming_day,
        noticed.round_id,
        noticed.topic,
        noticed.partition,
        noticed.offset,
        noticed.reason,
        noticed.entered_by,
        noticed.approved_by,
        noticed.revision,
        noticed.code,
        noticed.seat,
        noticed.paragraph,
        noticed.detail,
    )


def _fill_row(fill: Fill) -> tuple[Any, ...]:
    return (*fill.entry, fill.at, fill.stream, fill.sequence)


def _closing_row(one: Closing) -> tuple[Any, ...]:
    return (*one.entry, one.closed_shard, one.closed_seq, one.state, one.at, one.by, one.approved_by, one.reason)


def _names(table: Table) -> tuple[str, ...]:
    return tuple(column.name for column in table.columns)


def _arrays(table: Table, rows: Iterable[tuple[Any, ...]], columns: Sequence[str] = ()) -> dict[str, list[Any]]:
    names = columns or _names(table)
    return {name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}


def _came(table: Table, names: Sequence[str]) -> FromClause:
    """The rows of a batch: each column comes as one array."""
    arrays = (bindparam(name, type_=ARRAY(table.c[name].type)) for name in names)
    valued = func.unnest(*arrays).table_valued(*(column(name, table.c[name].type) for name in names), name="came")
    return valued.render_derived(name="came")


def _adding(table: Table) -> Insert:
    """Adds the counted columns to what is there."""
    statement = _keeping(table)
    sums = [one.name for one in table.columns if not one.primary_key]
    return statement.on_conflict_do_update(
        index_elements=list(table.primary_key), set_={name: table.c[name] + statement.excluded[name] for name in sums}
    )


def _noticing() -> Insert:
    """Adds exceptions; of a new gap, everything is missing."""
    came = _came(exceptions, _NOTICED)
    whole = func.int8multirange(func.int8range(came.c.first, came.c.last, "[]"))
    return insert(exceptions).from_select(
        [*_NOTICED, "missing"], select(came, case((came.c.kind == "gap", whole), else_=null()))
    )


def _keeping(table: Table) -> Insert:
    names = _names(table)
    return insert(table).from_select(names, select(_came(table, names)))


_ADD_WAGERS = _adding(wager_days)
_ADD_HANDLES = _adding(submission_days)
_ADD_GAMES = _adding(game_days)
_NOTICE = _noticing()
_FILL = insert(fills).from_select(_names(fills), select(_came(fills, _names(fills))))
_CLOSE = (
    insert(closings).from_select(_names(closings), select(_came(closings, _names(closings)))).on_conflict_do_nothing()
)

# The gaps of a stream do not overlap: the one that begins last before a sequence is the only one that can hold it.
_SHRINK_GAPS = text("""
    WITH came AS (
        SELECT gap.service, gap.shard, gap.seq, max(s.at) AS at,
               range_agg(int8range(s.sequence, s.sequence, '[]')) AS sequences
        FROM unnest(CAST(:streams AS text[]), CAST(:firsts AS bigint[]), CAST(:lasts AS bigint[]))
            AS touched (stream, first, last)
        CROSS JOIN LATERAL (
            SELECT e.service, e.shard, e.seq, e.last FROM reporting.exceptions e
            WHERE e.kind = 'gap' AND e.stream = touched.stream AND e.first <= touched.first
            ORDER BY e.first DESC LIMIT 1) gap
        JOIN reporting.fills s ON s.stream = touched.stream AND s.sequence BETWEEN touched.first AND touched.last
        WHERE touched.first <= gap.last
        GROUP BY gap.service, gap.shard, gap.seq)
    UPDATE reporting.exceptions e
    SET missing = e.missing - came.sequences,
        state = CASE WHEN isempty(e.missing - came.sequences) THEN 'filled' ELSE 'open' END,
        settled_at = greatest(e.settled_at, came.at)
    FROM came
    WHERE (e.service, e.shard, e.seq) = (came.service, came.shard, came.seq)""")

# A refused record is closed by the first entry that says so.
_SETTLE_REFUSED = text("""
    WITH closed AS (
        SELECT DISTINCT ON (e.service, e.shard, e.seq) e.service, e.shard, e.seq, c.state, c.at,
               c.shard AS by_shard, c.seq AS by_seq, c.hash, c.by, c.approved_by, c.reason
        FROM unnest(CAST(:services AS text[]), CAST(:shards AS integer[]), CAST(:seqs AS bigint[]))
            AS touched (service, shard, seq)
        JOIN reporting.exceptions e USING (service, shard, seq)
        JOIN reporting.closings c ON (c.service, c.closed_shard, c.closed_seq) = (e.service, e.shard, e.seq)
        ORDER BY e.service, e.shard, e.seq, c.recorded_at, c.shard, c.seq)
    UPDATE reporting.exceptions e
    SET state = closed.state, settled_at = closed.at, settled_shard = closed.by_shard, settled_seq = closed.by_seq,
        settled_hash = closed.hash, settled_by = closed.by, settled_approved_by = closed.approved_by,
        settled_reason = closed.reason
    FROM closed
    WHERE (e.service, e.shard, e.seq) = (closed.service, closed.shard, closed.seq)""")

# A notice is about the posting of one revision of a round: the reversal of that posting takes it back.
_TAKE_BACK_NOTICES = text("""
    UPDATE reporting.exceptions notice
    SET state = 'reversed', settled_at = reversal.since, settled_shard = reversal.shard, settled_seq = reversal.seq,
        settled_hash = reversal.hash, settled_by = reversal.entered_by, settled_approved_by = reversal.approved_by,
        settled_reason = reversal.reason
    FROM unnest(CAST(:properties AS text[]), CAST(:tables AS text[]), CAST(:round_ids AS text[]),
                CAST(:revisions AS integer[])) AS touched (property, table_name, round_id, revision)
    JOIN reporting.exceptions reversal USING (property, table_name, round_id, revision)
    WHERE reversal.kind = 'reversed' AND notice.kind = 'notice'
      AND (notice.property, notice.table_name, notice.round_id, notice.revision)
        = (touched.property, touched.table_name, touched.round_id, touched.revision)""")
