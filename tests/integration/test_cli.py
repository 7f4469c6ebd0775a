"""The command line on a running stack: books, proofs, rounds and quarantine, as people and scripts see them."""

import contextlib
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url

from infra.topics import wanted
from loadtest.processes import processes_below
from services.cli.services import ServiceName
from services.cli.stack import ROLES, RunningStack, StackEnded
from shared.contracts import settlement_events
from shared.journal.checkpoint import Checkpoint, Signer, sign
from shared.journal.merkle import Frontier
from tests.support import Databases, eventually
from tests.support.brokers import AnyBroker
from tests.support.rounds import BLACKJACK, LOSING, completed, corrected, encoded, record, submission
from tests.support.services import consume_all, produce
from tests.unit.cli.calling import Called, Caller

pytestmark = pytest.mark.broker

TABLE = "BJ-01"
CORRECTED = f"{TABLE}-r2"
SERVERS = ("DATABASE_URL", "KAFKA_BOOTSTRAP_SERVERS")
QUICK = {"PITLEDGER_CHECKPOINT_SECONDS": "1", "PITLEDGER_VERIFICATION_SECONDS": "1"}

Events = list[dict[str, Any] | tuple[bytes | None, bytes]]


def unreadable(table: str, sequence: int) -> dict[str, Any]:
    """An event with a card that there is not."""
    return completed(table, sequence, play=record({"dealt": ["Ts", "Zd"], "dealer": ["Td", "8s"]}))


@pytest.fixture(scope="module")
def stack(module_database_url: str, module_broker: AnyBroker) -> Iterator[RunningStack]:
    """All services, after a short day: five rounds, one of them corrected."""
    environment = {
        **os.environ,
        "DATABASE_URL": module_database_url,
        "KAFKA_BOOTSTRAP_SERVERS": module_broker.bootstrap_servers,
    }
    partitions = {"table.events": 4, "settlements": 4}
    with RunningStack(environment=environment, settings=QUICK, partitions=partitions) as running:
        produce(running.bootstrap_servers, "submissions", [submission()])
        eventually(
            lambda: rows(running, "SELECT 1 FROM round_settlement.submissions"),
            because="submission arrived",
            seconds=60,
        )
        events: Events = [completed(TABLE, 1), completed(TABLE, 2, play=record(LOSING))]
        events += [completed(TABLE, number) for number in (3, 4, 5)]
        events += [corrected(TABLE, 6, CORRECTED, record(BLACKJACK))]
        produce(running.bootstrap_servers, "table.events", events)
        eventually(
            lambda: rows(running, "SELECT 1 FROM round_settlement.entries WHERE sequence = 6"),
            because="played",
            seconds=60,
        )
        yield running


@pytest.fixture
def pitledger(
    stack: RunningStack, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Called]:
    """Calls `pitledger` on the stack."""
    for name, value in stack.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("COLUMNS", "100")
    return Caller(capsys, monkeypatch)


def connect(stack: RunningStack) -> psycopg.Connection[Any]:
    """A connection as the database's owner."""
    url = make_url(stack.database_url).set(drivername="postgresql")
    return psycopg.connect(url.render_as_string(hide_password=False), autocommit=True)


def rows(stack: RunningStack, query: str) -> list[Any]:
    """The rows of a query."""
    with connect(stack) as connection:
        return connection.execute(query).fetchall()


@contextlib.contextmanager
def altered(stack: RunningStack, table: str, change: str, back: str) -> Iterator[None]:
    """What an owner of the database can do who switches the triggers off; undone afterwards."""
    with connect(stack) as connection:
        connection.execute(f"ALTER TABLE round_settlement.{table} DISABLE TRIGGER USER")
        try:
            connection.execute(change)
            yield
            connection.execute(back)
        finally:
            connection.execute(f"ALTER TABLE round_settlement.{table} ENABLE TRIGGER USER")


def quarantine(stack: RunningStack, pitledger: Callable[..., Called], value: bytes, key: bytes | None = None) -> int:
    """Sends bytes that will be refused; gives their id in quarantine."""
    before = rows(stack, "SELECT coalesce(max(id), 0) FROM round_settlement.quarantine")[0][0]
    produce(stack.bootstrap_servers, "table.events", [(key, value)])
    eventually(
        lambda: rows(stack, f"SELECT 1 FROM round_settlement.quarantine WHERE id > {before}"), because="quarantined"
    )
    return int(pitledger("quarantine", "list", "--json").documents[-1]["id"])


# --- balances ---


def test_balances_sum_to_zero_on_both_time_axes(pitledger: Callable[..., Called]) -> None:
    """The books of the day hold every wager; those of the day before, and as known a year ago, hold nothing."""
    year_ago = (datetime.now(UTC) - timedelta(days=365)).isoformat()
    (today,) = pitledger("balances", "--as-of", "2026-11-20", "--json").documents
    (before,) = pitledger("balances", "--as-of", "2026-11-19", "--json").documents
    (unknown,) = pitledger("balances", "--known-at", year_ago, "--json").documents

    assert 0 == today["sum_cents"]
    handle = {"property": "riverside", "table": TABLE, "wager": "blackjack", "leg": "handle", "cents": -50000}
    assert handle in today["balances"]
    assert [] == before["balances"] == unknown["balances"]


def test_balances_are_a_table_for_people(pitledger: Callable[..., Called]) -> None:
    """Without --json the accounts are a table in dollars that ends with the sum."""
    called = pitledger("balances")

    assert 0 == called.code
    assert "-500.00" in called.stdout
    assert ["sum", "0.00"] == called.stdout.split()[-2:]


def test_a_moment_without_zone_is_a_wrong_use(pitledger: Callable[..., Called]) -> None:
    """Nobody can say which books are meant by a time of day alone."""
    called = pitledger("balances", "--known-at", "2026-11-20T12:00:00")

    assert 2 == called.code
    assert "has no zone" in called.stderr


def test_balances_that_do_not_sum_to_zero_are_exit_code_1(
    stack: RunningStack, pitledger: Callable[..., Called]
) -> None:
    """A posting that was changed behind the journal's back shows in the sum."""
    place = "WHERE shard = (SELECT min(shard) FROM round_settlement.postings) AND seq = 1 AND line = 0"
    change = "UPDATE round_settlement.postings SET cents = cents {} 1 " + place
    with altered(stack, "postings", change.format("+"), change.format("-")):
        called = pitledger("balances")

    assert 1 == called.code
    assert "sum to 0.01" in called.stderr


# --- verify ---


def test_verify_finds_untouched_journals_good(pitledger: Callable[..., Called]) -> None:
    """Every shard of every service is verified; the one with the rounds has their entries."""
    called = pitledger("verify", "--json")

    assert (0, "") == (called.code, called.stderr)
    assert {"round-settlement", "reporting"} <= {document["service"] for document in called.documents}
    assert [] == [document for document in called.documents if document["problems"]]
    assert 7 <= max(document["entries"] for document in called.documents)


def test_verify_names_the_entry_whose_posting_was_changed(
    stack: RunningStack, pitledger: Callable[..., Called]
) -> None:
    """A posting that is not what was recorded is found in its entry, with exit code 1."""
    place = "WHERE seq = 3 AND line = 0 AND shard = (SELECT min(shard) FROM round_settlement.postings)"
    change = "UPDATE round_settlement.postings SET cents = cents {} 1 " + place
    with altered(stack, "postings", change.format("+"), change.format("-")):
        called = pitledger("verify", "--service", "round-settlement")

    assert 1 == called.code
    assert "entry 3: the entry or a posting of it is not what was recorded" in called.stdout


def test_verify_compares_with_the_signed_checkpoints(stack: RunningStack, pitledger: Callable[..., Called]) -> None:
    """With the key, the checkpoints outside the database are opened and hold."""
    words = ["verify", "--checkpoints", str(stack.checkpoints), "--key", str(stack.verifiers_file), "--json"]
    called = eventually(lambda: compared(pitledger(*words)), because="a checkpoint was signed")

    assert 0 == called.code


def compared(called: Called) -> Called | None:
    """The call, once a shard with entries was compared with a checkpoint."""
    return called if any(document["checkpoints"] for document in called.documents) else None


def test_verify_misses_a_shard_that_was_signed(
    stack: RunningStack, pitledger: Callable[..., Called], tmp_path: Path
) -> None:
    """A shard that only its checkpoints remember is a problem."""
    signer = Signer.generate("pitledger/round-settlement")
    note = sign(Checkpoint("pitledger/round-settlement/gone", 1, Frontier().append(bytes(32)).root()), signer)
    directory = tmp_path / "pitledger%2Fround-settlement%2Fgone"
    directory.mkdir()
    (directory / f"{1:019d}.checkpoint").write_text(note)
    called = pitledger("verify", "--checkpoints", str(tmp_path), "--key", str(signer.verifier))

    assert 1 == called.code
    assert "gone, entry 0: there are signed checkpoints of this shard, but the database does not have it" in (
        called.stdout
    )


def test_verify_does_not_rely_on_checkpoints_of_another_key(
    stack: RunningStack, pitledger: Callable[..., Called]
) -> None:
    """A checkpoint that the given key did not sign is a problem, not a proof."""
    words = ["verify", "--checkpoints", str(stack.checkpoints), "--key", str(stack.verifiers_file), "--json"]
    eventually(lambda: compared(pitledger(*words)), because="a checkpoint was signed")
    other = str(Signer.generate("pitledger/round-settlement").verifier)
    called = pitledger("verify", "--checkpoints", str(stack.checkpoints), "--key", other)

    assert 1 == called.code
    assert "its checkpoint cannot be relied on" in called.stdout


@pytest.mark.parametrize("words", [["--checkpoints", "."], ["--key", "x"], ["--checkpoints", ".", "--key", "nonsense"]])
def test_verify_needs_directory_and_key_together(pitledger: Callable[..., Called], words: list[str]) -> None:
    """One without the other, or a key that is none, is a wrong use."""
    assert 2 == pitledger("verify", *words).code


# --- proofs ---


@pytest.fixture
def proof(stack: RunningStack, pitledger: Callable[..., Called]) -> str:
    """The proof of the first entry that a checkpoint covers."""
    (shard,) = rows(stack, "SELECT min(shard) FROM round_settlement.postings")[0]
    words = ["prove", str(shard), "1", "--checkpoints", str(stack.checkpoints)]
    return eventually(lambda: exported(pitledger(*words)), because="a checkpoint covers the entry").stdout


def exported(called: Called) -> Called | None:
    """The call, once it succeeded; before, it says that a checkpoint is missing."""
    assert called.code in (0, 4), called.stderr
    return called if called.code == 0 else None


def test_an_exported_proof_is_verified_with_the_public_key_alone(
    stack: RunningStack, pitledger: Callable[..., Called], proof: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without database or broker the proof gives the entry with its postings."""
    monkeypatch.delenv("DATABASE_URL")
    called = pitledger("verify-proof", "-", "--key", str(stack.verifiers_file), "--json", stdin=proof)
    (entry,) = called.documents

    assert (0, "settlement.posted", 1) == (called.code, entry["kind"], entry["seq"])
    assert f"{TABLE}-r1" == entry["data"]["round_id"]
    assert 0 == sum(posting["cents"] for posting in entry["postings"]) != len(entry["postings"])


def test_an_altered_proof_proves_nothing(stack: RunningStack, pitledger: Callable[..., Called], proof: str) -> None:
    """A proof for another place in the journal does not hold: exit code 1."""
    altered_proof = json.dumps(json.loads(proof) | {"index": 1})
    called = pitledger("verify-proof", "-", "--key", str(stack.verifiers_file), stdin=altered_proof)

    assert (1, "") == (called.code, called.stdout)


def test_an_entry_that_no_checkpoint_covers_cannot_be_proven_yet(
    stack: RunningStack, pitledger: Callable[..., Called]
) -> None:
    """The message says how far the checkpoints reach."""
    (shard,) = rows(stack, "SELECT min(shard) FROM round_settlement.postings")[0]
    called = pitledger("prove", str(shard), "99999", "--checkpoints", str(stack.checkpoints))

    assert 4 == called.code
    assert "covers entry 99999" in called.stderr


# --- reconstruct ---


def test_reconstruct_shows_all_revisions_of_a_corrected_round(pitledger: Callable[..., Called]) -> None:
    """First record, reversal and correction, in order; each record settles to the same lines again."""
    called = pitledger("reconstruct", CORRECTED, "--json")
    (document,) = called.documents
    entries = document["entries"]

    assert 0 == called.code
    assert ["settlement.posted", "settlement.reversed", "settlement.posted"] == [each["kind"] for each in entries]
    assert [True, None, True] == [each["settles_again"] for each in entries]
    assert [True, True, True] == [each["hash_verified"] for each in entries]
    assert entries[0]["hash"] != entries[2]["hash"]
    assert (document["shard"], document["seq"]) == (entries[2]["shard"], entries[2]["seq"])
    assert "§ 633a.13(a)" == entries[2]["data"]["lines"][0]["paragraph"]


def test_reconstruct_tells_people_who_stands_for_a_correction(pitledger: Callable[..., Called]) -> None:
    """The reason, both people, cards, paragraph and submission are on the screen."""
    called = pitledger("reconstruct", CORRECTED, "--property", "riverside", "--table", TABLE)

    assert 0 == called.code
    for text in ("misread card (entered by floor.lee, approved by audit.kim)", "dealt: [As, Kd]", "§ 633a.13(a)"):
        assert text in called.stdout
    assert "blackjack version 1 under pa-633a-2024" in called.stdout


def test_reconstruct_notices_lines_that_the_record_does_not_settle_to(
    stack: RunningStack, pitledger: Callable[..., Called]
) -> None:
    """Lines that were edited in the database are neither hashed nor settled as they stand: exit code 1."""
    change = (
        "UPDATE round_settlement.entries SET data = replace(data::text, '\"payout\":{}', '\"payout\":{}')::json "
        f"WHERE event_id = '{TABLE}-1'"
    )
    with altered(stack, "entries", change.format("10000,", "20000,"), change.format("20000,", "10000,")):
        called = pitledger("reconstruct", f"{TABLE}-r1", "--json")
    (entry,) = called.documents[0]["entries"]

    assert (1, False, False) == (called.code, entry["hash_verified"], entry["settles_again"])


def test_a_round_that_nobody_knows_is_exit_code_4(pitledger: Callable[..., Called]) -> None:
    """There is nothing to show of a round that was never settled."""
    called = pitledger("reconstruct", "no-such-round")

    assert (4, "") == (called.code, called.stdout)


# --- quarantine ---


def test_a_refused_record_is_mended_and_taken(
    stack: RunningStack, pitledger: Callable[..., Called], tmp_path: Path
) -> None:
    """Its bytes come out as they are; unmended they are refused at once, mended they take their place in the books."""
    raw = encoded(unreadable("BJ-02", 1))
    number = str(quarantine(stack, pitledger, raw, key=b"/properties/riverside/tables/BJ-02"))
    people = ["--by", "jane.roe", "--approved-by", "kim.lee", "--reason", "card reader fault"]
    assert raw.decode() == pitledger("quarantine", "show", number, "--bytes").stdout
    assert "'Zd'" in pitledger("quarantine", "show", number).stdout
    assert 3 == pitledger("quarantine", "replay", number, *people).code

    (tmp_path / "mended.json").write_bytes(encoded(completed("BJ-02", 1)))
    mended = str(tmp_path / "mended.json")
    called = pitledger("quarantine", "replay", number, "--file", mended, *people, "--wait", "--json")

    assert 0 == called.code
    assert called.documents[0]["resolved"] is True
    assert 0 == pitledger("reconstruct", "BJ-02-r1").code
    [(data,)] = rows(stack, "SELECT data FROM round_settlement.entries WHERE kind = 'record.mended'")
    assert ("jane.roe", "card reader fault", [int(number)]) == (data["by"], data["reason"], data["quarantine"])
    assert 1 == pitledger("quarantine", "replay", number, *people).code


def test_a_replay_that_is_refused_again_is_exit_code_1(
    stack: RunningStack, pitledger: Callable[..., Called], tmp_path: Path
) -> None:
    """Bytes that decode but cannot be settled come back to quarantine, and --wait says so."""
    number = str(quarantine(stack, pitledger, b"[1,2"))
    (tmp_path / "mended.json").write_bytes(encoded(completed("BJ-03", 1, game="baccarat")))
    words = ["replay", number, "--file", str(tmp_path / "mended.json"), "--by", "a", "--approved-by", "c"]
    called = pitledger("quarantine", *words, "--reason", "b", "--wait")

    assert 1 == called.code
    assert "no rules submission of riverside for baccarat" in called.stderr


def test_a_record_that_can_never_be_mended_is_dismissed_by_two_people(
    stack: RunningStack, pitledger: Callable[..., Called]
) -> None:
    """One person cannot; two can, once; the entry is in the journal and reaches the settlements topic."""
    number = str(quarantine(stack, pitledger, b"\x00\xffgarbage"))
    words = ["quarantine", "dismiss", number, "--by", "jane", "--reason", "vendor test"]
    assert 2 == pitledger(*words, "--approved-by", "Jane").code
    called = pitledger(*words, "--approved-by", "kim", "--json")

    assert 0 == called.code
    assert 1 == pitledger(*words, "--approved-by", "kim").code
    assert int(number) not in [each["id"] for each in pitledger("quarantine", "list", "--json").documents]
    assert int(number) in [each["id"] for each in pitledger("quarantine", "list", "--all", "--json").documents]
    assert 0 == pitledger("verify", "--service", "round-settlement").code

    def published() -> list[Any]:
        events = [settlement_events.decode(value) for _, value in consume_all(stack.bootstrap_servers, "settlements")]
        return [event.data for event in events if event.type == "quarantine.dismissed"]

    (dismissed,) = eventually(published, because="the relay published it")
    assert (int(number), "kim") == (dismissed.quarantine, dismissed.correction.approved_by)


def test_bytes_that_are_no_text_are_shown_in_hexadecimal(stack: RunningStack, pitledger: Callable[..., Called]) -> None:
    """Nothing of a record reaches the terminal unescaped, and what is too long is cut with a note."""
    number = str(quarantine(stack, pitledger, b"\x1b[2J\xff" * 2000))
    called = pitledger("quarantine", "show", number)

    assert "1b 5b 32 4a ff" in called.stdout
    assert "\x1b" not in called.stdout
    assert "5,904 bytes more" in called.stdout


def test_a_record_that_is_not_in_quarantine_is_exit_code_4(pitledger: Callable[..., Called]) -> None:
    """An id that was never given is named."""
    called = pitledger("quarantine", "show", "987654")

    assert 4 == called.code
    assert "987654" in called.stderr


# --- topics, schemas, services ---


def test_topics_that_are_there_stay_as_they_are(pitledger: Callable[..., Called]) -> None:
    """Applied again with the same numbers of partitions nothing changes; fewer are refused."""
    same = ["--partitions", "table.events=4", "--partitions", "settlements=4"]
    called = pitledger("topics", "apply", *same, "--dry-run", "--json")

    assert 0 == called.code
    assert {topic.name for topic in wanted()} == {each["topic"] for each in called.documents}
    assert not [each for each in called.documents if each["outcome"] == "created"]
    assert 1 == pitledger("topics", "apply", "--partitions", "table.events=1", "--dry-run").code
    assert 2 == pitledger("topics", "apply", "--partitions", "table.events").code


def test_schemas_are_made_once_and_until_then_commands_say_what_to_do(
    pitledger: Callable[..., Called], databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a new database `verify` names `db upgrade`; after it there is nothing wrong, also a second time."""
    url = databases.create()
    monkeypatch.setenv("DATABASE_URL", url)
    before = pitledger("verify")
    upgrades = [pitledger("db", "upgrade", "--json") for _ in range(2)]

    assert 4 == before.code
    assert "pitledger db upgrade" in before.stderr
    assert [0, 0] == [each.code for each in upgrades]
    assert list(ServiceName) == [each["service"] for each in upgrades[1].documents]
    assert 0 == pitledger("verify").code
    databases.drop(url)


def run_command(stack: RunningStack, *words: str, **settings: str) -> "subprocess.Popen[str]":
    """`pitledger` as a process of its own, on the stack."""
    return subprocess.Popen(
        [sys.executable, "-m", "services.cli.main", *words],
        env={**os.environ, **stack.environment, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_run_ends_in_good_order_when_told_to(stack: RunningStack) -> None:
    """SIGTERM ends a service with exit code 0."""
    with run_command(stack, "run", "paytable-registry", PITLEDGER_HTTP_PORT="0") as process:
        assert process.stderr is not None
        for line in process.stderr:
            if json.loads(line)["event"] == "started":
                break
        process.send_signal(signal.SIGTERM)
        said = process.stderr.read()

    assert 0 == process.returncode
    assert "stopped" == json.loads(said.splitlines()[-1])["event"]


def test_run_on_a_port_that_is_taken_is_exit_code_4(stack: RunningStack) -> None:
    """The last log line says what is in the way."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with run_command(stack, "run", "paytable-registry", PITLEDGER_HTTP_PORT=str(port)) as process:
            _, said = process.communicate(timeout=60)

    last = json.loads(said.splitlines()[-1])
    assert 4 == process.returncode
    assert ("stop", f"port {port} of 127.0.0.1 is taken") == (last["kind"], last["error"])


# --- the stack itself ---


def test_the_stack_answers_where_it_says(stack: RunningStack) -> None:
    """Every service is ready at its URL, and its settings say the same."""
    for service, url in stack.urls.items():
        with urllib.request.urlopen(f"{url}/readyz", timeout=10) as response:
            assert 200 == response.status
        assert url.endswith(f":{stack.settings_for(service).port(service)}")
        assert stack.database_url == stack.settings_for(service).database_url.get_secret_value()


def test_the_stack_lets_its_people_in_and_keeps_their_tokens_private(stack: RunningStack) -> None:
    """The tokens are in a file for its owner alone, and the registry knows their people."""
    people = json.loads(stack.tokens_file.read_text())
    assert [(person, role, stack.tokens[person]) for person, role in ROLES.items()] == [
        (each["person"], each["role"], each["token"]) for each in people
    ]
    for file in (stack.tokens_file, stack.environment_file, stack.home / "checkpoint-key.pem"):
        assert 0o600 == stat.S_IMODE(file.stat().st_mode)
    assert 0o700 == stat.S_IMODE(stack.home.stat().st_mode)


def test_a_service_that_ends_by_itself_is_named_with_its_last_words(stack: RunningStack) -> None:
    """A stack whose service cannot start says which and why, and leaves nothing behind."""
    script = "import sys; print('no luck today', file=sys.stderr); sys.exit(4)"
    failing = RunningStack(
        environment={**os.environ, **stack.environment},
        services=["paytable-registry"],
        partitions={"table.events": 4, "settlements": 4},
        command=lambda _: [sys.executable, "-c", script],
    )
    with pytest.raises(StackEnded) as ended, failing:
        pytest.fail("the stack runs")

    assert "paytable-registry ended by itself with exit code 4" in str(ended.value)
    assert "no luck today" in ended.value.details
    assert 4 == ended.value.exit_code
    assert not failing.home.exists()


@pytest.mark.usefixtures("whole_stack")
def test_up_says_what_listens_where_and_leaves_nothing_running() -> None:
    """`pitledger up` prints its addresses once all is ready, and ends with exit code 0 when told to."""
    environment = {name: value for name, value in os.environ.items() if name not in SERVERS}
    with tempfile.TemporaryDirectory(prefix="pitledger-test-") as directory:
        Path(directory).chmod(0o755)  # the account that PostgreSQL runs under must come through
        with subprocess.Popen(
            [sys.executable, "-m", "services.cli.main", "up", "--json", "--directory", directory],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            first = process.stdout.readline()
            assert first, process.communicate()
            urls = json.loads(first)["services"].values()
            for url in urls:
                with urllib.request.urlopen(f"{url}/healthz", timeout=10) as response:
                    assert 200 == response.status
            family = processes_below(process.pid)
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=60)

        assert 0 == process.returncode
        assert "stopped; nothing is left running" == said.splitlines()[-1]
        assert set(ServiceName) <= {word for member in family for word in member.words} or not family
        assert [] == [member for member in family if Path(f"/proc/{member.pid}").exists()]
        assert (Path(directory) / "run" / "checkpoint-key.pem").is_file()
