"""`pitledger settle`: records in, lines with paragraphs out, and exit codes that say what became of them."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.cli.calling import Caller

CASES = Path(__file__).parents[2] / "golden"


def record(**changes: Any) -> dict[str, Any]:
    """A round of one seat: a Blackjack against a dealer's 18."""
    return {
        "id": "one-seat",
        "regulation": "pa-633a-2024",
        "submission": {"decks": 6},
        "round": {
            "seats": [
                {
                    "seat": 4,
                    "player": "p4",
                    "wagers": {"blackjack": 1500},
                    "dealt": ["Ac", "Jd"],
                    "hands": [{"cards": ["Ac", "Jd"]}],
                }
            ],
            "dealer": {"cards": ["Td", "8s"]},
        },
        **changes,
    }


LINE = {
    "seat": 4,
    "wager": "blackjack",
    "outcome": "win",
    "category": "blackjack",
    "stake": 1500,
    "payout": 2250,
    "stake_returned": 1500,
    "paragraph": "§ 633a.13(a)",
}
REFUSED = record(id="nine-aces", round={**record()["round"], "dealer": {"cards": ["Td", "Zz"]}})


def write(path: Path, *documents: Any) -> str:
    """Return the name of a JSON file with one document, or with a list of several."""
    path.write_text(json.dumps(documents[0] if len(documents) == 1 else documents))
    return str(path)


def test_json_is_one_document_a_round_in_the_records_field_names(pitledger: Caller, tmp_path: Path) -> None:
    """A round becomes one line of JSON: id, lines with their paragraphs, meters."""
    called = pitledger("settle", "--json", write(tmp_path / "round.json", record()))

    assert (0, [{"id": "one-seat", "lines": [LINE], "meters": {}}]) == (called.code, called.documents)


def test_yaml_says_the_same_as_json(pitledger: Caller, tmp_path: Path) -> None:
    """The same record in YAML settles to the same document."""
    (tmp_path / "round.yaml").write_text(yaml.safe_dump(record()))

    assert [LINE] == pitledger("settle", "--json", str(tmp_path / "round.yaml")).documents[0]["lines"]


def test_stdin_is_a_file_named_with_a_dash(pitledger: Caller) -> None:
    """`-` reads the records from stdin."""
    assert "one-seat" == pitledger("settle", "--json", "-", stdin=json.dumps(record())).documents[0]["id"]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([record(id="a"), record(id="b")]),
        yaml.safe_dump([record(id="a"), record(id="b")]),
        yaml.safe_dump_all([record(id="a"), record(id="b")]),
        json.dumps(record(id="a")) + "\n" + json.dumps(record(id="b")) + "\n",
        "\ufeff" + json.dumps([record(id="a"), record(id="b")]),
    ],
    ids=["JSON list", "YAML list", "YAML documents", "JSON lines", "byte order mark"],
)
def test_several_records_in_one_input_are_all_settled_in_order(pitledger: Caller, text: str) -> None:
    """A list, several YAML documents and JSON lines are several records."""
    assert ["a", "b"] == [document["id"] for document in pitledger("settle", "--json", "-", stdin=text).documents]


def test_several_files_are_all_settled_in_order(pitledger: Caller, tmp_path: Path) -> None:
    """Files are settled in the order in which they are named."""
    files = [write(tmp_path / name, record(id=name)) for name in ("b", "a")]

    assert ["b", "a"] == [document["id"] for document in pitledger("settle", "--json", *files).documents]


def test_a_record_without_id_goes_by_its_file_and_number(pitledger: Caller, tmp_path: Path) -> None:
    """Where a record has no id, its file's name and its number in the file stand for it."""
    anonymous = {key: value for key, value in record().items() if key != "id"}
    name = write(tmp_path / "shift.json", anonymous, anonymous)

    assert ["shift.json#1", "shift.json#2"] == [
        document["id"] for document in pitledger("settle", "--json", name).documents
    ]


def test_the_table_shows_category_paragraph_dollars_and_the_meter(pitledger: Caller) -> None:
    """Without --json a round is a table of its lines, followed by what its meters show."""
    called = pitledger("settle", str(CASES / "pa-633a-2024" / "progressives.yaml"))

    assert 0 == called.code
    assert "pa-633a-2024/bad-beat-dealer-blackjack" in called.stdout
    assert "§ 633a.13(j)" in called.stdout
    assert "meter bad_beat_progressive: 7,003.00 (+3.00)" in called.stdout


def test_a_refused_record_is_an_error_document_and_exit_code_3(pitledger: Caller, tmp_path: Path) -> None:
    """An impossible record is refused with its reason, as JSON and in words; the next record settles."""
    called = pitledger("settle", "--json", write(tmp_path / "rounds.json", REFUSED, record()))

    first, second = called.documents
    assert 3 == called.code
    assert {"id", "error"} == first.keys()
    assert "Zz" in first["error"]
    assert [LINE] == second["lines"]
    assert 1 == len(called.stderr.splitlines())
    assert "nine-aces" in called.stderr


def test_a_field_that_no_record_has_is_refused_under_the_records_own_id(pitledger: Caller, tmp_path: Path) -> None:
    """An unknown field of the record itself is an error, like one of the round."""
    called = pitledger("settle", "--json", write(tmp_path / "round.json", record(tips=500)))

    assert (3, [{"id": "one-seat", "error": "unknown field 'tips'"}]) == (called.code, called.documents)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("1: 2", "stdin#1"),
        ("{id: 17}", "stdin#1"),
        ("{id: x, regulation: pa-633a-2024, round: }", "x"),
        ("{id: x, regulation: roulette, round: {}}", "x"),
        (r'{"id": "\ud800"}', "\ud800"),
        ("{id: x, regulation: pa-633a-2024, round: {seats: []}, 2026-11-20: 1}", "x"),
    ],
)
def test_a_record_without_its_parts_is_refused_by_name(pitledger: Caller, text: str, name: str) -> None:
    """Whatever a mapping lacks or has too much, it is refused, never a bug."""
    called = pitledger("settle", "--json", "-", stdin=text)

    assert (3, name) == (called.code, called.documents[0]["id"])


def test_what_is_not_a_mapping_is_refused(pitledger: Caller) -> None:
    """A list of numbers holds no round records."""
    called = pitledger("settle", "--json", "-", stdin="[1]")

    assert (3, "stdin#1") == (called.code, called.documents[0]["id"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": "x", "id": "y"}', "member 'id' is there twice in one object; say it once"),
        ("id: x\nid: y\n", "line 2, column 1: key 'id' stands twice in one mapping"),
        ("{unclosed: [", "line "),
        ("id: x\nround: [1,\nseats: }\n", "line 3, column 8: "),
        ('{"id": ' + "[" * 100_000, "nested too deeply"),
        ("id: !!timestamp noon", "a value is not of the type that its tag says"),
        ("id: !!timestamp 2026-02-30", "day is out of range for month"),
        ("id: \x07", "unacceptable character"),
    ],
    ids=["key twice, JSON", "key twice, YAML", "unclosed", "mixed up", "nested", "wrong tag", "no such day", "control"],
)
def test_an_input_that_cannot_be_read_is_refused_in_one_line(pitledger: Caller, text: str, said: str) -> None:
    """Text that is neither JSON nor YAML, or that says a thing twice, is refused as a whole, with the place."""
    called = pitledger("settle", "-", stdin=text)

    assert (3, "", 1) == (called.code, called.stdout, len(called.stderr.splitlines()))
    assert called.stderr.startswith(f"pitledger: stdin: neither YAML nor JSON: {said}")
    assert "\N{REPLACEMENT CHARACTER}" not in called.stderr


def test_a_file_that_is_not_there_is_a_wrong_use(pitledger: Caller, tmp_path: Path) -> None:
    """The name of a missing file is reported as such, with exit code 2."""
    called = pitledger("settle", str(tmp_path / "missing.yaml"))

    assert 2 == called.code
    assert "missing.yaml" in called.stderr


def test_check_passes_when_every_case_is_as_expected(pitledger: Caller) -> None:
    """The golden cases pass --check, the refused ones among them."""
    names = sorted(str(path) for path in (CASES / "pa-633a-2024").glob("*.yaml"))
    called = pitledger("settle", "--check", *names)

    assert 0 == called.code
    assert called.stdout.strip().endswith("as expected")
    assert "" == called.stderr


def test_check_reports_each_field_that_differs(pitledger: Caller, tmp_path: Path) -> None:
    """A payout that is not the expected one is named with both amounts, and the exit code is 1."""
    case = record(expect=[{"seat": 4, "wager": "blackjack", "outcome": "win", "payout": 3000}])
    called = pitledger("settle", "--check", write(tmp_path / "case.json", case))

    assert 1 == called.code
    assert "one-seat: seat 4 blackjack: payout 2250, expected 3000" in called.stdout


def test_check_as_json_says_what_differs(pitledger: Caller, tmp_path: Path) -> None:
    """With --json, --check adds the verdict and the differences to each round's document."""
    case = record(expect=[{"seat": 4, "wager": "blackjack", "payout": 3000}])
    (document,) = pitledger("settle", "--check", "--json", write(tmp_path / "case.json", case)).documents

    assert document["as_expected"] is False
    assert ["seat 4 blackjack: payout 2250, expected 3000"] == document["differences"]
    assert [LINE] == document["lines"]


@pytest.mark.parametrize("text", ["", "[]", "# to be written\n", "---\n"])
def test_a_file_without_a_case_does_not_pass_the_check(pitledger: Caller, tmp_path: Path, text: str) -> None:
    """What was cut off or never written is named, though the other files are as expected."""
    empty = tmp_path / "empty.yaml"
    empty.write_text(text)
    golden = next((CASES / "pa-633a-2024").glob("*.yaml"))
    called = pitledger("settle", "--check", str(golden), str(empty))

    assert (3, f"pitledger: {empty}: there is no case in it, so nothing was checked\n") == (called.code, called.stderr)
    assert called.stdout.strip().endswith("as expected")


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ({**REFUSED, "error": "no such card"}, 0),
        ({**REFUSED, "expect": [{"seat": 4, "wager": "blackjack"}]}, 3),
        (record(error="should not settle"), 1),
        (record(), 1),
        (record(expect=[{"seat": 4, "wager": "blackjack", "bogus": 1}]), 3),
    ],
    ids=[
        "refused as expected",
        "refused though lines are expected",
        "settled though refusal is expected",
        "no case",
        "unreadable case",
    ],
)
def test_check_judges_refusals(pitledger: Caller, tmp_path: Path, case: dict[str, Any], code: int) -> None:
    """A refusal must come where a case expects one, and nowhere else; a record that expects nothing cannot pass."""
    called = pitledger("settle", "--check", write(tmp_path / "case.json", case))

    assert code == called.code
    assert called.stdout.strip().endswith("1 case: 1 as expected" if code == 0 else "1 case: 0 as expected, 1 not")
