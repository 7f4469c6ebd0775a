"""`pitledger submissions check`: what is wrong with a submission, without any service."""

import json
from typing import Any

import pytest

from shared.journal.signed_note import Signer
from tests.unit.cli.calling import Caller

WANTED: dict[str, Any] = {
    "property": "riverside",
    "game": "blackjack",
    "regulation": "pa-633a-2024",
    "tables": ["BJ-01"],
    "effective_from": "2026-12-01T06:00:00-05:00",
    "submission": {"decks": 6, "wagers": {"match_the_dealer": {}}},
}


def test_a_submission_in_which_nothing_is_wrong(pitledger: Caller) -> None:
    """It says so, and prints nothing else."""
    called = pitledger("submissions", "check", "-", stdin=json.dumps(WANTED))
    assert (0, "") == (called.code, called.stdout), called.stderr
    assert "nothing is wrong" in called.stderr


def test_all_that_is_wrong_is_printed_one_problem_a_line(pitledger: Caller) -> None:
    """With the place in the document and the paragraph; in JSON too."""
    wrong = json.dumps(WANTED | {"submission": {"options": {"resplits": -1}, "wagers": {"super_match": {}}}})
    called = pitledger("submissions", "check", "-", stdin=wrong)
    assert 3 == called.code
    places = ["/submission/decks", "/submission/options/resplits", "/submission/wagers/super_match"]
    assert places == [line.partition(": ")[0] for line in called.stdout.splitlines()]
    assert called.stdout.splitlines()[1].endswith("option 'resplits' -1: at least 0 (§ 633a.11(c))")
    documents = pitledger("submissions", "check", "-", "--json", stdin=wrong).documents
    assert [(place, True) for place in places] == [
        (one["pointer"], one["paragraph"].startswith("§ 633a.")) for one in documents
    ]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"tables": []}, "'tables'"),
        ({"submission": {"decks": "6"}}, "decks"),
        ({"note": "vip"}, "unknown field 'note'"),
    ],
)
def test_what_is_no_submission_is_refused(pitledger: Caller, wrong: dict[str, Any], said: str) -> None:
    """The form comes first."""
    called = pitledger("submissions", "check", "-", stdin=json.dumps(WANTED | wrong))
    assert (3, True) == (called.code, said in called.stderr), called.stderr


def test_a_file_or_a_draft_is_filed(pitledger: Caller) -> None:
    """One of them, and not both."""
    assert 2 == pitledger("submissions", "file").code
    both = pitledger("submissions", "file", "-", "--draft", "riverside", "blackjack", "1", stdin=json.dumps(WANTED))
    assert (2, True) == (both.code, "--draft PROPERTY GAME VERSION" in both.stderr)


def test_an_export_that_says_a_member_twice_proves_neither(pitledger: Caller) -> None:
    """Though both say the same, and whatever it was signed with."""
    key = Signer.generate("pitledger/paytable-registry").verifier
    text = '{"property": "riverside", "property": "riverside", "game": "blackjack", "proofs": []}'
    called = pitledger("submissions", "verify", "-", "--key", str(key), stdin=text)
    assert (3, True) == (called.code, "is there twice in one object" in called.stderr), called.stderr
