"""Checkpoints are cosigned by a witness in its own process, demanded by `verify`, verified without Pitledger."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

import pitledger as face
from services.round_settlement.tables import journal
from shared.contracts.topics import CHECKPOINTS
from shared.journal.checkpoint import checkpoint_origin, read_unverified
from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.ledger import Ledger
from shared.journal.merkle import Frontier, consistency_proof
from shared.journal.signed_note import Signer, Verifier
from shared.journal.witness import State, Witness, WitnessRequest
from shared.runtime.audit.journal_verifier import JournalVerifier
from shared.runtime.audit.witness_client import WitnessClient
from shared.runtime.context import RuntimeContext
from shared.runtime.database import Pools
from shared.runtime.service.checkpoint_signer import notary
from shared.runtime.settings import Settings
from tests.support import AnyBroker, Databases, eventually
from tests.support.answers import get
from tests.support.journals import SHARD, append, draft_of, run
from tests.support.services import create_topics, query, read_topic, settled_database
from tests.unit.cli.calling import Caller

SERVICE = "round-settlement"
ORIGIN = checkpoint_origin(SERVICE, SHARD)
ROOT = Path(__file__).parents[2]
W1, W2 = "witness.example.com/w1", "witness.example.com/w2"


class Away:
    """A witness as `pitledger witness`, which can be started and killed."""

    def __init__(self, home: Path, name: str, verifiers: Path) -> None:
        self.words = [sys.executable, "-m", "services.cli.main", "witness", name]
        self.words += ["--key", str(home / f"{name[-2:]}.pem"), "--state", str(home / name[-2:])]
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.verifiers = verifiers
        new = subprocess.run((*self.words, "--new"), cwd=ROOT, check=True, capture_output=True, text=True)
        self.key = new.stdout.strip()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def line(self) -> str:
        return f"{self.key} http://127.0.0.1:{self.port}\n"

    def start(self) -> None:
        listening = ("--log", str(self.verifiers), "--port", str(self.port))
        self.process = subprocess.Popen((*self.words, *listening), cwd=ROOT)
        eventually(self._answers)

    def _answers(self) -> bool:
        try:
            return get(f"http://127.0.0.1:{self.port}/0/checkpoint").status_code == httpx.codes.NOT_FOUND
        except httpx.HTTPError:
            return False

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@pytest.fixture
def url(databases: Databases, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """An empty journal, and the settings of the service that signs it."""
    url = settled_database(databases, SERVICE)
    key = Signer.generate(f"pitledger/{SERVICE}")
    key.to_pem(tmp_path / "key.pem")
    (tmp_path / "verifiers.txt").write_text(f"{key.verifier}\n")
    named = {"DIRECTORY": "checkpoints", "KEY_FILE": "key.pem", "VERIFIERS_FILE": "verifiers.txt"}
    for name, file in named.items():
        monkeypatch.setenv(f"PITLEDGER_CHECKPOINT_{name}", str(tmp_path / file))
    monkeypatch.setenv("PITLEDGER_WITNESSES_FILE", str(tmp_path / "witnesses.txt"))
    monkeypatch.setenv("PITLEDGER_WITNESSES_REQUIRED", "2")
    monkeypatch.setenv("PITLEDGER_MESSAGE_AUTHENTICATION", "off")
    monkeypatch.setenv("DATABASE_URL", url)
    yield url
    databases.drop(url)


@pytest.fixture
def witnesses(url: str, tmp_path: Path) -> Iterator[tuple[Away, Away]]:
    """Two witnesses, of which the first runs."""
    both = Away(tmp_path, W1, tmp_path / "verifiers.txt"), Away(tmp_path, W2, tmp_path / "verifiers.txt")
    (tmp_path / "witnesses.txt").write_text("".join(each.line for each in both))
    both[0].start()
    yield both
    for each in both:
        each.kill()


def isolated(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the verifier where no module of the project can be imported."""
    words = (sys.executable, "-I", str(ROOT / "infra" / "verifier.py"), *words)
    return subprocess.run(words, cwd="/", env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False)


def published(servers: str) -> str:
    """The note that a reader of the topic keeps of the log."""
    notes = {record.key: record.value for record in read_topic(servers, CHECKPOINTS.name)}
    return notes[ORIGIN.encode()].decode()


@pytest.mark.broker
def test_witnesses_cosign_and_verify_demands_them(
    url: str,
    fresh_broker: AnyBroker,
    witnesses: tuple[Away, Away],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One away: signing goes on, `verify` names the checkpoint. Back, both cosign; entry, day and journal verify."""
    pitledger, servers = Caller(capsys, monkeypatch), fresh_broker.bootstrap_servers
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", servers)
    create_topics(servers)

    async def record(engine: AsyncEngine, *sequences: int) -> RuntimeContext:
        await append(engine, *map(draft_of, sequences), recorded_at=datetime.now(UTC) - timedelta(hours=1))
        settings = Settings()
        return RuntimeContext(service=SERVICE, settings=settings, pools=Pools.of_one(engine), ledger=Ledger(journal))

    async def one_away(engine: AsyncEngine) -> None:
        context = await record(engine, 1, 2, 3)
        signing = notary(context.settings, SERVICE)
        assert signing is not None
        witnessing = WitnessClient.of(context, signing)
        guard = JournalVerifier(context, signing)
        for more in ((), (4, 5)):
            await append(engine, *map(draft_of, more), recorded_at=datetime.now(UTC) - timedelta(hours=1))
            await guard.watch()
            await witnessing.once()
        assert [3, 5] == signing.store.sizes(ORIGIN)

    run(url, one_away)
    assert f"— {W1} " in published(servers)
    lacking = pitledger("verify", "--service", SERVICE)
    assert (1, True) == (lacking.code, f"cosigned by {W1}, 2 must have" in lacking.stdout.replace("\n", " "))
    assert 0 == pitledger("verify", "--service", SERVICE, "--witnesses", "1").code

    async def back(engine: AsyncEngine) -> None:
        context = await record(engine, 6)
        signing = notary(context.settings, SERVICE)
        assert signing is not None
        await JournalVerifier(context, signing).watch()
        # Two processes of the service ask: the second is told a size that it does not remember.
        for _ in range(2):
            await WitnessClient.of(context, signing).once()

    witnesses[0].kill()
    for each in witnesses:
        each.start()
    run(url, back)
    assert f"— {W2} " in published(servers)
    assert 0 == pitledger("verify", "--service", SERVICE).code

    kept = ("--checkpoints", str(tmp_path / "checkpoints"))
    files = {name: tmp_path / name for name in ("entry.json", "day.jsonl", "journal.jsonl")}
    assert 0 == pitledger("prove", SHARD, "2", *kept, "--output", str(files["entry.json"])).code
    day = ("--day", "2026-11-20", "--property", "riverside")
    assert 0 == pitledger("export", *day, "--output", str(files["day.jsonl"])).code
    assert 0 == pitledger("export", "--output", str(files["journal.jsonl"])).code
    trust = ("--key", str(tmp_path / "verifiers.txt"), "--witness", str(tmp_path / "witnesses.txt"), "--json")
    for name, entries in (("entry.json", 1), ("day.jsonl", 6), ("journal.jsonl", 6)):
        done = isolated(str(files[name]), *trust)
        assert (0, "") == (done.returncode, done.stderr)
        proven = json.loads(done.stdout)
        assert (entries, ORIGIN, [W1, W2]) == (proven["entries"], proven["log"], proven["witnesses"])

    keys = [str(tmp_path / "verifiers.txt")], [str(tmp_path / "witnesses.txt")]
    for name in ("day.jsonl", "journal.jsonl"):
        found = list(face.entries(files[name], *keys))
        assert [1, 2, 3, 4, 5, 6] == [one["seq"] for one in found]
        assert {0} == {sum(posting[-1] for posting in one["postings"]) for one in found}

    whole = files["journal.jsonl"].read_text()
    for was, now in (("-10000]", "-10001]"), ('"sequence":4', '"sequence":9'), (f"— {W2} ", "— other ")):
        assert was in whole
        (tmp_path / "altered.jsonl").write_text(whole.replace(was, now, 1))
        altered = isolated(str(tmp_path / "altered.jsonl"), *trust)
        assert (1, "", True) == (altered.returncode, altered.stdout, "nothing is proven" in altered.stderr)
        with pytest.raises(face.Wrong):
            next(face.entries(tmp_path / "altered.jsonl", *keys))
    (tmp_path / "cut.jsonl").write_text("".join(whole.splitlines(keepends=True)[:-1]))
    assert 1 == isolated(str(tmp_path / "cut.jsonl"), *trust).returncode


def test_the_key_of_a_service_is_replaced(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With both verifier keys what either signed verifies, a witness cosigns on, and without one it does not verify."""
    monkeypatch.delenv("PITLEDGER_WITNESSES_FILE")
    monkeypatch.delenv("PITLEDGER_WITNESSES_REQUIRED")
    pitledger, verifiers, kept = Caller(capsys, monkeypatch), tmp_path / "verifiers.txt", tmp_path / "checkpoints"
    seen = Signer.generate(W1)

    def signed(*sequences: int) -> str:
        async def work(engine: AsyncEngine) -> None:
            await append(engine, *map(draft_of, sequences), recorded_at=datetime.now(UTC) - timedelta(hours=1))
            context = RuntimeContext(
                service=SERVICE, settings=Settings(), pools=Pools.of_one(engine), ledger=Ledger(journal)
            )
            await JournalVerifier(context, notary(context.settings, SERVICE)).watch()

        run(url, work)
        return DirectoryStore(kept).latest(ORIGIN) or ""

    first = signed(1, 2, 3)
    old = verifiers.read_text()
    new = Signer.generate(f"pitledger/{SERVICE}")
    new.to_pem(tmp_path / "new.pem")
    (tmp_path / "new.pem").replace(tmp_path / "key.pem")
    verifiers.write_text(f"{old}{new.verifier}\n")
    second = signed(4, 5)

    assert (3, 5) == (read_unverified(first).size, read_unverified(second).size)
    assert 0 == pitledger("verify", "--service", SERVICE).code
    logs = [Verifier.from_string(line) for line in verifiers.read_text().splitlines()]
    proof = consistency_proof(Frontier().extend(hashes(url)[:3]), hashes(url)[3:])
    (tmp_path / "witness").mkdir()
    with State(tmp_path / "witness") as state:
        witness = Witness(seen, logs, state, lambda: 1_700_000_000)
        for asked in (WitnessRequest(0, (), first), WitnessRequest(3, proof, second)):
            assert witness.add(asked).startswith(f"— {W1} ")
    for lines in (old, f"{new.verifier}\n"):
        verifiers.write_text(lines)
        assert 1 == pitledger("verify", "--service", SERVICE).code


def hashes(url: str) -> list[bytes]:
    """The hashes of the entries, which are the leaves of the log."""
    return [bytes(row[0]) for row in query(url, "SELECT hash FROM round_settlement.entries ORDER BY seq")]
