"""How old events were when each service had them, from what a sampler saw and where the messages stand."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec
import psycopg

from loadtest.bench import Place
from loadtest.sampling import Place as Partition
from loadtest.sampling import Samples
from loadtest.topic import Stored
from loadtest.watch import SETTLEMENT
from shared.contracts.topics import SETTLEMENTS, TABLE_EVENTS

_RECORDED: Final = f"""
    SELECT shard, seq, source, sequence, extract(epoch FROM recorded_at)::float8 FROM {SETTLEMENT}.entries
    WHERE kind = 'settlement.posted'"""  # noqa: S608 - our own name


class _Event(msgspec.Struct):
    source: str
    sequence: int


class _Published(msgspec.Struct):
    id: str


def moments(
    conninfo: str, samples: Samples, events: Iterable[Stored], published: Iterable[Stored], schemas: Sequence[str]
) -> dict[str, dict[Place, float]]:
    """Return when each event was recorded, committed, and committed by each of the services behind (epoch seconds).

    By `recorded`, `committed` and the schemas. Of commits between two looks, the last is what counts.
    """
    with psycopg.connect(conninfo) as connection:
        rows = connection.execute(_RECORDED.encode()).fetchall()
    recorded: dict[Place, float] = {(source, sequence): at for _, _, source, sequence, at in rows}
    entries: dict[str, Place] = {f"{shard}-{seq}": (source, sequence) for shard, seq, source, sequence, _ in rows}
    read_event, read_published = msgspec.json.Decoder(_Event).decode, msgspec.json.Decoder(_Published).decode
    sent: dict[tuple[int, int], Place] = {}
    for one in events:
        event = read_event(one.value)
        sent[one.partition, one.offset] = event.source, event.sequence
    said = {(one.partition, one.offset): read_published(one.value).id for one in published}
    settled = {place: entries[entry] for place, entry in said.items() if entry in entries}
    found = {"recorded": recorded, "committed": _seen(samples, SETTLEMENT, TABLE_EVENTS.name, sent)}
    behind = {schema: _seen(samples, schema, SETTLEMENTS.name, settled) for schema in schemas if schema != SETTLEMENT}
    return found | {schema: seen for schema, seen in behind.items() if seen}


def everywhere(found: Mapping[str, Mapping[Place, float]]) -> dict[Place, float]:
    """Return when the last of the services had each event: the events that all have."""
    behind = [seen for name, seen in found.items() if name not in ("recorded", "committed")]
    if not behind:
        return {}
    return {place: max(seen[place] for seen in behind) for place in behind[0] if all(place in seen for seen in behind)}


def _seen(samples: Samples, schema: str, topic: str, places: Mapping[tuple[int, int], Place]) -> dict[Place, float]:
    wanted: defaultdict[Partition, list[int]] = defaultdict(list)
    for partition, offset in sorted(places):
        wanted[topic, partition].append(offset)
    return {places[at]: moment for at, moment in samples.moments(schema, topic, wanted).items()}
