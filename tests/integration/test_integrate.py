"""Every command of docs/integrate.md, run as it stands there on a running stack, and what its examples promise."""

import importlib.util
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from shared.journal.signed_batch import message_bytes, sign_batch
from shared.journal.signed_note import Signer
from shared.local.account import temporary_directory, unprivileged_account
from tests.support import AnyBroker, eventually
from tests.support.maven import kafka_home
from tests.support.nightly import AT_NIGHT
from tests.support.services import ROOT, create_topics, produce
from tests.support.up import Up, up

pytestmark = AT_NIGHT

PAGE = (ROOT / "docs" / "integrate.md").read_text()
EXAMPLES = ROOT / "docs" / "examples" / "integrate"
COMMANDS = [
    line
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
    if not line.startswith("pitledger schemas")  # tests/integration/test_schema_registry.py
]
UP = ".venv/bin/pitledger up --directory /tmp/pitledger"
ENVIRONMENT = ". /tmp/pitledger/run/environment"
EXPORTS = [command for command in COMMANDS if command.startswith("export ")]
"""Where the Kafka distribution is that Java and the tools are taken from."""
FILING = [command for command in COMMANDS if "file_document.py" in command]
PAIRS = [
    [
        command
        for command in COMMANDS
        if re.search(rf"(?i)/send\S* BJ-02 {number}\b|/follow\S* BJ-02-000{number}\b", command)
    ]
    for number in range(1, 6)
]
FILES = [command for command in COMMANDS if "/tmp/pitledger/files" in command]
AFTERWARDS = [command for command in COMMANDS if "quarantine list" in command]
SETTLED = "revision 1: handle 24000, payout 48750, win -24750 cents"
SERVICES = ("paytable-registry", "round-settlement", "table-inventory")


@dataclass(frozen=True)
class Desk:
    """A developer's terminal beside a running stack."""

    stack: Up
    home: Path
    environment: Mapping[str, str]

    def run(self, command: str) -> str:
        """Run a command as the page has it, and return what it printed."""
        words = command.replace("/tmp/pitledger", str(self.home)).replace(
            "http://127.0.0.1:8101", self.stack.document["services"]["paytable-registry"]
        )
        done = subprocess.run(
            ["bash", "-c", "; ".join([*EXPORTS, words])],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture
def desk(kafka_packages: None, whole_stack: None, tmp_path: Path) -> Iterator[Desk]:
    """The stack on Apache Kafka, with the property and the submission of the page filed and approved."""
    home = temporary_directory("pitledger-integrate-", unprivileged_account())
    kafka_home(tmp_path / "kafka_2.13-4.1.0")
    with up(home, services=SERVICES) as stack:
        environment = {
            **{name: value for name, value in os.environ.items() if name not in ("GOFLAGS", "GOROOT")},
            **stack.environment,
            "COLUMNS": "120",
            "PATH": os.pathsep.join([str(ROOT / ".venv" / "bin"), os.environ["PATH"]]),
            "HOME": str(tmp_path),
            # Quick to build, and nothing is left outside of this directory.
            "CGO_ENABLED": "0",
            "GOFLAGS": "-modcacherw '-gcflags=all=-N -l -dwarf=false'",
            "GOGC": "400",
            "GOTOOLCHAIN": "local",
            "GOCACHE": str(ROOT / ".cache" / "go" / "build"),
            "GOMODCACHE": str(ROOT / ".cache" / "go" / "mod"),
        }
        found = Desk(stack, home, environment)
        for command in FILING:
            assert "is approved" in found.run(command)
        for approved in ("properties", "submissions"):
            known = f"SELECT 1 FROM round_settlement.{approved}"
            eventually(partial(stack.rows, known), because=f"round settlement knows the {approved} of the page")
        yield found


def test_every_command_of_the_page_is_run() -> None:
    """A command that is added to the page must be run here too."""
    assert {UP, ENVIRONMENT, *EXPORTS, *FILING, *FILES, *AFTERWARDS, *(one for pair in PAIRS for one in pair)} == set(
        COMMANDS
    )
    assert [2] * 5 == [len(pair) for pair in PAIRS]
    assert f"BJ-02-0001 {SETTLED}\n" in PAGE


@pytest.mark.timeout(600)  # the first time, Go compiles its library
def test_every_client_sends_and_follows_and_files_go_in(desk: Desk) -> None:
    """Each client sends the next round of a table and prints its settlement; files lead to the same books."""
    for number, (send, follow) in enumerate(PAIRS, 1):
        assert f"BJ-02-000{number} sent to table.events" in desk.run(send)
        assert f"BJ-02-000{number} {SETTLED}\n" == desk.run(follow)
    *_, taken = [desk.run(command) for command in FILES]
    said = [line.partition(";")[0] for line in taken.splitlines()]
    assert ["pit.csv: 2 events sent", "rounds.jsonl: 1 events sent"] == said
    [receipt] = (desk.home / "files" / "done").glob("*-rounds.jsonl.receipt.json")
    [sent] = json.loads(receipt.read_text())["events"]
    assert ("table.events", 1) == (sent["topic"], sent["sequence"])
    from_file = "SELECT 1 FROM round_settlement.rounds WHERE round_id = 'BJ-01-from-a-file'"
    eventually(lambda: desk.stack.rows(from_file), because="the round of the file is posted")
    opened = "SELECT 1 FROM table_inventory.entries WHERE kind = 'pit.recorded'"
    eventually(lambda: 2 == len(desk.stack.rows(opened)), because="what the pit reported is in the books")
    for command in AFTERWARDS:
        desk.run(command)


def settlement(shard: int, sequence: int, round_id: str) -> dict[str, Any]:
    """An entry of round settlement, as far as a follower looks at it."""
    totals = [{"wager": "blackjack", "handle_cents": 24000, "payout_cents": 48750}]
    data = {"round_id": round_id, "revision": 1, "totals": totals}
    head = {"source": f"/round-settlement/shards/{shard}", "sequence": sequence, "type": "settlement.posted"}
    return head | {"movesmoney": True, "data": data}


def follow(broker: AnyBroker, verifiers: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Follow with the example until a round is settled, or something is wrong."""
    servers = {"KAFKA_BOOTSTRAP_SERVERS": broker.bootstrap_servers}
    return subprocess.run(
        [sys.executable, str(EXAMPLES / "python" / "follow.py"), *words],
        env={**os.environ, **servers, "PITLEDGER_CHECKPOINT_VERIFIERS_FILE": str(verifiers)},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def test_following_again_changes_nothing(fresh_broker: AnyBroker, tmp_path: Path) -> None:
    """Each settlement is in the books once: after a repeated batch, after a start without a position, after a crash."""
    signer, verifiers, books = Signer.generate("pitledger/round-settlement"), tmp_path / "keys", tmp_path / "books"
    verifiers.write_text(f"{signer.verifier}\n")
    create_topics(fresh_broker.bootstrap_servers, {"settlements": 2})
    entries = [settlement(0, sequence, f"r-{sequence}") for sequence in range(1, 5)]
    send = partial(produce, fresh_broker.bootstrap_servers, "settlements", signer=signer)
    send([*entries[:3], *entries[1:4]])  # as a publisher does that was killed before it marked what it had sent
    assert f"r-3 {SETTLED}\n" == follow(fresh_broker, verifiers, "r-3", str(books)).stdout
    with closing(sqlite3.connect(books)) as there, there:
        there.execute("DELETE FROM positions")
        there.execute("DELETE FROM settlements WHERE sequence = 3")  # as if its transaction had not been committed
        there.execute("UPDATE streams SET sequence = 2")
    for round_id in ("r-3", "r-4", "r-1"):
        assert f"{round_id} {SETTLED}\n" == follow(fresh_broker, verifiers, round_id, str(books)).stdout
    with closing(sqlite3.connect(books)) as there:
        kept = there.execute("SELECT sequence, round_id FROM settlements ORDER BY sequence").fetchall()
    assert [(1, "r-1"), (2, "r-2"), (3, "r-3"), (4, "r-4")] == kept

    send([settlement(0, 6, "r-6")])
    assert (
        "/round-settlement/shards/0: 5 is missing before 6" in follow(fresh_broker, verifiers, "r-6", str(books)).stderr
    )
    verifiers.write_text(f"{Signer.generate('pitledger/round-settlement').verifier}\n")
    assert "no such signature" in follow(fresh_broker, verifiers, "r-1", str(tmp_path / "others")).stderr


@pytest.mark.parametrize("size", [1, 2, 3, 7, 16])
def test_an_altered_message_does_not_verify(size: int) -> None:
    """The example verifies every message of a batch as it was signed, and none with anything changed."""
    example = module(EXAMPLES / "python" / "signatures.py")
    signer = Signer.generate("pitledger/vigorish")
    keys = example.public_keys(
        ["pitledger/other+00000000+AA==".replace("AA==", "A" * 44), str(signer.verifier)], "vigorish"
    )
    messages = [("vigorish", b"/vigorish/shards/1", b'{"sequence": %d}' % number) for number in range(size)]
    proofs = sign_batch(signer, [message_bytes(*message) for message in messages])
    for (topic, key, value), proof in zip(messages, proofs, strict=True):
        example.require_signed(keys, "vigorish", topic, key, value, proof)
        for changed in (
            (topic, key, value + b" ", proof),
            (topic, key + b"0", value, proof),
            ("accounts", key, value, proof),
            (topic, key, value, proof[:-1] + bytes([proof[-1] ^ 1])),
            (topic, key, value, None),
        ):
            with pytest.raises(ValueError, match="sign"):
                example.require_signed(keys, "vigorish", *changed)
        with pytest.raises(ValueError, match="no such signature"):
            example.require_signed({}, "vigorish", topic, key, value, proof)


def test_the_round_of_the_examples_is_the_one_of_the_readme() -> None:
    """There is one example round, here as JSON."""
    played = yaml.safe_load((ROOT / "docs" / "examples" / "round.yaml").read_text())["round"]
    assert played == json.loads((EXAMPLES / "round.json").read_text())


def test_each_guarantee_is_shown_by_tests_that_are_there() -> None:
    """Every guarantee names its tests, and each of these exists."""
    section = PAGE.partition("## Guarantees")[2].partition("\n## ")[0]
    guarantees = re.split(r"^\d+\. ", section, flags=re.MULTILINE)[1:]
    assert 13 == len(guarantees)
    for guarantee in guarantees:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", guarantee)
        assert named, guarantee
        for path, test in named:
            assert f"def {test}(" in (ROOT / path).read_text(), f"{path}::{test}"


def module(path: Path) -> ModuleType:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found
