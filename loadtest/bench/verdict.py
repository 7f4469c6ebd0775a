"""The verdict on a run: whether the books of every service follow from the records sent, entry by entry.

Every round of the corpus is settled again in memory. Then the verdict requires:

- The journal of round settlement has one entry for each round, with the expected bytes and postings, and the hash that
  follows from these, the record at the broker, and the previous entry.
- The topic `settlements` has every entry with its hash.
- Every service that reads the topic has the expected sums (`_SUMS`), and neither quarantined records nor gaps.

`loadtest.bench.load` also runs `pitledger verify` on every journal.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final

import msgspec
import psycopg

from loadtest.bench.expected_journal import Expected
from loadtest.bench.sampling import Place, place_of
from loadtest.traffic.corpus import Record
from loadtest.traffic.progress import SETTLEMENT, Watch
from loadtest.traffic.target import Target
from loadtest.traffic.topic import Stored
from shared.contracts.envelope import property_of
from shared.contracts.settlements import SettlementPosted
from shared.journal.entry import Account, Entry, EntryDraft, Posting, entry_hash, genesis, is_as_hashed

_MOST: Final = 20
"""The maximum number of differences that are listed; further differences are only counted."""

_SUMS: Final[Mapping[str, Sequence[tuple[str, str, str]]]] = {
    "reporting": (
        ("rounds", "SELECT count(*) FROM reporting.rounds WHERE property LIKE 'loadtest-%' AND sign = 1", "rounds"),
        *(
            (name, f"SELECT sum({name}) FROM reporting.wager_days WHERE property LIKE 'loadtest-%'", name)  # noqa: S608
            for name in ("handle_cents", "payout_cents", "vigorish_cents", "meter_payout_cents", "account_staked_cents")
        ),
    ),
    "table_inventory": (
        (
            "chips",
            "SELECT sum(cents) FROM table_inventory.movements WHERE cause = 'round' AND property LIKE 'loadtest-%'",
            "chips_cents",
        ),
    ),
    "vigorish": (
        (
            "assessed",
            "SELECT sum(assessed_cents) FROM vigorish.owed WHERE property LIKE 'loadtest-%'",
            "vigorish_cents",
        ),
    ),
    "progressive_meters": (
        (
            "awards",
            "SELECT sum(award_cents) FROM progressive_meters.readings WHERE property LIKE 'loadtest-%'",
            "meter_payout_cents",
        ),
    ),
    "wagering_accounts": (
        (
            "staked",
            "SELECT sum(staked_cents) FROM wagering_accounts.round_accounts WHERE property LIKE 'loadtest-%'",
            "account_staked_cents",
        ),
    ),
}
"""By schema: a figure's name, the SQL query for its value, and the name of the expected sum that it must equal."""


@dataclass(slots=True)
class Verdict:
    """The number of items compared, by kind, and the deviations found, as text."""

    compared: dict[str, int] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Return whether there are no deviations."""
        return not self.differences

    def count(self, what: str, number: int = 1) -> None:
        """Increase the number of compared items of a kind."""
        self.compared[what] = self.compared.get(what, 0) + number

    def require(self, holds: bool, what: str) -> None:
        """Add a deviation if a condition is false."""
        if not holds:
            self.differences.append(what)

    def as_document(self) -> dict[str, Any]:
        """Return the verdict as JSON."""
        named = self.differences[:_MOST]
        if left := len(self.differences) - len(named):
            named = [*named, f"and {left} more"]
        return {"holds": self.holds, "compared": self.compared, "differences": named}


def judge_journal(
    verdict: Verdict,
    target: Target,
    records: Iterable[Record],
    expected: Expected,
    events: Iterable[Stored],
    settlements: Iterable[Stored],
) -> None:
    """Compare round settlement's journal and its topics with the sent records; add deviations to the verdict.

    For entries of other properties, only the hashes are verified.
    """
    sent = {(record.key, record.sequence): record for record in records}
    at = {(one.partition, one.offset): one for one in events}
    published = _published(settlements, verdict)
    with psycopg.connect(target.conninfo) as connection:
        for name, of_shard in _by_shard(_entries(connection)):
            judge_shard(verdict, name, of_shard, sent, at, expected, published)
    verdict.require(not sent, f"{len(sent)} rounds were sent and are not in the journal: {_some(sent)}")
    verdict.require(not published, f"{len(published)} messages are of no entry: {_some(published)}")


def judge_services(verdict: Verdict, target: Target, expected: Expected, schemas: Iterable[str]) -> None:
    """Compare the sums in these schemas' services with the expected sums; add deviations to the verdict."""
    with psycopg.connect(target.conninfo) as connection:
        for schema in schemas:
            for what, statement, name in _SUMS.get(schema, ()):
                row = connection.execute(statement.encode()).fetchone()
                assert row is not None
                found, wanted = int(row[0] or 0), expected.rounds if name == "rounds" else expected.figures[name]
                verdict.require(found == wanted, f"{schema} has {what} of {found}; {wanted} follows")
                verdict.count("sums of other services")


def judge_refused(verdict: Verdict, target: Target, schemas: Iterable[str]) -> None:
    """Add a deviation to the verdict for each service with quarantined records or gaps."""
    with Watch(target) as watch:
        for schema in schemas:
            if schema != "paytable_registry":
                count = watch.not_read(schema)
                verdict.require(not count, f"{schema} has refused or misses {count} records")


def judge_shard(
    verdict: Verdict,
    name: str,
    entries: Iterable[Entry],
    sent: dict[tuple[str, int], Record],
    at: Mapping[tuple[int, int], Stored],
    expected: Expected,
    published: dict[tuple[int, int], str],
) -> None:
    """Compare a shard's entries with the records in `sent` and hashes in `published`, removing matches from both."""
    head = genesis(name)
    follows = place_of(name)
    for seq, entry in enumerate(entries, 1):
        place = f"entry {entry.seq} of shard {name}"
        verdict.require(entry.seq == seq, f"{place} stands where {seq} should")
        verdict.require(entry.previous == head, f"{place} is not chained to the one before it")
        verdict.require(
            published.pop((entry.shard, entry.seq), None) == entry.hash.hex(),
            f"{place} is not on the topic with its hash",
        )
        found = entry.draft
        record = sent.pop((found.source, found.sequence), None)
        if record is None:
            ours = found.kind == SettlementPosted.KIND.name and expected.of_property(property_of(found.source))
            verdict.require(not ours, f"{place} is of a round that was not sent")
            verdict.require(is_as_hashed(entry, name), f"{place} is not what its hash says")
            verdict.count("other entries")
        else:
            _judge_round(verdict, place, entry, name, record, _message(at, follows, found.offset), expected)
        head = entry.hash
        verdict.count("entries")


def _message(at: Mapping[tuple[int, int], Stored], follows: Place | None, offset: int | None) -> Stored | None:
    return None if follows is None or offset is None else at.get((follows[1], offset))


def _judge_round(
    verdict: Verdict,
    place: str,
    entry: Entry,
    shard_name: str,
    record: Record,
    message: Stored | None,
    expected: Expected,
) -> None:
    if message is None or message.value != record.value:
        verdict.require(False, f"{place}: the broker has something else at offset {entry.draft.offset}")
        return
    wanted = expected.draft(record.value, key=message.key, offset=message.offset, headers=message.headers)
    for part in ("kind", "event_id", "record_hash", "gaming_day", "occurred_at", "data", "postings"):
        verdict.require(getattr(wanted, part) == getattr(entry.draft, part), f"{place}: {part} does not follow")
    digest = entry_hash(
        wanted, shard_name=shard_name, seq=entry.seq, recorded_at=entry.recorded_at, previous=entry.previous
    )
    verdict.require(digest == entry.hash, f"{place}: the hash does not follow from what was sent")
    verdict.count("rounds")
    verdict.count("postings", len(wanted.postings))


class _Envelope(msgspec.Struct):
    id: str  # shard and sequence of the entry
    entryhash: str


def _published(settlements: Iterable[Stored], verdict: Verdict) -> dict[tuple[int, int], str]:
    """Return the hash of each published entry, by (shard, sequence); add a deviation for duplicates that differ."""
    decoder = msgspec.json.Decoder(_Envelope)
    found: dict[tuple[int, int], str] = {}
    for message in settlements:
        said = decoder.decode(message.value)
        shard, _, seq = said.id.partition("-")
        before = found.setdefault((int(shard), int(seq)), said.entryhash)
        verdict.require(before == said.entryhash, f"entry {seq} of shard {shard} is published with two hashes")
        verdict.count("published")
    return found


_ACCOUNTS: Final = f'SELECT account, property, "table", wager, leg FROM {SETTLEMENT}.accounts'  # noqa: S608 - as above
_ENTRIES: Final = f"""
    SELECT s.name, e.shard, e.seq, e.kind, e.source, e.sequence, e.event_id, e."offset", e.record_hash, e.gaming_day,
        e.occurred_at, e.recorded_at, e.data::text, e.previous, e.hash, e.accounts, e.cents
    FROM {SETTLEMENT}.entries e JOIN {SETTLEMENT}.shards s USING (shard)
    ORDER BY e.shard, e.seq"""  # noqa: S608 - our own name


def _entries(connection: psycopg.Connection) -> Iterator[tuple[str, Entry]]:
    accounts = {number: Account(*rest) for number, *rest in connection.execute(_ACCOUNTS.encode())}
    with connection.cursor(name="entries") as cursor:
        cursor.itersize = 1000
        for row in cursor.execute(_ENTRIES.encode()):
            name, shard, seq, kind, source, sequence, event_id, offset, record_hash, day = row[:10]
            occurred_at, recorded_at, data, previous, digest, numbers, cents = row[10:]
            draft = EntryDraft(
                kind=kind,
                source=source,
                sequence=sequence,
                event_id=event_id,
                offset=offset,
                record_hash=record_hash,
                gaming_day=day,
                occurred_at=occurred_at.astimezone(UTC),
                data=data.encode(),
                postings=tuple(Posting(accounts[one], each) for one, each in zip(numbers, cents, strict=True)),
            )
            yield (
                name,
                Entry(shard=shard, seq=seq, draft=draft, recorded_at=recorded_at, previous=previous, hash=digest),
            )


def _by_shard(entries: Iterable[tuple[str, Entry]]) -> Iterator[tuple[str, Iterator[Entry]]]:
    for name, group in groupby(entries, key=itemgetter(0)):
        yield name, (entry for _, entry in group)


def _some(names: Iterable[object]) -> str:
    return ", ".join(map(str, islice(names, 3)))
