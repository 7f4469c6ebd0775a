"""The command line on a running stack: balances, verification, proofs, and rounds from the cards to the hashes."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from services.cli.stack.running_stack import RunningStack
from tests.support import eventually
from tests.support.stack import CORRECTED, TABLE, altered, rows
from tests.unit.cli.calling import Called, Caller

pytestmark = [pytest.mark.broker, pytest.mark.any_broker]


# --- balances ---


def test_balances_sum_to_zero_on_both_time_axes(pitledger: Caller) -> None:
    """The books of the day hold every wager; those of the day before, and as known a year ago, hold nothing."""
    year_ago = (datetime.now(UTC) - timedelta(days=365)).isoformat()
    (today,) = pitledger("balances", "--as-of", "2026-11-20", "--json").documents
    (before,) = pitledger("balances", "--as-of", "2026-11-19", "--json").documents
    (unknown,) = pitledger("balances", "--known-at", year_ago, "--json").documents

    assert 0 == today["sum_cents"]
    handle = {"property": "riverside", "table": TABLE, "wager": "blackjack", "leg": "handle", "cents": -50000}
    assert handle in today["balances"]
    assert [] == before["balances"] == unknown["balances"]


def test_balances_are_a_table_for_people(pitledger: Caller) -> None:
    """Without --json the accounts are a table in dollars that ends with the sum."""
    called = pitledger("balances")

    assert 0 == called.code
    assert "-500.00" in called.stdout
    assert ["sum", "0.00"] == called.stdout.split()[-2:]


def test_a_moment_without_zone_is_a_wrong_use(pitledger: Caller) -> None:
    """Nobody can say which books are meant by a time of day alone."""
    called = pitledger("balances", "--known-at", "2026-11-20T12:00:00")

    assert 2 == called.code
    assert "has no zone" in called.stderr


def test_balances_that_do_not_sum_to_zero_are_exit_code_1(stack: RunningStack, pitledger: Caller) -> None:
    """A posting that was changed behind the journal's back, past the constraint of the table, shows in the sum."""
    first = "shard = (SELECT min(shard) FROM round_settlement.postings) AND seq = 1"
    change = f"UPDATE round_settlement.entries SET cents[1] = cents[1] {{}} 1 WHERE {first}"
    constraint = "ALTER TABLE round_settlement.entries {} CONSTRAINT entries_balance"
    check = "CHECK (round_settlement.balances(accounts, cents))"
    off, on = constraint.format("DROP"), f"{constraint.format('ADD')} {check}"
    with altered(stack, "entries", f"{off}; {change.format('+')}", f"{change.format('-')}; {on}"):
        called = pitledger("balances")

    assert 1 == called.code
    assert "sum to 0.01" in called.stderr


# --- verify ---


def test_verify_finds_untouched_journals_good(pitledger: Caller) -> None:
    """Every shard of every service is verified, against the signed checkpoints that the settings of the stack name."""
    called = eventually(lambda: compared(pitledger("verify", "--json")), because="a checkpoint was signed")

    assert 0 == called.code
    assert {"round-settlement", "reporting"} <= {document["service"] for document in called.documents}
    assert [] == [document for document in called.documents if document["problems"]]
    assert 7 <= max(document["entries"] for document in called.documents)


def test_verify_names_the_entry_whose_posting_was_changed(stack: RunningStack, pitledger: Caller) -> None:
    """A posting that is not what was recorded is found in its entry, with exit code 1."""
    third = "seq = 3 AND shard = (SELECT min(shard) FROM round_settlement.postings)"
    change = f"UPDATE round_settlement.entries SET cents[1] = cents[1] {{}} 1, cents[2] = cents[2] {{}} 1 WHERE {third}"
    with altered(stack, "entries", change.format("+", "-"), change.format("-", "+")):
        called = pitledger("verify", "--service", "round-settlement")

    assert 1 == called.code
    assert "entry 3: the entry or a posting of it is not what was recorded" in called.stdout


def test_verify_derives_the_rounds_again_from_the_topics(pitledger: Caller, tmp_path: Path) -> None:
    """Another client reads what came in; every event settles to what the journal has, once: then to what is new."""
    words = ("verify", "--service", "round-settlement", "--rederive", "--resume", str(tmp_path), "--json")
    first, second = pitledger(*words), pitledger(*words)

    for called in (first, second):
        assert 0 == called.code, called
    of_tables = [
        {each["derived_again"]["entries"] for each in called.documents if "derived_again" in each}
        for called in (first, second)
    ]
    assert [{0, 7}, {0}] == of_tables
    assert 2 == pitledger("verify", "--resume", str(tmp_path)).code


def test_verify_says_whose_entries_it_cannot_derive(pitledger: Caller) -> None:
    """Entries of commands follow from no topic: that they were not looked at is said aloud."""
    called = pitledger("verify", "--service", "wagering-accounts", "--rederive")

    assert 0 == called.code
    assert "NOT DERIVED AGAIN" in called.stderr
    assert "wagering-accounts" in called.stderr


def compared(called: Called) -> Called | None:
    """The call, as soon as a shard with entries was compared with a checkpoint."""
    return called if any(document["checkpoints"] for document in called.documents) else None


# --- proofs ---


@pytest.fixture
def proof(stack: RunningStack, pitledger: Caller) -> str:
    """The proof of the first entry that a checkpoint covers."""
    (shard,) = rows(stack, "SELECT min(shard) FROM round_settlement.postings")[0]
    words = ["prove", str(shard), "1", "--checkpoints", str(stack.home.checkpoints)]
    return eventually(lambda: exported(pitledger(*words)), because="a checkpoint covers the entry").stdout


def exported(called: Called) -> Called | None:
    """The call, as soon as it succeeds; before, it says that a checkpoint is missing."""
    assert called.code in (0, 4), called.stderr
    return called if called.code == 0 else None


def test_an_exported_proof_is_verified_with_the_public_key_alone(
    stack: RunningStack, pitledger: Caller, proof: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without database or broker the proof gives the entry with its postings."""
    monkeypatch.delenv("DATABASE_URL")
    called = pitledger("verify-proof", "-", "--key", str(stack.home.verifiers_file), "--json", stdin=proof)
    (entry,) = called.documents

    assert (0, "settlement.posted", 1) == (called.code, entry["kind"], entry["seq"])
    assert f"{TABLE}-r1" == entry["data"]["round_id"]
    assert 0 == sum(posting["cents"] for posting in entry["postings"]) != len(entry["postings"])


def test_an_altered_proof_proves_nothing(stack: RunningStack, pitledger: Caller, proof: str) -> None:
    """A proof for another place in the journal does not hold: exit code 1."""
    altered_proof = json.dumps(json.loads(proof) | {"index": 1})
    called = pitledger("verify-proof", "-", "--key", str(stack.home.verifiers_file), stdin=altered_proof)

    assert (1, "") == (called.code, called.stdout)


def test_an_entry_that_no_checkpoint_covers_cannot_be_proven_yet(stack: RunningStack, pitledger: Caller) -> None:
    """The message says how far the checkpoints reach."""
    (shard,) = rows(stack, "SELECT min(shard) FROM round_settlement.postings")[0]
    called = pitledger("prove", str(shard), "99999", "--checkpoints", str(stack.home.checkpoints))

    assert 4 == called.code
    assert "covers entry 99999" in called.stderr


# --- reconstruct ---


def test_reconstruct_shows_all_revisions_of_a_corrected_round(pitledger: Caller) -> None:
    """First record, reversal and correction, in order; each record settles to the same lines again."""
    called = pitledger("reconstruct", CORRECTED, "--json")
    (document,) = called.documents
    entries = document["entries"]

    assert 0 == called.code
    assert ["settlement.posted", "settlement.reversed", "settlement.posted"] == [each["kind"] for each in entries]
    assert [True, None, True] == [each["settles_again"] for each in entries]
    assert [True, True, True] == [each["hash_verified"] for each in entries]
    assert entries[0]["hash"] != entries[2]["hash"]
    assert (entries[2]["shard"], entries[2]["seq"]) == (document["shard"], document["seq"])
    assert "§ 633a.13(a)" == entries[2]["data"]["lines"][0]["paragraph"]


def test_reconstruct_tells_people_who_stands_for_a_correction(pitledger: Caller) -> None:
    """The reason, both people, cards, paragraph and submission are on the screen."""
    called = pitledger("reconstruct", CORRECTED, "--property", "riverside", "--table", TABLE)

    assert 0 == called.code
    for text in ("misread card (entered by floor.lee, approved by audit.kim)", "dealt: [As, Kd]", "§ 633a.13(a)"):
        assert text in called.stdout
    assert "blackjack version 1 under pa-633a-2024" in called.stdout


def test_reconstruct_notices_lines_that_the_record_does_not_settle_to(stack: RunningStack, pitledger: Caller) -> None:
    """Lines that were edited in the database are neither hashed nor settled as they stand: exit code 1."""
    change = (
        "UPDATE round_settlement.entries SET data = replace(data::text, '\"payout\":{}', '\"payout\":{}')::json "
        f"WHERE event_id = '{TABLE}-1'"
    )
    with altered(stack, "entries", change.format("10000,", "20000,"), change.format("20000,", "10000,")):
        called = pitledger("reconstruct", f"{TABLE}-r1", "--json")
    (entry,) = called.documents[0]["entries"]

    assert (1, False, False) == (called.code, entry["hash_verified"], entry["settles_again"])


def test_a_round_that_nobody_knows_is_exit_code_4(pitledger: Caller) -> None:
    """There is nothing to show of a round that was never settled."""
    called = pitledger("reconstruct", "no-such-round")

    assert (4, "") == (called.code, called.stdout)
