"""Versions of a kind: what older releases wrote is read as today's, what newer ones write as what is not known."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

import pytest

from shared.contracts import facts, upcasting
from shared.contracts import topic_reader as reading
from shared.contracts.catalog import decode_fact
from shared.contracts.envelope import Contract
from shared.contracts.facts import KINDS, Fact, event, fact, name_and_version
from shared.contracts.schemas import json_schemas
from shared.contracts.topic_reader import Reader, Skipped, View, view_of
from shared.contracts.topics import SETTLEMENTS, TABLE_EVENTS, Topic
from shared.contracts.upcasting import Data, upcast_data, upcasts, without_upcaster
from shared.journal.entry import Account, EntryDraft, Posting, genesis, seal
from shared.journal.fact_replay import as_of_today, with_fact
from shared.journal.recording import Causation, FactWithPostings, draft
from shared.rules.errors import Refused
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.outbox.relay import Outgoing, entry_message
from shared.runtime.rederivation.entry_comparison import difference

NOON: Final = datetime(2026, 11, 20, 12, tzinfo=UTC)
TIPS: Final = Topic(name="tips", title="Tips", description="Tips of a test.", publisher="tips")
SHARD: Final = "pit.events/0@test"
RECORD: Final = InputRecord("pit.events", 0, 0, b"k", b"v", NOON)
CAUSE: Final = Causation("/properties/riverside/tables/BJ-01/pit", 1, "e-1", 0, NOON, RECORD.digest())
MONEY: Final = (Posting(Account("riverside", "BJ-01", "", "tips"), 5), Posting(Account("riverside", "", "", "due"), -5))


@pytest.fixture(autouse=True)
def declared() -> Iterator[None]:
    """What a test declares is gone after it."""
    registries: list[dict[Any, Any]] = [facts.KINDS._by_name, reading._VIEWS, upcasting._UPCASTERS]
    kept = [dict(registry) for registry in registries]
    yield
    for registry, entries in zip(registries, kept, strict=True):
        registry.clear()
        registry.update(entries)


def first_release() -> Any:
    """The fact as the first release declared it: dollars."""

    @fact("tip.given", TIPS, moves_money=True)
    class Tip(Fact):
        """A tip was given."""

        dollars: int
        dealer: str

    return Tip


def third_release() -> Any:
    """The fact two versions later: cents, and who gave it."""
    KINDS._by_name.pop("tip.given", None)

    @fact("tip.given", TIPS, moves_money=True, version=3)
    class Tip(Fact):
        """A tip was given."""

        cents: int
        dealer: str
        given_by: str

    @upcasts("tip.given", 1)
    def in_cents(data: Data) -> Data:
        return {"cents": data["dollars"] * 100, "dealer": data["dealer"]}

    @upcasts("tip.given", 2)
    def by_somebody(data: Data) -> Data:
        return {**data, "given_by": "unknown"}

    return Tip


def recorded(said: Fact, previous: bytes = genesis(SHARD), seq: int = 1) -> Any:
    """The fact as an entry."""
    [entry] = seal(
        [draft(FactWithPostings(fact=said, postings=MONEY), CAUSE)],
        shard=1, shard_name=SHARD, next_seq=seq, head=previous, recorded_at=NOON,
    )  # fmt: skip
    return entry


def message(entry: Any) -> bytes:
    """The entry as it is published."""
    return entry_message("/tips/shards/1", 1, Outgoing.of(entry))


def test_a_first_version_is_called_like_its_kind_and_a_later_one_says_so() -> None:
    """What is recorded keeps its name, and so its hash; the version enters the hash with the type."""
    old = recorded(first_release()(dollars=5, dealer="dana"))
    new = recorded(third_release()(cents=500, dealer="dana", given_by="pat"))
    assert ("tip.given", "tip.given.v3") == (old.draft.kind, new.draft.kind)
    assert [("tip.given", 1), ("tip.given", 3)] == [name_and_version(one.draft.kind) for one in (old, new)]
    other = EntryDraft(
        **{name: getattr(new.draft, name) for name in EntryDraft.__slots__ if name != "kind"}, kind="tip.given.v2"
    )
    [moved] = seal([other], shard=1, shard_name=SHARD, next_seq=1, head=genesis(SHARD), recorded_at=NOON)
    assert moved.hash != new.hash


def test_an_older_entry_is_read_through_every_upcaster_and_keeps_its_bytes() -> None:
    """Version 1 becomes 2 and then 3; version 2 becomes 3; what is stored stays as it is, with its hash."""
    entry = recorded(first_release()(dollars=5, dealer="dana"))
    stored, digest = entry.draft.data, entry.hash
    today = third_release()
    expected = today(cents=500, dealer="dana", given_by="unknown")
    assert expected == with_fact(entry)[1]
    assert expected == decode_fact("tip.given.v2", b'{"cents":500,"dealer":"dana"}')
    assert expected == decode_fact("tip.given.v3", expected.encode())
    assert (stored, digest) == (entry.draft.data, entry.hash)
    assert ("tip.given.v3", expected.encode()) == (as_of_today(entry.draft).kind, as_of_today(entry.draft).data)
    assert stored is upcast_data("gap.opened", stored)


def test_a_topic_with_entries_of_several_versions_is_read_as_today() -> None:
    """A consumer gets the same fact whichever release published it, whole or as the view that it has of it."""
    old = message(recorded(first_release()(dollars=5, dealer="dana")))
    today = third_release()
    new = message(recorded(today(cents=700, dealer="dana", given_by="pat")))

    @view_of(today)
    class Given(View):
        cents: int

    assert b'"type":"tip.given",' in old
    whole = Reader(TIPS, today)
    assert [500, 700] == [whole.decode(raw).data.cents for raw in (old, new)]
    assert [{"cents": 500}, {"cents": 700}] == [dict(Reader(TIPS, Given).decode(raw).data) for raw in (old, new)]
    assert "tip.given.v3" == whole.decode(old).type
    assert json.loads(old)["entryhash"] == whole.decode(old).entryhash  # type: ignore[attr-defined]


def test_who_does_not_read_a_kind_passes_over_all_of_its_versions() -> None:
    """An older version is as known as today's."""
    old = message(recorded(first_release()(dollars=5, dealer="dana")))
    third_release()

    @fact("tip.split", TIPS)
    class Split(Fact):
        """Tips were split."""

    data = Reader(TIPS, Split).decode(old).data
    assert isinstance(data, Skipped)
    assert data.known


@pytest.mark.parametrize("moves_money", [True, False])
def test_a_later_version_is_an_unknown_kind(*, moves_money: bool) -> None:
    """With money it is refused, for quarantine; without, it is passed over and counted as unknown."""
    later = third_release()
    raw = message(recorded(later(cents=500, dealer="dana", given_by="pat")))
    event = json.dumps(json.loads(raw) | {"movesmoney": moves_money}).encode()
    KINDS._by_name.pop("tip.given")
    reader = Reader(TIPS, first_release())
    if moves_money:
        with pytest.raises(Refused, match=r"kind 'tip.given.v3' is not known here and may move money"):
            reader.decode(event)
    else:
        assert Skipped("tip.given.v3", known=False) == reader.decode(event).data
    with pytest.raises(LookupError, match=r"kind 'tip.given.v3' is not known here; use a release that knows it"):
        decode_fact("tip.given.v3", b"{}")


def test_what_is_not_as_its_version_had_it_is_refused_with_the_reason() -> None:
    """An upcaster that finds something else, and a result that today's model refuses, are no reason to stop."""
    raw = message(recorded(first_release()(dollars=5, dealer="dana")))
    reader = Reader(TIPS, third_release())
    with pytest.raises(Refused, match=r"it is not as version 1 of 'tip.given' has it"):
        reader.decode(raw.replace(b'"dollars"', b'"pounds"'))
    with pytest.raises(Refused, match="dealer"):
        reader.decode(raw.replace(b'"dana"', b"7"))
    with pytest.raises(Refused, match=r"on tips it is '/tips/shards/"):
        reader.decode(raw.replace(b"/tips/", b"/pits/"))


def test_events_from_outside_have_versions_too() -> None:
    """A table system that was not upgraded goes on sending the first one."""

    @event("table.washed", TABLE_EVENTS, version=2)
    class Washed(Contract):
        """The felt was washed."""

        minutes: int

    @upcasts("table.washed", 1)
    def in_minutes(data: Data) -> Data:
        return {"minutes": data["hours"] * 60}

    head = {"specversion": "1.0", "id": "e-1", "source": "/t", "sequence": 1, "time": NOON.isoformat()}
    sent = [
        head | {"type": "table.washed", "data": {"hours": 2}},
        head | {"type": "table.washed.v2", "data": {"minutes": 3}},
    ]
    reader = Reader(TABLE_EVENTS, Washed)
    assert [120, 3] == [reader.decode(json.dumps(one).encode()).data.minutes for one in sent]
    assert "table.washed.v2" in json_schemas()


def test_what_follows_today_is_compared_with_an_older_entry_as_today() -> None:
    """verify --rederive finds nothing where an older release recorded what follows, and else what differs."""
    entry = recorded(first_release()(dollars=5, dealer="dana"))
    today = third_release()
    same, other = (
        draft(FactWithPostings(fact=today(cents=cents, dealer="dana", given_by="unknown"), postings=MONEY), CAUSE)
        for cents in (500, 600)
    )
    assert None is difference(entry, same, RECORD)
    expected = "tip.given.v3 follows from the record at offset 0 of pit.events/0 with other data"
    assert expected == difference(entry, other, RECORD)


def test_a_version_without_an_upcaster_is_named() -> None:
    """What could not be read is found by the checks; nothing that is declared lacks one."""
    assert [] == without_upcaster()
    third_release()
    del upcasting._UPCASTERS["tip.given", 2]
    assert ["tip.given.v2"] == without_upcaster()


def test_upcasters_are_declared_once_and_of_versions_that_are_past() -> None:
    """A slip in a declaration says what is wrong."""
    third_release()
    with pytest.raises(ValueError, match=r"version 1 of 'tip.given' has an upcaster already"):
        upcasts("tip.given", 1)(lambda data: data)
    for name, version in (("tip.given", 3), ("tip.given", 0), ("tip.lost", 1)):
        with pytest.raises(ValueError, match="declare it first, with version="):
            upcasts(name, version)(lambda data: data)
    with pytest.raises(ValueError, match="says a version; declare it with version="):
        fact("tip.given.v4", SETTLEMENTS)(type("Other", (Fact,), {"__doc__": "Another."}))
