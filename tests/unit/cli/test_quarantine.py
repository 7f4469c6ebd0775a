"""How the bytes of a refused record are shown to people."""

import pytest

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
