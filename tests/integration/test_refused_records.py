"""Records that are refused, on a real database: kept with their bytes and the reason, mended, or passed over."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import psycopg
import pytest

from services.round_settlement.handlers import Rounds, Submissions, TableEvents
from shared.contracts.envelope import Event
from shared.journal.recording import FactWithPostings
from shared.runtime.ingest import ingest_facts as facts
from shared.runtime.ingest.handler import InputRecord
from tests.support import Databases
from tests.support.rounds import TABLES, completed, encoded, source, submission, two_people, voided
from tests.support.services import query, settled_database
from tests.support.table import NOON, POSTED, Table, kinds, play_at, quarantine

T1, T2 = TABLES[:2]


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of round settlement that has the submission."""
    url = settled_database(databases, "round-settlement")
    yield url
    databases.drop(url)


GOOD = completed(T1, 1)


def _changed(path: str, value: Any) -> dict[str, Any]:
    """The good event with one thing changed; a path such as `data.round.seats.0.wagers.blackjack`."""
    document = json.loads(json.dumps(GOOD))
    *parents, last = (int(part) if part.isdigit() else part for part in path.split("."))
    place = document
    for part in parents:
        place = place[part]
    place[last] = value
    return dict(document)


SEAT = "data.round.seats.0"
BAD: dict[str, tuple[bytes | dict[str, Any], str]] = {
    "nothing": (b"", "JSON"),
    "not JSON": (b"\x00\xff\xfe noise", "JSON"),
    "half an event": (encoded(GOOD)[:200], "JSON"),
    "another JSON": (b"[1, 2, 3]", ""),
    "10 MB of one byte": (b"\x07" * 10_000_000, "JSON"),
    "10 MB of JSON": (b'{"specversion": "' + b"1" * 10_000_000 + b'"}', ""),
    "deep JSON": (b"[" * 100_000, "JSON"),
    "unknown event type": (_changed("type", "round.imagined"), "round.imagined"),
    "unknown version of CloudEvents": (_changed("specversion", "0.3"), "specversion"),
    "sequence 0": (_changed("sequence", 0), "sequence"),
    "sequence as text": (_changed("sequence", "1"), "sequence"),
    "time without offset": (_changed("time", "2026-11-20T10:00:00"), "time"),
    "unknown field": (_changed("data.note", "vip"), "note"),
    "unknown field of a seat": (_changed(f"{SEAT}.note", "vip"), "note"),
    "another table's stream": (_changed("data.table", "BJ-02"), "source"),
    "unknown property": (
        completed(T1, 1, property="lakeside") | {"source": f"/properties/lakeside/tables/{T1}"},
        "no approved version of property 'lakeside' is in effect at 2026-11-20T10:01:00+00:00",
    ),
    "unknown table": (completed("XX-99", 1), "table 'XX-99' is not among the tables of riverside (version 1)"),
    "another game": (_changed("data.game", "roulette"), "table 'BJ-01' offers 'blackjack'"),
    "another gaming day": (_changed("data.gaming_day", "2026-11-21"), "is in gaming day 2026-11-20 of riverside"),
    "table not filed for the game": (
        completed("BJ-09", 1),
        "of riverside for blackjack was in effect at table BJ-09 at",
    ),
    "game not filed": (
        completed("TH-01", 1, game="texas-holdem-bonus"),
        "no rules submission of riverside for texas-holdem-bonus",
    ),
    "before any submission": (
        completed(T1, 1, opened_at="2026-11-18T12:00:00Z", gaming_day="2026-11-18"),
        "was in effect at table BJ-01 at 2026-11-18",
    ),
    "another regulation": (_changed("data.regulation", "pa-633a-2011"), "is under pa-633a-2024"),
    "unknown regulation": (_changed("data.regulation", "xx-1"), "regulation"),
    "closed before opened": (_changed("data.closed_at", "2026-11-20T10:00:59Z"), "was closed at"),
    "no such card": (_changed(f"{SEAT}.dealt.0", "1s"), "1s"),
    "a card too many": (_changed(f"{SEAT}.hands.0.cards", ["Ts", "9d", "2c", "Ah"]), "21"),
    "a wager not offered": (_changed(f"{SEAT}.wagers.kings_bounty", 500), "kings_bounty"),
    "negative amount": (_changed(f"{SEAT}.wagers.blackjack", -100), "blackjack"),
    "no amount": (_changed(f"{SEAT}.wagers.blackjack", 0), "blackjack"),
    "fractional amount": (_changed(f"{SEAT}.wagers.blackjack", 100.5), "blackjack"),
    "amount as text": (_changed(f"{SEAT}.wagers.blackjack", "100"), "blackjack"),
    "huge amount": (_changed(f"{SEAT}.wagers.blackjack", 10**30), "blackjack"),
    "amount not a number": (_changed(f"{SEAT}.wagers.blackjack", True), "blackjack"),
    "NUL in a name": (_changed("data.round_id", "a\x00b"), "round_id"),
    "one person twice": (
        voided(T1, 1, "a", correction=two_people() | {"approved_by": "floor.lee"}),
        "floor.lee both entered and approved the change",
    ),
    "more from an account than was staked": (
        _changed("data.account_funded", [{"seat": 1, "wager": "blackjack", "account": "a-1", "cents": 10001}]),
        "10001 of wager 'blackjack' came from an account, but only 10000 was staked",
    ),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_bad_input_is_quarantined_and_the_partition_goes_on(url: str, name: str) -> None:
    """The record is kept with its bytes and a clear reason; what stands before and behind it is posted."""
    bad, reason = BAD[name]

    async def play(table: Table) -> None:
        owner = await table.owner()
        await owner.handle(table.records(completed(T2, 1), bad, completed(T2, 2)))
        await owner.handle(table.records(completed(T2, 3)))

    play_at(url, play)
    assert [(POSTED, 1), ("record.quarantined", 1), (POSTED, 2), (POSTED, 3)] == kinds(url)
    [(said, kept, is_open)] = quarantine(url)
    assert (True, bad if isinstance(bad, bytes) else encoded(bad)) == (is_open, kept)
    assert reason in said
    assert len(said) <= 1000


def test_what_cannot_have_happened_is_refused_and_the_true_records_are_taken(url: str) -> None:
    """Rounds of other years, and a place two billion further on: no gap is opened, no day of theirs is in the books."""
    never = [
        completed(T1, 2, "y9999", opened_at="9999-12-31T23:59:59-12:00", closed_at="9999-12-31T23:59:59-12:00"),
        completed(T1, 2, "d2027", gaming_day="2027-01-01"),
        voided(T1, 2, "d2020", gaming_day="2020-11-20"),
        completed(T1, 2, "jump") | {"sequence": 2**31 - 1},
    ]
    no_place = [completed(T1, 2, "none") | {"sequence": sequence} for sequence in (0, -1, 2**63)]

    async def play(table: Table) -> None:
        owner = await table.owner()
        await owner.handle(table.records(completed(T1, 1), *never, *no_place, completed(T1, 2, "true")))
        counted = table.metrics.implausible.labels
        for limit, times in (("ahead_minutes_max", 2), ("age_days_max", 1), ("sequence_jump_max", 1)):
            assert times == counted("table.events", limit, "refused")._value.get()

    play_at(url, play)
    assert [(POSTED, 1), (POSTED, 2)] == [one for one in kinds(url) if not one[0].startswith("record.")]
    assert [] == query(url, "SELECT * FROM round_settlement.gaps")
    limits = [reason.rpartition("(")[2] for reason, _, _ in quarantine(url)]
    assert ["'ahead_minutes_max')"] * 2 + ["'age_days_max')", "'sequence_jump_max')"] == limits[:4]
    assert [(date(2026, 11, 20),)] == query(
        url, "SELECT DISTINCT gaming_day FROM round_settlement.entries WHERE gaming_day IS NOT NULL"
    )


def test_a_wrong_key_is_quarantined(url: str) -> None:
    """A record that is not keyed by its table could overtake the others of that table."""

    async def play(table: Table) -> None:
        owner = await table.owner()
        await owner.handle([InputRecord("table.events", 0, 0, b"elsewhere", encoded(GOOD), NOON)])

    play_at(url, play)
    assert f"the Kafka key is 'elsewhere'; it must be '{source(T1)}'" == quarantine(url)[0][0]


@pytest.mark.parametrize(
    ("key", "said"),
    [(source(T1).encode(), source(T1)), (None, None), (b"\xff\x00", None), (b"two words", None), (b"", None)],
    ids=["text", "none", "bytes", "a blank", "empty"],
)
def test_the_key_says_whose_an_unreadable_record_is(url: str, key: bytes | None, said: str | None) -> None:
    """It is recorded where it is text, and left out where it is not: nothing else of such a record can be told."""

    async def play(table: Table) -> None:
        owner = await table.owner()
        await owner.handle([InputRecord("table.events", 0, 0, key, b"not JSON", NOON)])

    play_at(url, play)
    [(data,)] = query(url, "SELECT data::text FROM round_settlement.entries")
    assert said == json.loads(data).get("key")


def test_a_mended_record_takes_its_place(url: str) -> None:
    """What was refused left a gap; the mended record fills it, and the quarantine is resolved, with who and why."""

    async def play(table: Table) -> None:
        owner = await table.owner()
        bad = _changed(f"{SEAT}.wagers.blackjack", -100)
        await owner.handle(table.records(bad, completed(T1, 2)))
        [mended] = table.records(GOOD)
        headers = (
            (facts.QUARANTINE_ID, b"round_settlement/1"),
            (facts.MENDED_BY, b"audit.kim"),
            (facts.MENDED_REASON, b"sign"),
        )
        await owner.handle([InputRecord("table.events", 0, mended.offset, mended.key, mended.value, NOON, headers)])

    play_at(url, play)
    assert [
        ("record.quarantined", 0),
        ("gap.opened", 1),
        (POSTED, 2),
        ("gap.filled", 1),
        (POSTED, 1),
        ("record.mended", 1),
    ] == kinds(url)
    assert [False] == [is_open for _, _, is_open in quarantine(url)]
    [(data,)] = query(url, "SELECT data::text FROM round_settlement.entries WHERE kind = 'record.mended'")
    [(shard, seq)] = query(url, "SELECT shard, seq FROM round_settlement.quarantine")
    closed = {"quarantine": [1], "entries": [{"shard": shard, "seq": seq}]}
    assert {"source": source(T1), "sequence": 1, "by": "audit.kim", "reason": "sign"} | closed == json.loads(data)


def test_a_record_replaces_only_what_is_in_quarantine(url: str) -> None:
    """A header that names no open record of this service closes nothing, whatever it names."""

    nothing = (b"round_settlement/7", b"round_settlement/" + b"9" * 30, b"round_settlement/one", b"vigorish/1", b"1")

    async def play(table: Table) -> None:
        owner = await table.owner()
        await owner.handle(table.records(b"not an event"))
        for number, named in enumerate(nothing, 1):
            [record] = table.records(completed(T1, number))
            headers = ((facts.QUARANTINE_ID, named),)
            await owner.handle([InputRecord("table.events", 0, record.offset, record.key, record.value, NOON, headers)])

    play_at(url, play)
    assert [("record.quarantined", 0), *((POSTED, number) for number in range(1, 6))] == kinds(url)
    assert [True] == [is_open for _, _, is_open in quarantine(url)]


class Counting(TableEvents):
    """Count how often each event is derived."""

    def __init__(self) -> None:
        super().__init__()
        self.derived: Counter[str] = Counter()

    def handle(self, event: Event[Any], state: Rounds) -> Sequence[FactWithPostings]:
        self.derived[event.id] += 1
        return super().handle(event, state)


def test_a_record_the_database_refuses_is_found_by_halving(url: str) -> None:
    """One record of 500 that only the database can refuse: its neighbors are recorded, and derived at most twice."""
    handler, poisoned = Counting(), 137

    async def play(table: Table) -> None:
        owner = await table.owner(handler=handler)
        await owner.handle(table.records(*(completed(T1, number, f"r{number}") for number in range(1, 501))))

    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute(f"ALTER TABLE round_settlement.rounds ADD CHECK (round_id <> 'r{poisoned}')")
    play_at(url, play)
    posted = [(POSTED, number) for number in range(1, 501) if number != poisoned]
    refused = [("record.quarantined", poisoned - 1), ("gap.opened", poisoned)]
    assert posted[: poisoned - 1] + refused + posted[poisoned - 1 :] == kinds(url)
    assert "the database refuses it" in quarantine(url)[0][0]
    assert (500, 2) == (len(handler.derived), max(handler.derived.values()))


@pytest.mark.parametrize("moves_money", [False, True, None])
def test_a_kind_that_is_not_known_is_passed_over_where_no_money_moves(url: str, moves_money: bool | None) -> None:
    """It is counted; where money may move the record waits in quarantine for a release that knows it."""
    unknown = submission(2) | {"type": "submission.imagined", "movesmoney": moves_money}
    document = {name: value for name, value in unknown.items() if value is not None}

    async def play(table: Table) -> None:
        reader = table.consumer(handler=Submissions())
        await reader.assigned([0])
        await reader.handle([InputRecord("submissions", 0, 1, None, encoded(document), NOON)])
        skipped = table.metrics.skipped.labels("submissions")._value.get()
        assert (moves_money is False) == bool(skipped)

    play_at(url, play)
    reasons = [reason for reason, _, _ in quarantine(url)]
    why = "kind 'submission.imagined' is not known here and may move money; deploy a release that knows it, then replay"
    assert ([] if moves_money is False else [f"{why} this record"]) == reasons
