"""The command line on a running stack: quarantine, topics, schemas, services as processes, and the stack itself."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import httpx
import pytest

from infra.wanted_topics import wanted
from services.cli.exits import StackEnded
from services.cli.services import NAMES, load, roles_of_services, url_variable
from services.cli.stack.demo_users import PEOPLE, roles_of
from services.cli.stack.running_stack import RunningStack
from tests.support import Databases, eventually
from tests.support.nightly import sampled
from tests.support.rounds import completed, encoded, record
from tests.support.services import consume_all, produce
from tests.support.stack import PARTITIONS, rows
from tests.unit.cli.calling import Called, Caller

pytestmark = [pytest.mark.broker, pytest.mark.any_broker]

REGISTRY = "paytable-registry"
ALONE = sampled(1, of="services that the command line starts")


def unreadable(table: str, sequence: int) -> dict[str, Any]:
    """An event with a card that there is not."""
    return completed(table, sequence, play=record({"dealt": ["Ts", "Zd"], "dealer": ["Td", "8s"]}))


def quarantine(stack: RunningStack, pitledger: Caller, value: bytes, key: bytes | None = None) -> str:
    """Send bytes that will be refused; return their id in quarantine."""
    before = rows(stack, "SELECT coalesce(max(id), 0) FROM round_settlement.quarantine")[0][0]
    produce(stack.bootstrap_servers, "table.events", [(key, value)])
    eventually(
        lambda: rows(stack, f"SELECT 1 FROM round_settlement.quarantine WHERE id > {before}"), because="quarantined"
    )
    return str(pitledger("quarantine", "list", "--json").documents[-1]["quarantine"])


@pytest.fixture
def approver(stack: RunningStack, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Call `pitledger quarantine` as whoever approves."""

    class Approver(Caller):
        def __call__(self, *words: str, stdin: str = "") -> Called:
            with monkeypatch.context() as patched:
                patched.setenv("PITLEDGER_TOKEN", stack.home.tokens["demo.operations_manager"])
                return super().__call__("quarantine", *words, stdin=stdin)

    return Approver(capsys, monkeypatch)


# --- quarantine ---


def test_a_refused_record_is_mended_and_taken(
    stack: RunningStack, pitledger: Caller, approver: Caller, tmp_path: Path
) -> None:
    """Its bytes come out as they are; unmended they are refused at once, mended they take their place in the books."""
    raw = encoded(unreadable("BJ-02", 1))
    number = quarantine(stack, pitledger, raw, key=b"/properties/riverside/tables/BJ-02")
    words = ["quarantine", "replay", number, "--reason", "card reader fault"]
    assert raw.decode() == pitledger("quarantine", "show", number, "--bytes").stdout
    assert "'Zd'" in pitledger("quarantine", "show", number).stdout
    assert 3 == pitledger(*words).code

    (tmp_path / "mended.json").write_bytes(encoded(completed("BJ-02", 1)))
    asked = pitledger(*words, "--file", str(tmp_path / "mended.json"), "--json")
    assert [{"quarantine": int(number), "request": 1, "action": "replay", "decision": "asked"}] == asked.documents
    assert "card reader fault (asked)" in pitledger("quarantine", "show", number).stdout
    called = approver("approve", number, "1", "--wait", "--json")

    assert (0, "approved") == (called.code, called.documents[0]["decision"])
    assert f"record {number} is resolved" in called.stderr
    assert 0 == pitledger("reconstruct", "BJ-02-r1").code
    [(data,)] = rows(stack, "SELECT data FROM round_settlement.entries WHERE kind = 'record.mended'")
    assert ("demo.operator", "card reader fault", [int(number)]) == (data["by"], data["reason"], data["quarantine"])
    assert 1 == pitledger(*words, "--file", str(tmp_path / "mended.json")).code


def test_a_replay_that_is_refused_again_is_exit_code_1(
    stack: RunningStack, pitledger: Caller, approver: Caller, tmp_path: Path
) -> None:
    """Bytes that decode but cannot be settled come back to quarantine, and --wait says so."""
    number = quarantine(stack, pitledger, b"[1,2")
    (tmp_path / "mended.json").write_bytes(encoded(completed("BJ-03", 1, game="baccarat")))
    words = ["replay", number, "--file", str(tmp_path / "mended.json"), "--reason", "b"]
    assert 0 == pitledger("quarantine", *words).code
    called = approver("approve", number, "1", "--wait")

    assert 1 == called.code
    assert "offers 'blackjack' in property riverside version 1, not 'baccarat'" in called.stderr


def test_a_record_that_can_never_be_mended_is_dismissed_by_two_people(
    stack: RunningStack, pitledger: Caller, approver: Caller
) -> None:
    """One person cannot; two can, once; the entry is in the journal and reaches the settlements topic."""
    number = quarantine(stack, pitledger, b"\x00\xffnoise")
    words = ["quarantine", "dismiss", number, "--reason", "vendor test"]
    assert 0 == pitledger(*words).code
    assert 2 == pitledger("quarantine", "approve", number, "1").code
    assert 0 == approver("reject", number, "1", "--reason", "ask the vendor").code
    assert 0 == pitledger(*words).code
    assert 0 == approver("approve", number, "2", "--json").code

    assert 1 == pitledger(*words).code
    assert int(number) not in [one["quarantine"] for one in pitledger("quarantine", "list", "--json").documents]
    assert int(number) in [one["quarantine"] for one in pitledger("quarantine", "list", "--all", "--json").documents]
    assert 0 == pitledger("verify", "--service", "round-settlement").code

    def published() -> list[Any]:
        events = [json.loads(value) for _, value in consume_all(stack.bootstrap_servers, "settlements")]
        return [event["data"] for event in events if event["type"] == "quarantine.dismissed"]

    (dismissed,) = eventually(published, because="the relay published it")
    assert int(number) == dismissed["quarantine"]


def test_many_records_are_dismissed_together_by_two_people(
    stack: RunningStack, pitledger: Caller, approver: Caller
) -> None:
    """One asks for all that a filter finds; another looks, and approves what was shown; what came later still waits."""
    noise = [quarantine(stack, pitledger, b"noise of the vendor %d" % n) for n in range(3)]
    later = quarantine(stack, pitledger, b"noise of the vendor, later")
    words = ["dismiss-all", "--until", noise[-1], "--containing", "noise of the vendor", "--reason", "a load test"]
    [asked] = pitledger("quarantine", *words, "--json").documents
    assert (3, "asked") == (asked["records"], asked["decision"])
    number = str(asked["dismissal"])
    assert 2 == pitledger("quarantine", "approve-all", number).code
    [shown] = approver("show-all", number, "--json").documents
    assert (3, "demo.operator", list(map(int, noise))) == (
        *(shown[name] for name in ("open_records", "asked_by")),
        [one["quarantine"] for one in shown["sample"]],
    )
    assert "a load test" in approver("show-all", number).stdout
    stale = approver("approve-all", number, "--sha256", "0" * 64)
    assert 1 == stale.code, stale.stderr
    approved = approver("approve-all", number, "--sha256", shown["sha256"], "--json")
    assert (0, "approved") == (approved.code, approved.documents[0]["decision"]), approved.stderr
    waiting = {one["quarantine"] for one in pitledger("quarantine", "list", "--json").documents}
    assert (set(), True) == (waiting & set(map(int, noise)), int(later) in waiting)
    assert 0 == pitledger("verify", "--service", "round-settlement").code
    [(data,)] = rows(stack, "SELECT data FROM round_settlement.entries WHERE kind = 'quarantine.dismissed_together'")
    people = data["correction"]
    assert ("demo.operator", "demo.operations_manager") == (people["entered_by"], people["approved_by"])


def test_a_dismissal_of_many_is_taken_back(stack: RunningStack, pitledger: Caller, approver: Caller) -> None:
    """Rejected, nothing is closed; a filter that finds nothing is exit code 4."""
    number = quarantine(stack, pitledger, b"noise that stays")
    words = ["--until", number, "--containing", "noise that stays", "--reason", "a"]
    [asked] = pitledger("quarantine", "dismiss-all", *words, "--json").documents
    rejected = approver("reject-all", str(asked["dismissal"]), "--reason", "the vendor sends it again", "--json")
    assert "rejected" == rejected.documents[0]["decision"]
    assert int(number) in [one["quarantine"] for one in pitledger("quarantine", "list", "--json").documents]
    assert 4 == pitledger("quarantine", "dismiss-all", "--until", number, "--topic", "nothing", "--reason", "a").code


def test_bytes_that_are_no_text_are_shown_in_hexadecimal(stack: RunningStack, pitledger: Caller) -> None:
    """Nothing of a record reaches the terminal unescaped, and what is too long is cut with a note."""
    called = pitledger("quarantine", "show", quarantine(stack, pitledger, b"\x1b[2J\xff" * 2000))

    assert "1b 5b 32 4a ff" in called.stdout
    assert "\x1b" not in called.stdout
    assert "5,904 bytes more" in called.stdout


def test_a_record_that_is_not_in_quarantine_is_exit_code_4(pitledger: Caller) -> None:
    """An id that was never given is named, in whatever service."""
    assert [] == pitledger("quarantine", "list", "--service", "vigorish", "--json").documents
    called = pitledger("quarantine", "show", "987654", "--service", "vigorish")

    assert 4 == called.code
    assert "987654" in called.stderr


@pytest.mark.parametrize(
    ("variable", "value", "code", "said"),
    [
        ("PITLEDGER_TOKEN", "", 2, "PITLEDGER_TOKEN is not set: give your token for round-settlement"),
        ("PITLEDGER_TOKEN", "made-up", 2, "the token is not known"),
        ("PITLEDGER_TOKEN", "demo.cashier", 2, "demo.cashier does not have the role 'quarantine.approve' or"),
        ("PITLEDGER_ROUND_SETTLEMENT_URL", "http://127.0.0.1:1", 4, "round-settlement does not answer at http://127"),
        ("PITLEDGER_ROUND_SETTLEMENT_URL", "127.0.0.1", 4, "round-settlement does not answer"),
    ],
    ids=["no token", "a token that nobody has", "no role", "nobody there", "no URL"],
)
def test_whoever_may_not_read_or_asks_nobody_is_told_so(
    stack: RunningStack,
    pitledger: Caller,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    code: int,
    said: str,
) -> None:
    """The message names what is missing: the token, the role, or the service."""
    monkeypatch.setenv(variable, stack.home.tokens.get(value, value))
    called = pitledger("quarantine", "list")

    assert (code, "") == (called.code, called.stdout)
    assert said in called.stderr


# --- topics, schemas, services ---


def test_topics_that_are_there_stay_as_they_are(pitledger: Caller) -> None:
    """Applied again with the same numbers of partitions nothing changes; fewer are refused."""
    same = ["--partitions", "table.events=4", "--partitions", "settlements=4"]
    called = pitledger("topics", "apply", *same, "--dry-run", "--json")

    assert 0 == called.code
    assert {topic.name for topic in wanted()} == {each["topic"] for each in called.documents}
    assert not [each for each in called.documents if each["outcome"] == "created"]
    assert 1 == pitledger("topics", "apply", "--partitions", "table.events=1", "--dry-run").code
    assert 2 == pitledger("topics", "apply", "--partitions", "table.events").code


def test_schemas_are_made_once_and_until_then_commands_say_what_to_do(
    pitledger: Caller, databases: Databases, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On a new database `verify` names `db upgrade`; after it there is nothing wrong, also a second time."""
    url = databases.create()
    monkeypatch.setenv("DATABASE_URL", url)
    before = pitledger("verify")
    upgrades = [pitledger("db", "upgrade", "--json") for _ in range(2)]

    assert 4 == before.code
    assert "pitledger db upgrade" in before.stderr
    assert [0, 0] == [each.code for each in upgrades]
    assert list(NAMES) == [each["service"] for each in upgrades[1].documents]
    assert 0 == pitledger("verify", "--checkpoints", str(tmp_path)).code
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


@ALONE
def test_run_ends_in_good_order_when_told_to(stack: RunningStack) -> None:
    """SIGTERM ends a service with exit code 0."""
    with run_command(stack, "run", REGISTRY, **stack.home.environment_of(REGISTRY), PITLEDGER_HTTP_PORT="0") as process:
        assert process.stderr is not None
        for line in process.stderr:
            if json.loads(line)["event"] == "started":
                break
        process.send_signal(signal.SIGTERM)
        said = process.stderr.read()

    assert 0 == process.returncode
    assert "stopped" == json.loads(said.splitlines()[-1])["event"]


@ALONE
def test_run_on_a_port_that_is_taken_is_exit_code_4(stack: RunningStack) -> None:
    """The last log line says what is in the way."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        own = {**stack.home.environment_of(REGISTRY), "PITLEDGER_HTTP_PORT": str(port)}
        with run_command(stack, "run", REGISTRY, **own) as process:
            _, said = process.communicate(timeout=60)

    last = json.loads(said.splitlines()[-1])
    assert 4 == process.returncode
    assert ("exited because it cannot continue", f"port {port} of 127.0.0.1 is taken") == (last["event"], last["error"])


# --- the stack itself ---


def test_the_stack_answers_where_it_says(stack: RunningStack) -> None:
    """Every service is ready at its URL, which its environment names too."""
    for service, url in stack.urls.items():
        with urllib.request.urlopen(f"{url}/readyz", timeout=10) as response:
            assert 200 == response.status
        assert url == stack.environment[url_variable(service)]


def test_the_stack_lets_its_people_in_and_keeps_their_tokens_private(stack: RunningStack) -> None:
    """The tokens are in a file for its owner alone, and every service knows their people."""
    home = stack.home
    people = json.loads(home.tokens_file.read_text())
    roles = roles_of_services([load(service) for service in stack.urls])
    assert [(person, roles_of(person, roles), home.tokens[person]) for person in PEOPLE] == [
        (each["person"], each["roles"], each["token"]) for each in people
    ]
    answers = {"paytable-registry": 404, "suspicious-activity": 403}  # which reads no events; which auditors may not
    for service, url in stack.urls.items():
        known = httpx.get(f"{url}/quarantine", headers={"Authorization": f"Bearer {home.tokens['demo.auditor']}"})
        assert answers.get(service, 200) == known.status_code
    for file in (home.tokens_file, home.environment_file, *map(home.key_file, stack.urls)):
        assert 0o600 == stat.S_IMODE(file.stat().st_mode)
    assert 0o700 == stat.S_IMODE(home.path.stat().st_mode)


@ALONE
def test_a_service_that_ends_by_itself_is_named_with_its_last_words(stack: RunningStack) -> None:
    """A stack whose service cannot start says which and why, and leaves nothing behind."""
    failing = RunningStack(
        environment={**os.environ, **stack.environment},
        settings={"PITLEDGER_CHECKPOINT_KEY_FILE": "/no/such/key.pem"},
        services=["paytable-registry"],
        partitions=PARTITIONS,
    )
    with pytest.raises(StackEnded) as ended, failing:
        pytest.fail("the stack runs")

    assert "paytable-registry ended by itself with exit code 4" in str(ended.value)
    assert "/no/such/key.pem" in ended.value.details
    assert 4 == ended.value.exit_code
    assert not failing.home.path.exists()
