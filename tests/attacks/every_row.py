"""Point 20: one row of every table of every schema altered in each column, added, deleted; and who names it."""

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Final
from unittest.mock import patch

import psycopg
from sqlalchemy import MetaData, Table, create_engine

from services.cli.books.checkpoint_sources import Kept as KeptCheckpoints
from services.cli.books.tables import every_table
from services.cli.services import NAMES, load, load_all
from shared.runtime.projections.projection_replay import tables_of
from shared.runtime.service.signing_keys import verifying_seals
from shared.runtime.settings import Settings
from tests.attacks.floor import Floor
from tests.attacks.naming import not_projected
from tests.attacks.outcome import Attempt, Sign
from tests.attacks.pace import A_COMPARISON_ANEW, looked_seconds
from tests.attacks.stack import Attacked
from tests.attacks.watching import watching
from tests.support import eventually
from tests.support.every_row import Books, Outcome, tampered_rows, unexplained
from tests.support.tampering import altering, deleting, exchanging, written

_WHATS: Final = ("altered", "added", "deleted")
_NO: Final = "undone before its service could see it: who looks is asked in the same transaction"
_KNOWN: Final = every_table(load_all())
_SECONDS: Final = 300.0
_COMPARISONS: Final = 2
"""How many times as long as it took to be found a row may be found after it was put back: it is compared again in each
turn, and a turn that had begun before ends first."""


def rows(floor: Floor) -> Iterator[Attempt]:
    """Alter each column of a row of every table, add a row, delete one; then alter one of each read table, live."""
    attacked = floor.attacked
    floor.fund("GA-every-row", 10_000)
    floor.settled()
    for service in NAMES:
        yield from _each(attacked, service)
    yield from _live(attacked)


# --- each row by itself, in a transaction that is undone ---


def _each(attacked: Attacked, service: str) -> Iterator[Attempt]:
    """Go over all tables of a service, as its catalogue has them."""
    books, began = _books(attacked, service), monotonic()

    async def work() -> list[Outcome]:
        return [outcome async for outcome in tampered_rows(books)]

    outcomes, schema = asyncio.run(work()), books.manifest.schema
    seconds = monotonic() - began
    left_out = {name for name in _KNOWN if name.startswith(f"{schema}.")} ^ {one.table for one in outcomes}
    for what in _WHATS:
        of_what = [one for one in outcomes if one.what == what]
        yield _attempt(service, what, of_what, seconds, [f"not tried: {name}" for name in sorted(left_out)])


def _attempt(service: str, what: str, outcomes: Sequence[Outcome], seconds: float, wrong: list[str]) -> Attempt:
    by = Counter(one.by for one in outcomes)
    explained = sorted({_explained(one) for one in outcomes if one.by == "nothing"})
    wrong += [why for one in outcomes if (why := unexplained(one, _KNOWN[one.table])) is not None]
    slowest = max(outcomes, key=lambda one: one.seconds)
    found = ", ".join(f"{count} {name}" for name, count in by.most_common())
    signs = {name: Sign(_NO) for name in ("metric", "readyz", "alert")}
    signs["verify"] = Sign(f"slowest: {slowest}", slowest.seconds)
    signs["log"] = Sign("; ".join(explained) or "nothing means nothing")
    tables, said = (
        len({one.table for one in outcomes}),
        {"altered": "each column", "added": "a row", "deleted": "a row"},
    )
    tried = f"{service}: {said[what]} {what}, {tables} tables, {len(outcomes)} ways in {seconds:.0f} s with the others"
    return Attempt(20, tried, "found", found, "at once, by who is asked", _SECONDS, signs, wrong)


def _explained(outcome: Outcome) -> str:
    """Return what hangs on what nothing names, as the documentation says it."""
    known = _KNOWN[outcome.table]
    if outcome.column in (known.unseen or {}):
        return f"{outcome.table}.{outcome.column} means nothing: {(known.unseen or {})[str(outcome.column)]}"
    return f"{outcome.table}, {outcome.what}: {known.fates[outcome.what].words()}"


def _books(attacked: Attacked, service: str) -> Books:
    """Return a service's books as its superuser reaches them, with the checkpoints that are kept outside."""
    with patch.dict(os.environ, attacked.up.environment):
        settings = Settings()
    kept = KeptCheckpoints.configured(settings, None, ())
    assert kept is not None, "the stack signs checkpoints"
    return Books(service, attacked.superuser_url, settings, verifying_seals(settings, service), kept)


# --- live: a row of every read model at once ---


def _live(attacked: Attacked) -> Iterator[Attempt]:
    """Alter a row of every table that follows from a journal or a topic, while the services run; put them back."""
    every = {name: tables for name in NAMES if (tables := _of_service(attacked, name))}
    stated, within = A_COMPARISON_ANEW
    for name in every:  # a copy that an earlier attack has put behind the journal is named one turn later
        eventually(partial(_finds_nothing, attacked, name), because=f"{name} finds nothing", seconds=within)
    _aside(attacked, every)
    with ExitStack() as stack:
        watches = {
            name: stack.enter_context(watching(attacked, not_projected(name, f"{tables[0].name} ")))
            for name, tables in every.items()
        }
        logged = {name: attacked.log(name).stat().st_size for name in every}
        _alter(attacked, every)
        for watch in watches.values():
            watch.strike()
    attempts = []
    for name, tables in every.items():
        unnamed = partial(_unnamed, attacked, name, tables, logged[name])
        with suppress(AssertionError):  # a table that had just been compared is named by the next turn
            eventually(partial(_all_named, unnamed), seconds=within + looked_seconds())
        watches[name].require(not unnamed(), f"the log does not name {', '.join(unnamed())}")
        what = f"{name}: a row altered in each of {len(tables)} read tables at once, live"
        attempts.append(watches[name].attempt(20, what, "found", "comparison of projections, table by table"))
    _back(attacked, every)
    for name in every:
        again = attacked.command("rebuild", name, "--check")
        watches[name].require(again.code == 0, f"put back, `rebuild --check` says {again.said[-300:]!r}")
    slowest = max(one.signs["readyz"].seconds or within for one in attempts)
    for name in every:
        finds_nothing = partial(_finds_nothing, attacked, name)
        eventually(finds_nothing, because=f"{name} finds nothing", seconds=_COMPARISONS * slowest + within)
    yield from (replace(one, stated=stated, within_seconds=within + looked_seconds()) for one in attempts)


def _unnamed(attacked: Attacked, service: str, tables: Sequence[Table], since: int) -> list[str]:
    """Return the tables that no line of a service's log names, from a byte of it on."""
    said = attacked.log(service).read_bytes()[since:].decode(errors="replace")
    lines = [line for line in said.splitlines() if "projection differs from journal" in line]
    return [one.name for one in tables if not any(f'"table": "{one.name}"' in line for line in lines)]


def _all_named(unnamed: Callable[[], Sequence[str]]) -> bool:
    return not unnamed()


def _finds_nothing(attacked: Attacked, service: str) -> bool:
    return not attacked.not_ready(service)


def _of_service(attacked: Attacked, service: str) -> list[Table]:
    """Return the tables of a service that are projected and have rows, as the catalogue has them."""
    manifest = load(service)
    names = {table.name for table in tables_of(manifest)}
    engine, found = create_engine(attacked.superuser_url), MetaData()
    try:
        found.reflect(engine, schema=manifest.schema, resolve_fks=False)
        with engine.connect() as connection:
            return [
                table
                for table in found.sorted_tables
                if table.name in names and connection.execute(table.select().limit(1)).first() is not None
            ]
    finally:
        engine.dispose()


def _alter(attacked: Attacked, every: Mapping[str, Sequence[Table]]) -> None:
    """Alter a column of a row of each table that is not of its key; where its rules allow none, delete the row."""
    with attacked.superuser() as connection:
        for table in (one for tables in every.values() for one in tables):
            columns = [column.name for column in written(table) if not column.primary_key]
            ways = [way(table, name) for name in reversed(columns) for way in (altering, exchanging)]
            for statement in [*ways, deleting(table)]:
                try:
                    with connection.transaction():
                        changed = connection.execute(statement.encode()).rowcount
                except psycopg.IntegrityError:
                    continue
                if changed == 1:
                    break


def _aside(attacked: Attacked, every: Mapping[str, Sequence[Table]]) -> None:
    with attacked.superuser() as connection:
        connection.execute(b"CREATE SCHEMA aside_20")
        for table in (one for tables in every.values() for one in tables):
            connection.execute(f'CREATE TABLE aside_20."{table.fullname}" AS TABLE {table.fullname}'.encode())


def _back(attacked: Attacked, every: Mapping[str, Sequence[Table]]) -> None:
    with attacked.superuser() as connection:
        for table in (one for tables in every.values() for one in tables):
            names = ", ".join(f'"{column.name}"' for column in written(table))
            connection.execute(f"DELETE FROM {table.fullname}".encode())
            insert = f"INSERT INTO {table.fullname} ({names}) OVERRIDING SYSTEM VALUE SELECT {names}"
            connection.execute(f'{insert} FROM aside_20."{table.fullname}"'.encode())
        connection.execute(b"DROP SCHEMA aside_20 CASCADE")
