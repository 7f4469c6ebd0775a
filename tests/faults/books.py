"""What a service has recorded, in a form in which two runs can be compared, and whether it is in order."""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from shared.contracts.envelope import shard_source
from tests.faults.in_process import problems
from tests.faults.subject import Subject
from tests.support.services import query, read_topic

Books = Mapping[str, list[dict[str, Any]]]
"""By table: its rows, sorted."""

_NOT_OF_THE_BOOKS = (
    *("accounts", "alembic_version", "checkpoints", "verified", "relay", "evidence_days"),
    *("compared_pools", "compared_hours", "inputs", "read_until", "touched", "wins_stated"),
)
"""What follows from something else, is made in the background some time later, or says what was read, and when."""
_STATED_LATER = "wins"
"""A shard of what is stated in the background some time later, of which runs have more or less."""
_OF_OTHERS = {"reporting.rounds", "reporting.won_lines", "reporting.seat_wagers"}
"""Tables whose shards are another service's, and which do not say so in a column."""
_OFFSETS = {"offset", "next_offset", "previous", "hash", "head"}
"""Offsets, and the hashes over them."""

_TABLES = "SELECT tablename::text FROM pg_tables WHERE schemaname = '{schema}'"
_ENTRIES = """
    SELECT (to_jsonb(e) - '{{accounts,cents}}'::text[] || jsonb_build_object('data', e.data::text, 'postings', (
        SELECT jsonb_agg(jsonb_build_array(a.property, a."table", a.wager, a.leg, p.cents) ORDER BY p.line)
        FROM {schema}.postings p JOIN {schema}.accounts a USING (account) WHERE (p.shard, p.seq) = (e.shard, e.seq)
    )))::text FROM {schema}.entries e"""
_TAKEN = """
    SELECT jsonb_build_object('source', source, 'sequence', sequence, 'digest',
        substring(digests FROM (32 * (sequence - first) + 1)::int FOR 32))::text
    FROM {schema}.taken, generate_series(first, last) sequence"""
"""What stands at each place, however many came together."""
_SOURCES = """
    SELECT jsonb_build_object('source', source, 'last_sequence', last_sequence, 'spread', spread)::text
    FROM {schema}.sources"""
"""How far each stream is, in however many commits: so many versions it has."""
_OWN = {"entries": _ENTRIES, "taken": _TAKEN, "sources": _SOURCES}
_MONEY = """
    SELECT a.property, a."table", a.wager, a.leg, e.gaming_day, sum(p.cents)::bigint
    FROM {schema}.postings p JOIN {schema}.accounts a USING (account) JOIN {schema}.entries e USING (shard, seq)
    GROUP BY 1, 2, 3, 4, 5 HAVING sum(p.cents) <> 0 ORDER BY 1, 2, 3, 4, 5"""
_FACTS = """
    SELECT kind, source, sequence FROM {schema}.entries WHERE kind NOT LIKE 'gap.%' ORDER BY kind, source, sequence"""
_TRIAL_BALANCE = "SELECT coalesce(sum(cents), 0)::bigint FROM {schema}.postings"
_HASHES = "SELECT shard, seq, encode(hash, 'hex') FROM {schema}.entries"


def books_of(subject: Subject, url: str) -> Books:
    """Everything that the service has recorded, hashes included, an entry with its postings.

    What number the database gave does not matter: shards have their names, records in quarantine no number. A shard in
    which nothing is recorded is left out.
    """
    schema = subject.schema
    shards = dict(query(url, f"SELECT shard, name FROM {schema}.shards"))

    def row_of(table: str, text: str) -> dict[str, Any]:
        row: dict[str, Any] = json.loads(text, parse_float=str)
        own = row.get("service", subject.name) == subject.name and f"{schema}.{table}" not in _OF_OTHERS
        if row.get("shard") is not None and own:
            row["shard"] = shards[row["shard"]]
        if table == "quarantine":
            del row["id"]
        return row

    found = {}
    for (table,) in query(url, _TABLES.format(schema=schema)):
        if table not in _NOT_OF_THE_BOOKS:
            statement = _OWN.get(table, f"SELECT to_jsonb(t)::text FROM {{schema}}.{table} t")
            rows = [row_of(table, text) for (text,) in query(url, statement.format(schema=schema))]
            found[table] = _sorted(rows)
    found["shards"] = [shard for shard in found["shards"] if shard["next_seq"] > 1 and shard["name"] != _STATED_LATER]
    return {table: [row for row in rows if row.get("shard") != _STATED_LATER] for table, rows in found.items()}


def without_offsets(books: Books) -> Books:
    """The books for runs in which the same records had other offsets."""
    return _without(books, _OFFSETS)


def without_places(books: Books) -> Books:
    """The books for runs in which entries need not stand at the same places: rows that name places are left out, and of
    an entry its place, which may be its sequence too."""
    named = {table for table, rows in books.items() if any("shard" in row for row in rows)}
    entries = [
        row | ({"source": "", "sequence": 0} if row["source"].endswith(f"/{row['shard']}") else {})
        for row in books["entries"]
    ]
    unnamed = {table: rows for table, rows in books.items() if table not in named}
    return _without({**unnamed, "entries": entries}, {*_OFFSETS, "shard", "seq"})


def _without(books: Books, columns: Collection[str]) -> Books:
    return {
        table: _sorted({name: value for name, value in row.items() if name not in columns} for row in rows)
        for table, rows in books.items()
    }


def _sorted(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))


def figures_of(subject: Subject, url: str) -> list[Any]:
    """What the order of arrival does not change: the money of each account and day, the facts but those about gaps, and
    what the service says besides."""
    statements = (_MONEY.format(schema=subject.schema), _FACTS.format(schema=subject.schema), *subject.figures)
    return [query(url, statement) for statement in statements]


def check_order(subject: Subject, url: str) -> None:
    """The journal verifies, the trial balance is zero, and every identity of the service holds."""
    assert [] == problems(subject, url)
    assert [(0,)] == query(url, _TRIAL_BALANCE.format(schema=subject.schema))
    for name, statement in subject.identities.items():
        assert [] == query(url, statement), name


def check_published(subject: Subject, url: str, servers: str, topic_prefix: str = "") -> None:
    """Whoever reads the service's topics and drops what was seen gets every entry once, each shard in its order on one
    topic, and no other."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    last: dict[str, int] = {}
    topics = [topic_prefix + topic.name for topic in subject.manifest.published]
    on: dict[str, str] = {}
    for record in (record for topic in topics for record in read_topic(servers, topic)):
        subject.decode(record.value)
        event = json.loads(record.value)
        place = (event["source"], event["sequence"])
        assert record.topic == on.setdefault(event["source"], record.topic)
        if place not in found:
            assert last.get(event["source"], 0) + 1 == event["sequence"]
            last[event["source"]] = event["sequence"]
        assert event == found.setdefault(place, event)
    hashes = query(url, _HASHES.format(schema=subject.schema))
    recorded = {(shard_source(subject.name, shard), seq): digest for shard, seq, digest in hashes}
    assert recorded == {place: event["entryhash"] for place, event in found.items()}
