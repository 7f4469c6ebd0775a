"""The read model of the wagering accounts, written once for commands, settlements and rebuilds.

Commands have applied their facts to locked accounts already. Settlements were derived from accounts that were not
locked: the accounts are loaded again with locks, and the same facts applied. If a fact is inapplicable, the settlements
are derived again. A rebuild applies facts in the same way.
"""

from collections.abc import Sequence
from datetime import date
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import delete

from services.wagering_accounts.domain.apply_facts import OfRound, StaleStateError, account_of, apply_fact
from services.wagering_accounts.domain.books import Adjustment, Books, Patron, Promotion, Round
from services.wagering_accounts.queries.books import TABLES, ReadSet, load
from services.wagering_accounts.queries.order import in_order
from services.wagering_accounts.tables import DIGESTS, PROJECTIONS, lines, patron_codes, patron_keys
from shared.contracts.accounts import (
    AboutErasure,
    AboutGrant,
    AboutPatron,
    AccountAdjustmentApproved,
    AccountAdjustmentEntered,
    AccountAdjustmentRejected,
    AccountBoughtIn,
    AccountOpened,
    AccountsFact,
    PatronErased,
    PatronIdentified,
)
from shared.contracts.facts import name_and_version
from shared.journal.bulk import Row, compiled, given, insert, keyed, same, update
from shared.journal.entry import Entry
from shared.journal.ledger import Fenced
from shared.journal.recording import Recorded
from shared.runtime.projector import Projector, Transaction

_ADD: Final = {kind: insert(table, on_conflict="skip") for kind, table in TABLES.items()}
_CHANGE: Final = {kind: update(table) for kind, table in TABLES.items()}
_ADD_LINES: Final = insert(lines, on_conflict="skip")
_OF_PATRON: Final = ("property", "patron")
_SET_DIGESTS: Final = update(patron_keys, DIGESTS)
_DESTROY: Final = [
    compiled(delete(table).where(same(table, given(table, _OF_PATRON), _OF_PATRON)), _OF_PATRON)
    for table in (patron_keys, patron_codes)
]
"""The SQL statements of an erasure. They run whenever its entry is projected, because a backup may restore the key."""


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Apply facts to the tables. Raises: Fenced if conflicting facts were recorded meanwhile."""
    own = [(entry, fact) for entry, fact in recorded if isinstance(fact, AccountsFact)]
    if not own:
        return
    books = transaction.state
    if books is None:
        books = await load(transaction.connection, [needs_of(fact) for _, fact in own], lock=True)
        try:
            for entry, fact in own:
                apply_fact(books, fact, entry.draft.occurred_at, _gaming_day(entry))
        except StaleStateError as error:
            raise Fenced(str(error)) from error
    await _write(transaction, books, own)


def needs_of(fact: AccountsFact) -> ReadSet:
    """Return the rows that a fact changes, where they exist."""
    own = account_of(fact)
    accounts = {(fact.property, movement.account) for movement in fact.moved()} | ({own} if own else set())
    if isinstance(fact, OfRound):
        return ReadSet(accounts, rounds_with_holds=[Round.key_of(fact)], results=[Round.key_of(fact)])
    match fact:
        case AccountBoughtIn():
            return ReadSet(accounts, patrons_of=accounts)
        case PatronIdentified() | AboutErasure():
            return ReadSet(patrons=[Patron.key_of(fact)], identities=[Patron.key_of(fact)])
        case AccountOpened(patron=str()) | AboutPatron():
            return ReadSet(accounts, patrons=[Patron.key_of(fact)])
        case AboutGrant():
            return ReadSet(accounts, promotions=[Promotion.key_of(fact)])
        case AccountAdjustmentEntered() | AccountAdjustmentApproved() | AccountAdjustmentRejected():
            return ReadSet(accounts, adjustments=[Adjustment.key_of(fact)])
        case _:
            return ReadSet(accounts)


def _gaming_day(entry: Entry) -> date:
    gaming_day = entry.draft.gaming_day
    assert gaming_day is not None, f"entry {entry.shard}/{entry.seq} has no gaming day"
    return gaming_day


async def _write(transaction: Transaction, books: Books, recorded: Sequence[tuple[Entry, AccountsFact]]) -> None:
    """Write everything that changed."""
    async with transaction.pipeline() as sent:
        found = [row for (entry, _), of in zip(recorded, books.lines, strict=True) for row in _lines(entry, of)]
        await sent.write(_ADD_LINES, found, otherwise=Fenced("somebody else wrote the same statements"))
        for kind, table in TABLES.items():
            columns, name = _ADD[kind].columns, table.name
            values = attrgetter(*columns)
            new, changed = (
                [dict(zip(columns, values(things[key]), strict=True)) for key in sorted(things)]
                for things in (books.new[kind], books.changed[kind])
            )
            await sent.write(_ADD[kind], new, otherwise=Fenced(f"somebody else wrote the same {name}"))
            await sent.write(_CHANGE[kind], changed, otherwise=Fenced(f"{name} that were read are gone"))
        digests = [dict(zip(_OF_PATRON, key, strict=True)) | dict(found) for key, found in books.digests.items()]
        await sent.write(_SET_DIGESTS, digests, otherwise=Fenced("the keys of identities are gone"))
        erased = [Patron.key_of(fact) for _, fact in recorded if isinstance(fact, PatronErased)]
        for statement in _DESTROY:
            await sent.write(statement, keyed(statement, erased))


def _lines(entry: Entry, found: Sequence[dict[str, Any]]) -> Sequence[Row]:
    """Return the statement lines that result from an entry."""
    of_entry = {
        "shard": entry.shard,
        "seq": entry.seq,
        "kind": name_and_version(entry.draft.kind)[0],
        "gaming_day": entry.draft.gaming_day,
        "recorded_at": entry.recorded_at,
    }
    return [line | of_entry for line in found]


PROJECTOR: Final = Projector(tables=PROJECTIONS, project=project, read=in_order, beside=(patron_keys, patron_codes))
