"""How the bytes of a refused record are shown to people."""

import httpx
import pytest

from services.cli.client import Client
from services.cli.operations.quarantine import shown_bytes
from tests.unit.cli.calling import Caller


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (b'{"seat": 1}', '{"seat": 1}'),
        ("§ 633a\n".encode(), "§ 633a\n"),
        (b"\x1b[2Jgone", "\\x1b[2Jgone"),
        (b"\xff\x00A", "00000000  ff 00 41" + " " * 41 + "..A"),
        (b"", ""),
    ],
    ids=["JSON", "not ASCII", "terminal control", "no text", "nothing"],
)
def test_text_is_shown_as_text_and_other_bytes_in_hexadecimal(value: bytes, shown: str) -> None:
    """Nothing that could steer a terminal gets through."""
    assert shown == shown_bytes(value)


@pytest.mark.parametrize(("value", "note"), [(b"a" * 5000, "904 characters"), (b"\xff" * 5000, "904 bytes")])
def test_what_is_too_long_is_cut_with_a_note(value: bytes, note: str) -> None:
    """4,096 are shown; the note says how many are left and how to get them."""
    assert shown_bytes(value).endswith(f"\n… {note} more; --bytes gives them all")


def test_a_mended_record_that_says_a_member_twice_is_not_sent(pitledger: Caller) -> None:
    """One reader takes the first, another the last; it is refused before a service is asked."""
    called = pitledger(
        *("quarantine", "replay", "17", "--reason", "mended", "--file", "-"),
        stdin='{"data": {"cents": 100, "cents": 90000}}',
    )
    assert (3, True) == (called.code, "member 'cents' is there twice in one object" in called.stderr), called.stderr


@pytest.mark.parametrize(
    ("floors", "shown"),
    [
        (
            httpx.Response(200, json=[{"property": "riverside", "time_zone": "America/New_York"}]),
            ("2026-11-20 08:00:00", "2026-11-20 13:00:00 UTC", "resolved at 2026-11-20 09:30:00"),
        ),
        (httpx.Response(503, json={}), ("2026-11-20 13:00:00 UTC", "resolved at 2026-11-20 14:30:00 UTC")),
    ],
    ids=["by the clock of the property", "while reporting does not answer"],
)
def test_records_are_listed_by_the_clock_of_their_property(
    pitledger: Caller, monkeypatch: pytest.MonkeyPatch, floors: httpx.Response, shown: tuple[str, ...]
) -> None:
    """A record that names no stream is of no property: UTC, and the row says so."""
    place = {"topic": "table.events", "partition": 0, "offset": 7, "reason": "a card is there twice"}
    record = place | {"quarantine": 1, "quarantined_at": "2026-11-20T13:00:00.5Z"}
    named = record | {"source": "/properties/riverside/tables/BJ-01", "resolved_at": "2026-11-20T14:30:00Z"}
    answers = {
        "/quarantine": httpx.Response(200, json={"items": [record, named]}),
        "/quarantine/1": httpx.Response(200, json=named | {"requests": [], "value_text": "{}", "sequence": 4}),
        "/floors": floors,
    }
    monkeypatch.setenv("PITLEDGER_TOKEN", "t")
    monkeypatch.setattr(Client, "request", lambda _self, _method, path, **_sent: answers[path])
    said = pitledger("quarantine", "list", "--all").stdout
    assert [] == [text for text in shown if text not in said], said
    [quarantined] = [line for line in pitledger("quarantine", "show", "1").stdout.splitlines() if "quarantined" in line]
    assert shown[0] in quarantined
