"""`pitledger payback`: the paybacks of a submission offline, and the counts that they come from."""

import json
from pathlib import Path

import pytest

from shared.counting import recount
from shared.rules.set_hands.house_way import named_ways
from tests.unit.cli.calling import Caller

OWN_WAY = named_ways()["standard"]
DOCUMENT = {
    "regulation": "pa-645a-2011",
    "submission": {"wagers": {"fortune_bonus": {"paytable": "A"}}, "options": {"house_way": OWN_WAY}},
}


def test_the_paybacks_of_a_submission_are_printed(pitledger: Caller, tmp_path: Path) -> None:
    """Every wager with its figures, what is assumed, Envy Bonuses by other hands, and why one has none."""
    file = tmp_path / "submission.json"
    file.write_text(json.dumps(DOCUMENT))
    called = pitledger("payback", "show", "--rows", str(file))
    assert called.code == 0
    assert "7.6792%" in called.stdout
    assert "seven_card_straight_flush" in called.stdout
    assert "each other hand adds 0.9357% to 500 cents wagered: 93.2565% with 1" in called.stdout
    assert "pai_gow_poker: hands were sampled as the house way 'standard' sets them" in called.stdout


def test_the_card_by_which_blackjack_is_counted_is_printed(pitledger: Caller, tmp_path: Path) -> None:
    """A row for each total and pair, a column for each up card, as JSON has it; low cards against eights: split."""
    file = tmp_path / "submission.json"
    file.write_text(json.dumps({"regulation": "pa-633a-2024", "submission": {"decks": 6}}))
    lines = pitledger("payback", "show", "--strategy", str(file)).stdout.splitlines()
    [eights] = [line.split()[2:] for line in lines if line.split()[:2] == ["pair", "8"]]
    assert {"P"} == {letters[0] for letters in eights[:5]}
    [document] = pitledger("payback", "show", "--strategy", "--json", str(file)).documents
    assert eights == document["strategies"]["blackjack"]["rows"]["pair 8"]


def test_json_has_exact_numbers(pitledger: Caller, tmp_path: Path) -> None:
    """Numerator and denominator beside percent; a wager that is counted with another is not listed."""
    file = tmp_path / "submission.json"
    file.write_text(json.dumps({"regulation": "pa-686a", "submission": {}}))
    called = pitledger("payback", "show", "--json", str(file))
    (document,) = called.documents
    (ante,) = document["wagers"]
    assert ["ante", "over_23", "under_18"] == ante["wagers"]
    assert {"numerator": 613_507, "denominator": 626_665, "percent": 97.900314} == ante["payback"]


@pytest.mark.parametrize(
    "document", ["[]", '{"submission": {}}', '{"regulation": "pa-686a", "submission": {"decks": 3}}']
)
def test_what_is_no_submission_is_refused(pitledger: Caller, tmp_path: Path, document: str) -> None:
    """With the reason, and nothing on stdout."""
    file = tmp_path / "submission.json"
    file.write_text("[[]]" if document == "[]" else document)
    called = pitledger("payback", "show", str(file))
    assert (3, "") == (called.code, called.stdout)
    assert "refused" in called.stderr


def test_counts_are_compared_with_what_is_kept(pitledger: Caller) -> None:
    """Those that take a second are counted here; they are as kept."""
    called = pitledger("payback", "recompute", "losing-hands", "--check")
    assert 0 == called.code
    assert "losing-hands" in called.stdout
    assert "as kept" in called.stdout


def test_other_counts_than_kept_are_named(pitledger: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check names the file and writes nothing; without it the file is written, and the next check finds it so.

    Several are counted in two processes, and all of them compared.
    """
    monkeypatch.setattr("services.cli.registry.payback._ROOT", tmp_path)
    counts = {
        "one": recount.Count("hands of a kind", lambda: {"kept.yaml": "pair: 2\n"}),
        "other": recount.Count("hands of another", lambda: {"other.yaml": "pair: 4\n"}),
    }
    monkeypatch.setattr(recount, "COUNTS", counts)
    (tmp_path / "kept.yaml").write_text("pair: 3\n")
    (tmp_path / "other.yaml").write_text("pair: 4\n")
    called = pitledger("payback", "recompute", "--check")
    assert (1, "pair: 3\n") == (called.code, (tmp_path / "kept.yaml").read_text())
    assert "kept.yaml: not what counting says" in called.stderr
    assert "other.yaml" not in called.stderr
    assert 0 == pitledger("payback", "recompute", "one").code
    assert "pair: 2\n" == (tmp_path / "kept.yaml").read_text()
    assert 0 == pitledger("payback", "recompute", "--check").code


def test_only_the_time_that_counting_took_may_differ() -> None:
    """Everything else that the head of a file says is compared like the counts, and a file without one differs."""
    head = 'counted:\n  what: "hands"\n  seconds: {}\nhands: {{AA: {}}}\n'
    assert recount.is_same(head.format(3, 1), head.format(4, 1))
    assert not recount.is_same(head.format(3, 1), head.format(3, 2))
    assert recount.is_same("# seconds: 3\npair: 2\n", "# seconds: 4\npair: 2\n")
    assert not recount.is_same("# seconds: 3\npair: 2\n", "pair: 2\n")


def test_nothing_is_counted_by_another_name(pitledger: Caller) -> None:
    """The message lists the names."""
    called = pitledger("payback", "recompute", "roulette")
    assert 2 == called.code
    assert (
        "there are: holdem, blackjack, face-up, pai-gow, hand-types, five-cards, dj-wild, seven-cards, losing-hands"
        in called.stderr
    )


def test_a_meter_shows_what_is_said(pitledger: Caller, tmp_path: Path) -> None:
    """The payback at the reading, as a function of it, and from which reading on all is paid back."""
    file = tmp_path / "submission.json"
    wagers = {"progressive_payout": {"meter": {"rate": "0.2", "reset": 200_000}}}
    file.write_text(json.dumps({"regulation": "pa-645a-2011", "submission": {"wagers": wagers}}))
    at_reset = pitledger("payback", "show", str(file))
    at_more = pitledger("payback", "show", "--meter", "progressive_payout=24301106", str(file))
    assert "46.7141%" in at_reset.stdout
    assert "100.0000%" in at_more.stdout
    assert "all is paid back from 243,011.06 on; in the long run 66.5677%" in at_reset.stdout
    wrong = pitledger("payback", "show", "--meter", "progressive_payout", str(file))
    assert 2 == wrong.code
    assert "give WAGER=CENTS" in wrong.stderr


def test_other_readings_and_the_bank_are_listed_below_their_wager(pitledger: Caller, tmp_path: Path) -> None:
    """Rhode Island's printed odds beside the usual ones, with the error of what was sampled."""
    file = tmp_path / "submission.json"
    file.write_text(json.dumps({"regulation": "ri-pai-gow", "submission": {"options": {"banking": True}}}))
    called = pitledger("payback", "show", str(file))
    assert "  paid 1 to 1" in called.stdout
    assert "as the bank of 6" in called.stdout
    documents = pitledger("payback", "show", "--json", str(file)).documents
    (main,) = (one for one in documents[0]["wagers"] if one["wager"] == "pai_gow_poker")
    assert main["house_edge"]["percent"] < -24
    assert 2.6 < main["variants"]["paid 1 to 1"]["house_edge"]["percent"] < 2.8
    assert 0 < main["standard_error"] < 0.0005
