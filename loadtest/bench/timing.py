"""Read from the database when each event was recorded, and when each service committed it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import psycopg

from loadtest.bench.replay import Place
from loadtest.traffic.progress import SETTLEMENT
from shared.contracts.envelope import shard_source

_RECORDED: Final = f"""
    SELECT shard, seq, source, sequence, extract(epoch FROM recorded_at)::float8 FROM {SETTLEMENT}.entries
    WHERE kind = 'settlement.posted'"""  # noqa: S608 - our own name
_TAKEN: Final = "SELECT source, first, last, extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8 FROM {}.taken"
"""The sequences of a stream that one transaction recorded, and when it was committed."""
_KEPT: Final = "SELECT current_setting('track_commit_timestamp')::boolean"


def moments(conninfo: str, schemas: Sequence[str]) -> dict[str, dict[Place, float]]:
    """Return the times at which each event was recorded and each service committed it, in seconds since the epoch.

    The result maps `recorded`, `committed` and the schemas to times by event. It has only `recorded` if the server does
    not store commit timestamps (`track_commit_timestamp`).
    """
    with psycopg.connect(conninfo) as connection:
        rows = connection.execute(_RECORDED.encode()).fetchall()
        [(kept,)] = connection.execute(_KEPT.encode()).fetchall()
        taken = {schema: dict(_taken(connection, schema)) for schema in schemas if kept}
    found: dict[str, dict[Place, float]] = {"recorded": {(source, at): moment for _, _, source, at, moment in rows}}
    for schema, committed in taken.items():
        if schema == SETTLEMENT:
            places = {(source, at): (source, at) for _, _, source, at, _ in rows}
        else:
            places = {(_stream(shard), seq): (source, at) for shard, seq, source, at, _ in rows}
        seen = {place: committed[where] for where, place in places.items() if where in committed}
        if seen:
            found["committed" if schema == SETTLEMENT else schema] = seen
    return found


def everywhere(found: Mapping[str, Mapping[Place, float]]) -> dict[Place, float]:
    """Return, by event, the time of the last service's commit, for events that all services have committed."""
    behind = [seen for name, seen in found.items() if name not in ("recorded", "committed")]
    if not behind:
        return {}
    return {place: max(seen[place] for seen in behind) for place in behind[0] if all(place in seen for seen in behind)}


def _taken(connection: psycopg.Connection[Any], schema: str) -> Iterator[tuple[Place, float]]:
    for source, first, last, moment in connection.execute(_TAKEN.format(schema).encode()):
        for sequence in range(first, last + 1):
            yield (source, sequence), moment


def _stream(shard: int) -> str:
    return shard_source(SETTLEMENT.replace("_", "-"), shard)
