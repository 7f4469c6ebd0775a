"""Write archived entries back into journals that lack them, with the same hashes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import Connection
from sqlalchemy import make_url

from services.cli.archive.store import Store
from services.cli.database import journal_of
from services.cli.exits import CheckFailed, InputRefused, UsageWrong
from services.cli.operations.keys import key_file
from shared.journal.archive.files import DayFiles
from shared.journal.archive.manifest import ArchivedShard, DayManifest
from shared.journal.archive.rows import entries_of
from shared.journal.archive.verification import verify_day
from shared.journal.bulk import copy_into, copy_text
from shared.journal.entry import Account, Entry, genesis
from shared.journal.entry_rows import ENTRY_COLUMNS, entry_values
from shared.journal.shard import Seals, Shard
from shared.journal.signed_batch import signer_name
from shared.journal.signed_note import CheckpointError, Signer, Verifier, decode_base64
from shared.runtime.database_names import role_of

_AT_ONCE: Final = 1000
"""The number of entries that are sent to the database together."""


@dataclass(slots=True)
class _Part:
    """A shard to restore: its entries, and the states (head, offset, seal) recorded when its days were archived."""

    name: str
    entries: list[Entry] = field(default_factory=list)
    seen: list[ArchivedShard] = field(default_factory=list)


def restore_days(
    url: str, store: Store, manifests: Sequence[DayManifest], verifiers: Sequence[Verifier], keys: Path | None
) -> Iterator[tuple[str, str, int]]:
    """Restore the entries of manifests, one transaction per service; yield service, shard and number of entries.

    Raises: CheckFailed if the files do not verify; InputRefused if the entries do not continue a journal; UsageWrong if
    a shard needs a seal and its service's key is missing.
    """
    for manifest in manifests:
        problems = verify_day(manifest, store.read, verifiers)
        if problems:
            raise CheckFailed(f"{problems[0].what}; run: pitledger archive verify")
    libpq = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    for service in sorted({one.service for manifest in manifests for one in manifest.services}):
        shards = _read(service, manifests, store)
        with psycopg.connect(libpq) as connection:
            connection.execute("SET TIME ZONE 'UTC'")
            numbers = _accounts(connection, role_of(service), shards.values())
            for number, part in sorted(shards.items()):
                _restore(connection, service, number, part, numbers, keys)
        yield from ((service, part.name, len(part.entries)) for _, part in sorted(shards.items()))


def _read(service: str, manifests: Sequence[DayManifest], store: Store) -> dict[int, _Part]:
    found: dict[int, _Part] = {}
    for manifest in manifests:
        of_service = [one for one in manifest.services if one.service == service]
        if not of_service:
            continue
        files = DayFiles(manifest, store.read)
        for shard in of_service[0].shards:
            found.setdefault(shard.shard, _Part(shard.name)).seen.append(shard)
        for entry in entries_of(files.rows(service, "entries"), files.table(service, "accounts")):
            found[entry.shard].entries.append(entry)
    for part in found.values():
        part.entries.sort(key=lambda entry: entry.seq)
    return found


def _accounts(connection: Connection[Any], schema: str, parts: Any) -> dict[Account, int]:
    """Add missing accounts to the database; return the number of every account there, by account."""
    used = {posting.account for part in parts for entry in part.entries for posting in entry.draft.postings}
    with connection.cursor() as cursor:
        cursor.executemany(
            f'INSERT INTO {schema}.accounts (property, "table", wager, leg) VALUES (%s, %s, %s, %s) '  # noqa: S608
            "ON CONFLICT DO NOTHING",
            sorted(used),
        )
    rows = connection.execute(f'SELECT property, "table", wager, leg, account FROM {schema}.accounts')  # noqa: S608
    return {Account(*names): number for *names, number in rows}


def _restore(
    connection: Connection[Any],
    service: str,
    number: int,
    part: _Part,
    numbers: dict[Account, int],
    keys: Path | None,
) -> None:
    schema = role_of(service)
    before = _shard(connection, service, schema, number, part.name)
    seq, head = before.next_seq - 1, before.head
    for entry in part.entries:
        if entry.seq != seq + 1 or entry.previous != head:
            raise InputRefused(
                f"{service} {part.name} goes on with entry {seq + 1}, and the archived days have {entry.seq} next: "
                "restore the days that have the entries between, too"
            )
        seq, head = entry.seq, entry.hash
    table = journal_of(service).entries
    with connection.cursor() as cursor, cursor.copy(copy_into(table, ENTRY_COLUMNS)) as copying:
        for start in range(0, len(part.entries), _AT_ONCE):
            rows = [entry_values(entry, numbers) for entry in part.entries[start : start + _AT_ONCE]]
            copying.write(copy_text(table, rows, ENTRY_COLUMNS))
    after = _after(service, number, part, seq, head, keys)
    connection.execute(
        f"UPDATE {schema}.shards SET next_offset = %s, next_seq = %s, head = %s, seal = %s WHERE shard = %s",  # noqa: S608
        [after.next_offset, after.next_seq, after.head, after.seal, number],
    )


def _shard(connection: Connection[Any], service: str, schema: str, number: int, name: str) -> Shard:
    """Return a shard of the database, added if missing. Raises: InputRefused if its name there is not `name`."""
    connection.execute(
        f"INSERT INTO {schema}.shards (shard, name, next_offset, next_seq, head) VALUES (%s, %s, 0, 1, %s) "  # noqa: S608
        "ON CONFLICT DO NOTHING",
        [number, name, genesis(name)],
    )
    sequence = "SELECT setval(pg_get_serial_sequence(%s, 'shard'), (SELECT max(shard) FROM {})::bigint)"
    connection.execute(sequence.format(f"{schema}.shards").encode(), [f"{schema}.shards"])
    query = f"SELECT shard, name, next_offset, next_seq, head, seal FROM {schema}.shards WHERE shard = %s"  # noqa: S608
    row = connection.execute(query, [number]).fetchone()
    if row is None or row[1] != name:
        raise InputRefused(f"{service} has other shards than the archive: {number} is {row and row[1]!r}, not {name!r}")
    return Shard(*row)


def _after(service: str, number: int, part: _Part, seq: int, head: bytes, keys: Path | None) -> Shard:
    """Return a shard's state after its last restored entry, with the archived seal or one signed by a key in `keys`."""
    for seen in part.seen:
        if (seen.next_seq, seen.head) == (seq + 1, head.hex()):
            seal = None if seen.seal is None else decode_base64(seen.seal, f"seal of {part.name}")
            return Shard(number, part.name, seen.next_offset, seq + 1, head, seal)
    offsets = [entry.draft.offset for entry in part.entries if entry.draft.offset is not None]
    shard = Shard(number, part.name, max(offsets, default=-1) + 1, seq + 1, head)
    if keys is None:
        raise UsageWrong(
            f"{service} {part.name}: its service sealed no state that ends with entry {seq}; give its key: --seal-with"
        )
    try:
        signer = Signer.from_pem(key_file(keys, service), signer_name(service))
    except (CheckpointError, OSError) as error:
        raise UsageWrong(f"--seal-with: {error}") from error
    return Seals(signer.name, [signer.verifier], signer).sealed(shard)
