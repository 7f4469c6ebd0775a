"""`pitledger verify` against signed checkpoints: what was cut off or rewritten, and what was not compared."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from services.round_settlement.tables import journal
from shared.journal.checkpoint import checkpoint_origin
from shared.journal.checkpoint_store import DirectoryStore
from shared.journal.ledger import Ledger
from shared.journal.signed_note import Signer
from shared.runtime.audit.journal_verifier import JournalVerifier
from shared.runtime.context import RuntimeContext
from shared.runtime.database import Pools
from shared.runtime.service.checkpoint_signer import notary
from shared.runtime.settings import Settings
from tests.support import Databases
from tests.support.journals import SHARD, append, draft_of, run
from tests.support.nightly import sampled
from tests.support.services import query, settled_database
from tests.unit.cli.calling import Called, Caller

SERVICE = "round-settlement"
VERIFY = ("verify", "--service", SERVICE)
ORIGIN = checkpoint_origin(SERVICE, SHARD)
CUT_OFF = """
    SET session_replication_role = replica;
    DELETE FROM round_settlement.entries WHERE seq = 5;
    UPDATE round_settlement.shards SET next_seq = 5,
        head = (SELECT hash FROM round_settlement.entries e WHERE e.seq = 4);
"""


@pytest.fixture
def url(databases: Databases, monkeypatch: pytest.MonkeyPatch, signing: dict[str, str]) -> Iterator[str]:
    """A journal of five entries, signed after three and after five, and the settings of the service that signed it."""
    url = settled_database(databases, SERVICE)
    for name, value in (signing | {"DATABASE_URL": url}).items():
        monkeypatch.setenv(name, value)
    recorded(url, 1, 2, 3)
    recorded(url, 4, 5)
    yield url
    databases.drop(url)


@pytest.fixture
def pitledger(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Calls `pitledger`, with no service running."""
    monkeypatch.setenv("COLUMNS", "100")
    return Caller(capsys, monkeypatch)


@pytest.fixture
def signing(tmp_path: Path) -> dict[str, str]:
    """The settings about checkpoints: a directory, and the key that signs them."""
    key, kept = tmp_path / "key.pem", tmp_path / "checkpoints"
    Signer.generate("pitledger").to_pem(key)
    return {"PITLEDGER_CHECKPOINT_DIRECTORY": str(kept), "PITLEDGER_CHECKPOINT_KEY_FILE": str(key)}


@pytest.fixture
def kept(signing: Mapping[str, str]) -> DirectoryStore:
    """The kept checkpoints."""
    return DirectoryStore(Path(signing["PITLEDGER_CHECKPOINT_DIRECTORY"]))


def recorded(url: str, *sequences: int, minutes_ago: int = 1, sign: bool = True) -> None:
    """Record entries and, as the service does, sign them."""

    async def work(engine: AsyncEngine) -> None:
        at = datetime.now(UTC) - timedelta(minutes=minutes_ago)
        await append(engine, *map(draft_of, sequences), recorded_at=at)
        if sign:
            settings = Settings()
            context = RuntimeContext(
                service=SERVICE, settings=settings, pools=Pools.of_one(engine), ledger=Ledger(journal)
            )
            await JournalVerifier(context, notary(settings, SERVICE)).watch()

    run(url, work)


def attacked(url: str, statements: str) -> None:
    """Do what a superuser can."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute(statements.encode())


def kept_file(kept: DirectoryStore, which: str) -> Path:
    """A file of the log: `checkpoint`, which is the latest, or one of a tile."""
    (file,) = kept.path.glob(f"*/{which}")
    return file


def problems(called: Called) -> list[str]:
    """What is wrong, of the one shard."""
    (document,) = called.documents
    return [problem["what"] for problem in document["problems"]]


def test_the_configured_checkpoints_are_compared(url: str, pitledger: Caller) -> None:
    """Without any option: both checkpoints hold, and all entries are covered."""
    called = pitledger(*VERIFY, "--json")

    assert (0, "") == (called.code, called.stderr)
    (document,) = called.documents
    assert (5, 5, 2) == (document["entries"], document["signed"], document["checkpoints"])


def test_a_last_entry_that_was_cut_off_is_found(url: str, pitledger: Caller) -> None:
    """Chain and head agree with each other; what was signed had one entry more."""
    attacked(url, CUT_OFF)
    called = pitledger(*VERIFY, "--json")

    assert 1 == called.code
    assert ["a signed checkpoint covers 5 entries; there are 4"] == problems(called)


def test_a_chain_that_was_rewritten_is_found(url: str, pitledger: Caller, kept: DirectoryStore) -> None:
    """Whoever rewrites the journal, hashes and all, cannot write what was signed."""
    attacked(
        url,
        """
        SET session_replication_role = replica;
        TRUNCATE round_settlement.entries, round_settlement.shards;
        """,
    )
    recorded(url, 1, 2, 3, 4, 6, sign=False)
    called = pitledger(*VERIFY, "--json")

    assert 1 == called.code
    assert "the entries up to here are not those of the signed checkpoint" in problems(called)


def test_a_shard_that_is_gone_is_found(url: str, pitledger: Caller) -> None:
    """A shard that only its checkpoints remember is a problem."""
    attacked(
        url,
        """
        SET session_replication_role = replica;
        TRUNCATE round_settlement.entries, round_settlement.shards;
        """,
    )
    called = pitledger(*VERIFY, "--json")

    assert 1 == called.code
    assert ["there are signed checkpoints of this shard, but the database does not have it"] == problems(called)


def test_a_checkpoint_that_is_not_kept_any_more_is_found(url: str, pitledger: Caller, kept: DirectoryStore) -> None:
    """Whoever cuts entries off would remove their checkpoints, too: the database lists what must be there."""
    kept_file(kept, "checkpoint").unlink()
    attacked(url, CUT_OFF)
    called = pitledger(*VERIFY, "--json")

    assert 1 == called.code
    assert "the signed checkpoint of 5 entries, which the database lists, is not kept" in problems(called)
    assert "a signed checkpoint covers 5 entries; there are 4" in problems(called)  # as the database lists


@sampled(3)
@pytest.mark.parametrize("done", ["removed", "put back", "altered", "cut off", "emptied", "of another log"])
@pytest.mark.parametrize("which", ["the latest", "the first of a tile"])
def test_whatever_is_done_to_a_kept_checkpoint_is_named(
    url: str, pitledger: Caller, kept: DirectoryStore, which: str, done: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What only the store says is held against what the database lists, and the other way round."""
    for module in ("checkpoint_store", "proof_builder"):
        monkeypatch.setattr(f"shared.journal.{module}.TILE_ENTRIES", 6)  # five entries, then eight: two tiles
    before = kept_file(kept, "checkpoint").read_text()
    recorded(url, 6, 7, 8)
    recorded(url, 9, 10)
    assert 0 == pitledger(*VERIFY).code
    file = kept_file(kept, "checkpoint" if which == "the latest" else f"{8:019d}.checkpoint")
    note = file.read_text()
    file.unlink()
    altered = {
        "put back": before,
        "altered": note.replace("\n\n", "\nand more\n\n", 1),
        "cut off": note[: len(note) // 2],
        "emptied": "",
        "of another log": note.replace(ORIGIN, f"{ORIGIN}-other"),
    }
    if done != "removed":
        file.write_text(altered[done])
    called = pitledger(*VERIFY, "--json")

    assert 1 == called.code
    size = 10 if which == "the latest" else 8
    named = f"the signed checkpoint of {size} entries, which the database lists, is not kept"
    told = "\n".join(problems(called))
    assert named in told if done in ("removed", "put back") else "cannot be relied on" in told
    if done != "removed":
        file.unlink()
    file.write_text(note)
    assert 0 == pitledger(*VERIFY).code


def test_what_was_succeeded_meanwhile_is_not_missed(url: str, pitledger: Caller, kept: DirectoryStore) -> None:
    """Processes list what they have kept in any order, and one may have ended before it did: no false alarm."""
    recorded(url, 6)
    note = kept.load(ORIGIN, 6)
    recorded(url, 7, 8)
    assert [3, 8] == kept.sizes(ORIGIN)
    statement = "INSERT INTO round_settlement.checkpoints SELECT shard, 6, $n${}$n$, signed_at FROM {} WHERE size = 8"
    attacked(url, statement.format(note, "round_settlement.checkpoints"))
    attacked(url, "SET session_replication_role = replica; DELETE FROM round_settlement.checkpoints WHERE size = 3")
    assert 0 == pitledger(*VERIFY).code


def test_the_database_lists_what_is_kept_and_no_more(url: str, kept: DirectoryStore) -> None:
    """However often it was signed: the first of each tile, and the latest."""
    for sequence in range(6, 20):
        recorded(url, sequence)
    assert [(3,), (19,)] == query(url, "SELECT size FROM round_settlement.checkpoints ORDER BY size")
    assert [3, 19] == kept.sizes(ORIGIN)


def test_a_checkpoint_of_nobody_is_named(url: str, pitledger: Caller) -> None:
    """The service did not sign that so many entries had this root."""
    attacked(
        url,
        """
        SET session_replication_role = replica;
        INSERT INTO round_settlement.checkpoints SELECT shard, 4, note, signed_at FROM round_settlement.checkpoints
        WHERE size = 5;
        """,
    )
    called = pitledger(*VERIFY, "--json")

    assert 1 == called.code
    (problem,) = problems(called)
    assert problem.startswith("the checkpoint of 4 entries, which the database lists, cannot be relied on: ")


@pytest.mark.parametrize("altered", ["note = replace(note, E'\\n5\\n', E'\\n4\\n')", "size = 4", "note = ''"])
def test_a_listed_checkpoint_that_was_altered_is_named(url: str, pitledger: Caller, altered: str) -> None:
    """Proofs are made under what the database lists: the service must have signed it for this shard and size."""
    statement = "SET session_replication_role = replica; UPDATE round_settlement.checkpoints SET {} WHERE size = 5"
    attacked(url, statement.format(altered))
    called = pitledger(*VERIFY, "--json")

    assert 1 == called.code
    assert "which the database lists, cannot be relied on: " in "\n".join(problems(called))


def test_entries_that_nobody_signs_are_a_problem_after_ten_minutes(url: str, pitledger: Caller) -> None:
    """Until then they are said to be newer than what was signed: they have the chain and the head alone."""
    recorded(url, 6, 7, minutes_ago=1, sign=False)
    newer = pitledger(*VERIFY)
    recorded(url, 8, minutes_ago=1, sign=True)
    recorded(url, 9, minutes_ago=11, sign=False)
    waiting = pitledger(*VERIFY, "--json")

    assert (0, 1) == (newer.code, waiting.code)
    assert "compared with chain and head alone: 2 entries of 1 shard\n" in newer.stderr
    (problem,) = problems(waiting)
    assert re.fullmatch(r"no signed checkpoint covers it, .* recorded at .*Z: the latest covers 8 entries", problem)


def test_a_shard_without_any_checkpoint_is_a_problem_after_ten_minutes(
    url: str, pitledger: Caller, tmp_path: Path
) -> None:
    """A directory with nothing in it proves nothing."""
    attacked(url, "SET session_replication_role = replica; TRUNCATE round_settlement.checkpoints")
    empty = tmp_path / "empty"
    empty.mkdir()
    early = pitledger(*VERIFY, "--checkpoints", str(empty))
    attacked(
        url, "SET session_replication_role = replica; UPDATE round_settlement.entries SET recorded_at = '2026-01-01Z'"
    )
    late = pitledger(*VERIFY, "--checkpoints", str(empty), "--json")

    assert (0, 1) == (early.code, late.code)
    assert "compared with chain and head alone: 5 entries of 1 shard\n" in early.stderr
    assert any("no signed checkpoint covers it" in what and "there is none" in what for what in problems(late))


def test_nothing_to_compare_with_is_not_good(url: str, pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that agree with each other prove little: it is said aloud, and is exit code 1 unless it was asked for."""
    monkeypatch.delenv("PITLEDGER_CHECKPOINT_DIRECTORY")
    called, meant = pitledger(*VERIFY), pitledger(*VERIFY, "--rows-only")

    assert (1, 0) == (called.code, meant.code)
    for each in (called, meant):
        assert "NOT COMPARED with signed checkpoints" in each.stderr
        assert "rows only" in each.stdout
        assert "good" not in each.stdout


@pytest.mark.parametrize("told", ["by option", "by setting"])
def test_a_checkpoint_of_another_key_is_not_relied_on(
    url: str, pitledger: Caller, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkpoint that the public keys do not verify is a problem, not a proof, whatever key signs here."""
    verifiers = tmp_path / "verifiers.txt"
    verifiers.write_text(f"{Signer.generate(f'pitledger/{SERVICE}').verifier}\n")
    words = ["--key", str(verifiers)] if told == "by option" else []
    if told == "by setting":
        monkeypatch.setenv("PITLEDGER_CHECKPOINT_VERIFIERS_FILE", str(verifiers))
    called = pitledger(*VERIFY, *words, "--json")

    assert 1 == called.code
    assert all("its checkpoint cannot be relied on" in what for what in problems(called)[:2])


@pytest.mark.parametrize(
    ("words", "unset", "said"),
    [
        (["--checkpoints", "/no/such/place"], [], "--checkpoints /no/such/place: there is no such directory"),
        (["--key", "nonsense"], [], "--key: "),
        (["--key", "x"], ["DIRECTORY"], "--key: of which checkpoints?"),
        ([], ["KEY_FILE"], "with which public keys? give --key"),
    ],
)
def test_what_cannot_be_compared_is_a_wrong_use(
    url: str, pitledger: Caller, monkeypatch: pytest.MonkeyPatch, words: list[str], unset: list[str], said: str
) -> None:
    """A directory that is not there, keys that are none, keys of nothing, and checkpoints without a key."""
    for name in unset:
        monkeypatch.delenv(f"PITLEDGER_CHECKPOINT_{name}")
    called = pitledger(*VERIFY, *words)

    assert 2 == called.code
    assert said in called.stderr
