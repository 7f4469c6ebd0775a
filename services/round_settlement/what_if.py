"""Read gaming days from the journal and settle them under another rules submission, in several processes.

Nothing is written to the database. Results are stored as they finish, so that an interrupted run can be resumed.
"""

import asyncio
import multiprocessing
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import date
from hashlib import sha256
from typing import Final, Protocol

from sqlalchemy import BigInteger, Text, cast, func, select, true
from sqlalchemy.ext.asyncio import AsyncConnection

from services.round_settlement.domain.what_if import Alternative, Outcome, TableDay
from services.round_settlement.tables import SCHEMA, journal, rounds
from shared.contracts.envelope import as_json, canonical
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.submissions import RulesSubmission
from shared.runtime.database import create_engine
from shared.runtime.ingest.property_copies import Places
from shared.runtime.rederivation.replay_state import ReplayState

_DECIDES: Final = ("property", "game", "regulation", "submission")
"""The fields of a submission that determine the result of a table's gaming day; they are the key of stored results."""


class GameOfProperty(Protocol):
    """A property and a game, named as in the property's rules submissions."""

    @property
    def game(self) -> str:
        """Return the name of the game."""

    @property
    def property(self) -> str:
        """Return the name of the property."""


def require_period(places: Places, property_name: str, first: date, last: date) -> None:
    """Raise Rejected unless the property is known and the gaming days are in order."""
    if last < first:
        raise Rejected(Reason.NOT_ALLOWED, f"the last gaming day, {last}, is before the first, {first}")
    if not places.versions(property_name):
        raise Rejected(Reason.NOT_FOUND, f"there is no property {property_name!r}, or no version of it is approved")


async def table_days(
    connection: AsyncConnection, wanted: GameOfProperty, tables: Sequence[str] | None, first: date, last: date
) -> list[TableDay]:
    """Return each (gaming day, table) with posted rounds of the game, at the given tables (None: all tables)."""
    r = rounds.c
    query = (
        select(r.gaming_day, r.table_name, func.count(), cast(func.sum(r.seq), BigInteger))
        .where(r.property == wanted.property, r.game == wanted.game, r.gaming_day.between(first, last))
        .where(true() if tables is None else r.table_name.in_(tables), r.seq.is_not(None))
        .group_by(r.gaming_day, r.table_name)
        .order_by(r.gaming_day, r.table_name)
    )
    return [TableDay(*row) for row in await connection.execute(query)]


async def posted(connection: AsyncConnection, wanted: GameOfProperty, of: TableDay) -> list[str]:
    """Return the data of all settlements in force on a table's gaming day, as JSON."""
    r, e = rounds.c, journal.entries.c
    query = (
        select(cast(e.data, Text))
        .join_from(rounds, journal.entries, (r.shard == e.shard) & (r.seq == e.seq))
        .where(r.property == wanted.property, r.game == wanted.game)
        .where(r.gaming_day == of.gaming_day, r.table_name == of.table)
    )
    return list((await connection.execute(query)).scalars())


def settle_again(
    url: str, wanted: RulesSubmission, days: Sequence[TableDay], memory: ReplayState, *, processes: int
) -> Generator[Outcome, None, None]:
    """Yield the what-if result of each table's gaming day as it finishes, stored results first.

    Raises: Refused if the regulation does not allow the submission's selections; errors of the database.
    """
    Alternative(wanted)
    said = as_json(wanted)
    space = sha256(canonical({name: said[name] for name in _DECIDES})).hexdigest()
    left = []
    for of in days:
        known = memory.get(space, _key(of))
        outcome = None if known is None else Outcome.of_document(known)
        if outcome is not None and outcome.of == of:
            yield outcome
        else:
            left.append(of)
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, spawned, initializer=_begin, initargs=(url, wanted)) as pool:
        try:
            for done in as_completed([pool.submit(_settle, of) for of in left]):
                outcome = done.result()
                memory.put(space, {_key(outcome.of): outcome.as_document()})
                memory.commit()
                yield outcome
        finally:
            pool.shutdown(cancel_futures=True)


def _key(of: TableDay) -> str:
    return f"{of.gaming_day}/{of.table}"


class _Worker:
    """The state of a worker process: its database engine, and the other submission with compiled rules."""

    def __init__(self, url: str, wanted: RulesSubmission) -> None:
        self._runner = asyncio.Runner()
        self._engine = create_engine(url, role=SCHEMA)
        self._wanted = wanted
        self._alternative = Alternative(wanted)

    def settle(self, of: TableDay) -> Outcome:
        return self._alternative.settle(of, self._runner.run(self._posted(of)))

    async def _posted(self, of: TableDay) -> list[str]:
        async with self._engine.connect() as connection:
            return await posted(connection, self._wanted, of)


_WORKERS: Final[list[_Worker]] = []


def _begin(url: str, wanted: RulesSubmission) -> None:
    _WORKERS.append(_Worker(url, wanted))


def _settle(of: TableDay) -> Outcome:
    return _WORKERS[0].settle(of)
