"""`pitledger cage`: a file of contents lists pieces, and a count of nothing is asked for in words."""

import pytest

from services.cli.cage.cage import _pieces
from services.cli.exits import InputRefused
from tests.unit.cli.calling import Caller

COUNT = ("cage", "count", "riverside", "vault", "--cashier", "ann.lee")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it lists nothing"),
        ("# what is there\n", "it lists nothing"),
        ("null\n", "it lists nothing"),
        ("[]\n", "it lists nothing"),
        ("{kind: currency, cents: 100, count: 5}", "it is no list of pieces"),
        ('{"kind": "currency", "cents": 100, "count": 5}\n{"kind": "currency", "cents": 500, "count": 5}', "no list"),
        ("- {kind: currency, cents: 100, count: 5}\n---\n- {kind: currency, cents: 500, count: 5}", "2 documents"),
        ("currency", "it is no list of pieces"),
        ("- 5\n", "piece 1 is no piece"),
    ],
)
def test_a_file_that_is_no_list_of_pieces_is_refused(text: str, why: str, pitledger: Caller) -> None:
    """The message says what belongs there; nothing is sent, neither for a count nor for a transfer."""
    for words in ((*COUNT[:4], "-", *COUNT[4:]), ("cage", "transfer", "riverside", "bank", "vault", "-")):
        called = pitledger(*words, stdin=text)
        assert 3 == called.code, called.stderr
        assert why in called.stderr
        assert "- {kind: currency, cents: 10000, count: 50}" in called.stderr


def test_pieces_are_read_in_their_order(tmp_path: pytest.TempPathFactory) -> None:
    """Of one list, YAML or JSON."""
    file = tmp_path / "contents.json"  # type: ignore[operator]
    file.write_text('[{"kind": "currency", "cents": 100, "count": 5}, {"kind": "checks", "cents": 1, "count": 2}]')
    assert ["currency", "checks"] == [one["kind"] for one in _pieces(str(file))]
    file.write_text("")
    with pytest.raises(InputRefused, match="lists nothing"):
        _pieces(str(file))


@pytest.mark.parametrize("words", [COUNT, (*COUNT[:4], "-", *COUNT[4:], "--empty")])
def test_a_count_has_a_file_or_is_of_nothing(words: tuple[str, ...], pitledger: Caller) -> None:
    """One of both."""
    called = pitledger(*words, stdin="- {kind: currency, cents: 100, count: 5}")
    assert (2, True) == (called.code, "give FILE, or --empty if nothing is there" in called.stderr)
