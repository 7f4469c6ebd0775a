"""Real rounds of two gaming days, recorded and signed by round settlement, of which the first is sealed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncEngine

from services.cli.archive.upgrade import upgrade_archive
from services.cli.operations.keys import VERIFIERS, key_file, write_keys
from shared.journal.archive.manifest import ARCHIVE
from shared.journal.entry import EntryDraft
from shared.journal.ledger import Ledger
from shared.journal.shard import Seals
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import Signer
from shared.journal.tables import JournalTables
from shared.runtime.audit.journal_verifier import JournalVerifier
from shared.runtime.context import RuntimeContext
from shared.runtime.database import Pools
from shared.runtime.service.checkpoint_signer import notary
from shared.runtime.settings import Settings
from tests.support import AnyBroker, eventually
from tests.support.databases import Databases
from tests.support.journals import run
from tests.support.properties import OF_ANY_AGE, property_event
from tests.support.rounds import BLACKJACK, LOSING, NEXT_DAY, completed, corrected, record, submission
from tests.support.services import create_topics, migrate, produce, query, running
from tests.support.worker import Orders

SETTLEMENT: Final = "round-settlement"
INVENTORY: Final = "table-inventory"
PROPERTY: Final = "riverside"
DAY: Final = date(2026, 11, 20)
NEXT: Final = date(2026, 11, 21)
ROUNDS: Final = 12
_SIGNED: Final = """
    SELECT count(*) FROM round_settlement.shards s WHERE s.next_seq > 1 AND s.next_seq - 1 > (
        SELECT coalesce(max(size), 0) FROM round_settlement.checkpoints c WHERE c.shard = s.shard)"""
_POSTED: Final = "SELECT count(*) FROM round_settlement.entries WHERE kind = 'settlement.posted'"


@dataclass(frozen=True, slots=True)
class Casino:
    """A database with rounds, the directory of the services' keys, and that of their checkpoints."""

    url: str
    keys: Path
    checkpoints: Path

    def environment(self, store: Path) -> dict[str, str]:
        """The settings of an archiver, and of commands on the same database."""
        return {
            "DATABASE_URL": self.url,
            "PITLEDGER_ARCHIVE_STORE": str(store),
            "PITLEDGER_ARCHIVE_KEY_FILE": str(key_file(self.keys, ARCHIVE)),
            "PITLEDGER_CHECKPOINT_DIRECTORY": str(self.checkpoints),
            "PITLEDGER_CHECKPOINT_VERIFIERS_FILE": str(self.keys / VERIFIERS),
        }

    def on(self, url: str) -> "Casino":
        """The same casino on another database."""
        return Casino(url, self.keys, self.checkpoints)

    def record(self, service: str, *drafts: EntryDraft, sign: bool = True) -> None:
        """Record entries of commands as the service does, and sign a checkpoint."""
        recorded(self, service, *drafts, sign=sign)


def journal_of(service: str) -> JournalTables:
    """The tables of a service's journal."""
    from services.cli.database import journal_of as found

    return found(service)


def recorded(casino: Casino, service: str, *drafts: EntryDraft, sign: bool) -> None:
    """Record entries of commands as a service does, and sign a checkpoint."""
    key = key_file(casino.keys, service)
    signer = Signer.from_pem(key, signer_name(service))
    tables = journal_of(service)

    async def work(engine: AsyncEngine) -> None:
        ledger = Ledger(tables, Seals(signer.name, [signer.verifier], signer))
        await ledger.ensure_accounts(engine, {posting.account for draft in drafts for posting in draft.postings})
        async with engine.begin() as connection:
            before = await ledger.open_shard(connection, "commands/0")
            await ledger.append(
                connection, before, drafts, next_offset=before.next_offset, recorded_at=datetime.now(UTC)
            )
        if not sign:
            return
        settings = Settings(checkpoint_key_file=key, checkpoint_directory=casino.checkpoints)
        context = RuntimeContext(service=service, settings=settings, pools=Pools.of_one(engine), ledger=ledger)
        await JournalVerifier(context, notary(settings, service)).watch()

    run(casino.url, work, role=tables.schema)


def sealed(day: date) -> EntryDraft:
    """The entry that a gaming day was sealed."""
    return desk("day.final", f'{{"property":"{PROPERTY}","gaming_day":"{day}"}}', day, day.toordinal())


def desk(kind: str, data: str, day: date | None, sequence: int) -> EntryDraft:
    """An entry of the desk of table inventory."""
    return EntryDraft(
        kind=kind,
        source=f"/properties/{PROPERTY}/desk",
        sequence=sequence,
        event_id=f"e-{sequence}",
        offset=None,
        gaming_day=day,
        occurred_at=datetime(2026, 11, 21, 12, tzinfo=UTC),
        data=data.encode(),
    )


def casino(databases: Databases, broker: AnyBroker, home: Path) -> Casino:
    """Rounds of two gaming days, one of them corrected, and the seal of the first day."""
    url = databases.create()
    for service in (SETTLEMENT, INVENTORY):
        migrate(url, service)
    upgrade_archive(url)
    made = Casino(url, home / "keys", home / "checkpoints")
    made.keys.mkdir()
    write_keys(made.keys, [SETTLEMENT, INVENTORY, "paytable-registry", ARCHIVE])
    _play(made, broker)
    made.record(INVENTORY, sealed(DAY))
    return made


def _play(made: Casino, broker: AnyBroker) -> None:
    servers = broker.bootstrap_servers
    create_topics(servers)
    registry = Signer.from_pem(key_file(made.keys, "paytable-registry"), signer_name("paytable-registry"))
    produce(servers, "properties", [property_event(plausibility=OF_ANY_AGE)], signer=registry)
    produce(servers, "submissions", [submission()], signer=registry)
    settings: Mapping[str, str] = {
        "PITLEDGER_CHECKPOINT_KEY_FILE": str(key_file(made.keys, SETTLEMENT)),
        "PITLEDGER_CHECKPOINT_VERIFIERS_FILE": str(made.keys / VERIFIERS),
        "PITLEDGER_CHECKPOINT_DIRECTORY": str(made.checkpoints),
        "PITLEDGER_CHECKPOINT_SECONDS": "0.2",
        "PITLEDGER_VERIFICATION_SECONDS": "0.2",
        "PITLEDGER_MESSAGE_AUTHENTICATION": "required",
    }
    events: list[Any] = [completed("BJ-01", number) for number in range(1, ROUNDS)]
    events.append(completed("BJ-01", ROUNDS, play=record(LOSING)))
    events += [completed("BJ-02", number, **(NEXT_DAY if number % 2 else {})) for number in range(1, ROUNDS + 1)]
    events.append(corrected("BJ-01", ROUNDS + 1, "BJ-01-r2", record(BLACKJACK)))
    orders = Orders(moment=datetime(2026, 11, 22, 6, tzinfo=UTC))
    with running(SETTLEMENT, orders=orders, database_url=made.url, bootstrap_servers=servers, settings=settings):
        produce(servers, "table.events", events)
        eventually(lambda: query(made.url, _POSTED)[0][0] == len(events), because="rounds are posted", seconds=25)
        eventually(lambda: query(made.url, _SIGNED) == [(0,)], because="all of it is signed", seconds=60)
