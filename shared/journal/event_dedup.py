"""Store the digest of the event at each stream position, to tell a duplicate from a conflicting event.

A row holds the digests of consecutive events, 32 bytes for each.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from sqlalchemy import ARRAY, BigInteger, Integer, bindparam, func, lateral, select, true
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.journal.bulk import Row
from shared.journal.tables import JournalTables

DIGEST_BYTES: Final = 32

Taken = tuple[str, int, bytes]
"""(source, sequence, digest): a stream position, and the digest of the event there."""


def taken_rows(taken: Iterable[Taken]) -> list[Row]:
    """Return the rows for events in order of arrival; consecutive sequences of a stream share a row.

    >>> [(row["first"], row["last"]) for row in taken_rows([("/a", 1, b"x"), ("/b", 1, b"y"), ("/a", 2, b"z")])]
    [(1, 2), (1, 1)]
    """
    runs: dict[str, list[tuple[int, list[bytes]]]] = {}
    for source, sequence, digest in taken:
        of_source = runs.setdefault(source, [])
        if of_source and of_source[-1][0] + len(of_source[-1][1]) == sequence:
            of_source[-1][1].append(digest)
        else:
            of_source.append((sequence, [digest]))
    return [
        {"source": source, "first": first, "last": first + len(digests) - 1, "digests": b"".join(digests)}
        for source, of_source in runs.items()
        for first, digests in of_source
    ]


async def load_digests(
    connection: AsyncConnection, tables: JournalTables, claimed: Mapping[str, set[int]]
) -> dict[tuple[str, int], bytes]:
    """Return the stored digests of those claimed stream positions that are taken, by (source, sequence).

    `claimed` is source -> sequences.
    """
    t = tables.taken.c
    found: dict[tuple[str, int], bytes] = {}
    for source, sequences in claimed.items():
        places = func.unnest(bindparam("sequences", sorted(sequences), ARRAY(BigInteger)))
        wanted = places.table_valued("sequence").render_derived()
        run = lateral(
            select(t.first, t.digests)
            .where(t.source == source, t.first <= wanted.c.sequence)
            .order_by(t.first.desc())
            .limit(1)
        )
        begins = (wanted.c.sequence - run.c.first) * DIGEST_BYTES + 1
        digest = func.substring(run.c.digests, begins.cast(Integer), DIGEST_BYTES).label("digest")
        rows: Any = await connection.execute(select(wanted.c.sequence, digest).select_from(wanted.join(run, true())))
        found.update(((source, row.sequence), bytes(row.digest)) for row in rows)
    return found
