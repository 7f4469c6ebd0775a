"""Who may speak for a table: what is let in at the door, by whose key, on which topic, and when."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.contracts.devices import SignedTopic
from shared.contracts.envelope import Event
from shared.contracts.property_snapshot import PropertyLookup, PropertySnapshot
from shared.contracts.topics import PIT_EVENTS, TABLE_EVENTS, TOPICS, Topic
from shared.rules.errors import Refused
from shared.runtime.ingest.device_check import NotFromDevice, require_device
from shared.runtime.ingest.handler import FactHandler, InputRecord
from shared.runtime.ingest.ingest_facts import QUARANTINE_ID
from tests.support.devices import TERMINAL, device, registered, signed, system
from tests.support.properties import approved

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
SOURCE = "/properties/riverside/tables/BJ-01"
SENT: dict[str, Any] = {
    "specversion": "1.0",
    "id": "e-1",
    "source": SOURCE,
    "type": "round.completed",
    "time": NOW.isoformat(),
    "sequence": 1,
}


def places(*keys: dict[str, Any], later: tuple[dict[str, Any], ...] = (), **changes: Any) -> PropertyLookup:
    """Riverside, which requires signatures, with these keys of a terminal at BJ-01; and versions that come later."""
    said: dict[str, Any] = {"signatures_required_from": "2026-01-01T00:00:00Z"} | changes
    at_tables = {"BJ-01": {"devices": [device(*keys)]}, "BJ-02": {}}
    now = PropertySnapshot.of(approved(tables=at_tables, **said))
    coming = tuple(
        approved(tables={"BJ-01": {"devices": [device(key)]}}, effective_from=NOW + HOUR, **said) for key in later
    )
    return lambda name, _: replace(now, later=coming) if name == "riverside" else None


def record(header: bytes | None, value: bytes | None = None, key: bytes | None = None, **more: bytes) -> InputRecord:
    """A record as a device sends it."""
    sent = json.dumps(SENT).encode() if value is None else value
    headers = () if header is None else (("pitledger-device-signature", header),)
    named = tuple((name.replace("_", "-"), text) for name, text in more.items())
    return InputRecord("table.events", 0, 7, key or SOURCE.encode(), sent, NOW, (*headers, *named))


def event(sent: dict[str, Any]) -> Event[Any]:
    """What stands in a record, whatever its data is."""
    return Event[Any].model_validate(sent | {"data": {}})


def why(
    header: bytes | None = None,
    *,
    known: PropertyLookup | None = None,
    topic: Topic = TABLE_EVENTS,
    at: datetime = NOW,
    sent: dict[str, Any] | None = None,
) -> str | None:
    """Why a record is not let in; None where it is."""
    said = SENT | (sent or {})
    one = record(header, json.dumps(said).encode(), said["source"].encode())
    try:
        require_device(topic, one, event(said), known or places(), at)
    except NotFromDevice as error:
        return str(error)
    return None


def of(kid: str = TERMINAL, sent: dict[str, Any] | None = None, **members: Any) -> bytes:
    """The signature of a device, of the event as it is sent."""
    return signed(json.dumps(SENT | (sent or {})).encode(), kid, **members)


def test_every_topic_from_outside_has_its_streams_and_its_keys() -> None:
    """A topic that anybody may write, and nobody signs, would be an open door."""
    from shared.runtime.ingest.device_check import _SOURCES

    outside = {topic.name for topic in TOPICS if topic.publisher is None}
    assert outside == _SOURCES.keys() == set(get_args(SignedTopic))


def test_a_reader_of_such_a_topic_says_at_which_properties_it_looks() -> None:
    """A service that forgets it does not start."""
    from services.vigorish.manifest import MANIFEST

    [of_pit] = [one.reader for one in MANIFEST.handlers if one.reader.topic is PIT_EVENTS]

    class Forgetful(FactHandler[None]):
        reader = of_pit

    with pytest.raises(TypeError, match=r"Forgetful reads pit\.events, which anybody may write"):
        replace(MANIFEST, handlers=(Forgetful,))


def test_a_device_speaks_for_its_table() -> None:
    """Signed by its key, as it was sent."""
    assert why(of()) is None


@pytest.mark.parametrize(
    ("required_from", "let_in"),
    [(None, True), (NOW + HOUR, True), (NOW + timedelta(microseconds=1), True), (NOW, False), (NOW - HOUR, False)],
)
def test_what_is_not_signed_is_refused_from_a_moment_on(required_from: datetime | None, let_in: bool) -> None:
    """The moment is that of the receipt; what the event says of its own does not count."""
    said = why(known=places(signatures_required_from=required_from), sent={"time": "2025-01-01T00:00:00Z"})
    assert let_in == (said is None)
    assert said is None or "it has no signature, which is required since 2026-11-22T" in said


@pytest.mark.parametrize("required_from", [None, "2026-01-01T00:00:00Z", "2030-01-01T00:00:00Z"])
def test_a_wrong_signature_is_never_right(required_from: str | None) -> None:
    """Whether signatures are required or not."""
    said = why(of(key="somebody"), known=places(signatures_required_from=required_from))
    assert said is not None
    assert "not from a device of table BJ-01 of riverside: the signature by 'BJ-01-terminal' is of something" in said


@pytest.mark.parametrize(
    ("header", "moved", "said"),
    [
        (of(), {"sequence": 2}, "is of something else"),
        (of(), {"source": "/properties/riverside/tables/BJ-02"}, "does not speak for this table"),
        (of(topic="pit.events"), {}, "it was signed for 'pit.events'"),
        (of("BJ-09-terminal"), {}, "'BJ-09-terminal' is no key of version 1 of riverside"),
        (of("x" * 900), {}, "is no key of"),
        (b"nothing", {}, "it is no detached JWS"),
        (b"", {}, "it is no detached JWS"),
        (of(alg="none"), {}, "'alg' is 'none'"),
    ],
    ids=range(8),
)
def test_a_signature_that_is_moved_is_wrong(header: bytes, moved: dict[str, Any], said: str) -> None:
    """Onto other bytes, another table, another topic; by a key that is not there."""
    assert said in (why(header, sent=moved) or "")


def test_a_signature_of_another_property_is_none_here() -> None:
    """Its own keys count, under the same name too."""
    there = PropertySnapshot.of(
        approved("lakeside", {"BJ-01": {"devices": [device(registered("other") | {"kid": TERMINAL})]}})
    )
    moved = {"source": "/properties/lakeside/tables/BJ-01"}
    assert "is of something else" in (why(of(sent=moved), known=lambda *_: there, sent=moved) or "")


def test_a_device_signs_what_it_is_registered_for() -> None:
    """A terminal for rounds says nothing of the pit; a system that may says it, for the tables that it names."""
    in_pit = {"source": f"{SOURCE}/pit"}
    assert "does not speak for this table on pit.events" in (
        why(of(topic="pit.events", sent=in_pit), topic=PIT_EVENTS, sent=in_pit) or ""
    )
    everywhere, here = places(systems=[system("gateway")]), places(systems=[system("gateway", tables=["BJ-02"])])
    header = of("gateway", topic="pit.events", sent=in_pit)
    assert why(header, topic=PIT_EVENTS, sent=in_pit, known=everywhere) is None
    assert "does not speak for this table" in (why(header, topic=PIT_EVENTS, sent=in_pit, known=here) or "")


@given(st.integers(-3, 3), st.integers(-3, 3), st.integers(-3, 3), st.integers(-3, 3))
def test_a_key_is_good_in_its_time(begins: int, lasts: int, revoked: int, at: int) -> None:
    """From its first moment on, up to its last, left out; and never once it is revoked."""
    ends = begins + abs(lasts) + 1
    key = registered(
        valid_from=(NOW + begins * HOUR).isoformat(),
        valid_until=(NOW + ends * HOUR).isoformat(),
        revoked_at=(NOW + revoked * HOUR).isoformat(),
    )
    said = why(of(), known=places(key), at=NOW + at * HOUR)
    assert (begins <= at < ends and at < revoked) == (said is None)


def test_two_keys_are_good_while_they_are_rotated() -> None:
    """The old one until it ends, the new one from its beginning."""
    old = registered(valid_until=(NOW + HOUR).isoformat())
    known = places(old, registered("new", valid_from=(NOW - HOUR).isoformat()))
    assert [None, None] == [why(of(), known=known), why(of("new"), known=known)]
    after = [why(of(kid), known=known, at=NOW + HOUR) for kid in (TERMINAL, "new")]
    assert after[1] is None
    assert "was not valid when it was received, at 2026-11-22T13:00:00+00:00" in (after[0] or "")


def test_a_revocation_holds_as_soon_as_it_is_known() -> None:
    """Though the version that says it takes effect later: what is received since then is not let in."""
    known = places(later=(registered(revoked_at=(NOW - HOUR).isoformat()),))
    assert "was revoked at 2026-11-22T11:00:00+00:00" in (why(of(), known=known) or "")
    assert why(of(), known=known, at=NOW - 2 * HOUR) is None


def test_what_nobody_can_read_is_nobodys_either() -> None:
    """Bytes with the key of a table say that they are of it: signed they are wrong, unsigned they are not even that."""
    unread = Refused("no JSON")
    require_device(TABLE_EVENTS, record(signed(b"\x00"), b"\x00"), unread, places(), NOW)
    for one in (record(None, b"\x00"), record(None, json.dumps(SENT).encode(), b"k")):
        with pytest.raises(NotFromDevice, match="it has no signature"):
            require_device(TABLE_EVENTS, one, unread, places(), NOW)
    with pytest.raises(Refused, match="'source' is None"):
        require_device(TABLE_EVENTS, record(None, b"\x00", b"\xff"), unread, places(), NOW)


@pytest.mark.parametrize("source", ["/x", f"{SOURCE}/pit", "/properties/a/b/tables/c", f"{SOURCE}\n"])
def test_a_stream_is_that_of_a_table(source: str) -> None:
    """Another one would be of no property, and nobody would have to sign it."""
    with pytest.raises(Refused, match=r"the events on table\.events are those of one table"):
        require_device(TABLE_EVENTS, record(None), event(SENT).model_copy(update={"source": source}), places(), NOW)


def test_a_property_that_is_not_there_says_so() -> None:
    """A signature cannot be verified then; without one, the service says what to file."""
    with pytest.raises(Refused, match="no approved version of property 'riverside'") as raised:
        why(of(), known=lambda *_: None)
    assert not isinstance(raised.value, NotFromDevice)
    assert why(known=lambda *_: None) is None


def test_what_two_people_send_again_needs_no_device() -> None:
    """It is theirs; that the service sent it is looked at before."""
    one = record(None, **{QUARANTINE_ID: b"round_settlement/1"})
    require_device(TABLE_EVENTS, one, event(SENT), places(), NOW)
