"""Makes what stands anew from the journal: patrons, accounts, rounds, holds, adjustments, statements, the liability.

Access codes are nowhere in the journal: patrons keep theirs. Who has lost it with the row needs another one.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts import store
from services.wagering_accounts.access_codes import HashedCode
from services.wagering_accounts.books import Fact, Movement, PatronKey
from services.wagering_accounts.changes import change
from services.wagering_accounts.decisions import Needs
from services.wagering_accounts.ordering import account_of, in_order
from services.wagering_accounts.store import Recorded
from services.wagering_accounts.tables import PROJECTIONS as OF_JOURNAL
from services.wagering_accounts.tables import journal, patrons
from shared.journal.entry import Entry
from shared.journal.pipeline import pipeline
from shared.runtime.service.rebuild import Projections, kept
from shared.runtime.settings import Settings

_LOST: Final = HashedCode(bytes(16), b"")
"""What no code has as its hash."""


async def _fill(connection: AsyncConnection, settings: Settings) -> None:
    del settings
    before = kept(patrons).c
    found = await connection.execute(select(before.property, before.patron, before.salt, before.hash))
    codes = {(row.property, row.patron): HashedCode(row.salt, row.hash) for row in found}
    async for entries in in_order(connection):
        await _project(connection, [(entry, _fact(entry, codes)) for entry in entries])


async def _project(connection: AsyncConnection, recorded: Sequence[Recorded]) -> None:
    """Does with entries what their recording did."""
    books = await store.read(connection, [_needs(fact) for _, fact in recorded])
    await store.read_parts(connection, books)
    starts = {key: replace(account) for key, account in books.accounts.items()}
    for entry, fact in recorded:
        change(books, fact, entry.draft.occurred_at)
    async with pipeline(connection) as sent:
        await store.save(sent, books, recorded, store.number(books, recorded, starts))


def _fact(entry: Entry, codes: dict[PatronKey, HashedCode]) -> Fact:
    """The fact that an entry records."""
    draft = entry.draft
    data: dict[str, Any] = json.loads(draft.data)
    assert draft.gaming_day is not None, f"entry {entry.shard}/{entry.seq} has no gaming day"
    property_name = data["property"]
    movements = [
        Movement((property_name, each["account"]), *(each.get(name, 0) for name in ("available", "held", "staked")))
        for each in data.get("movements", ())
    ]
    code = codes.get((property_name, data["patron"]), _LOST) if "patron" in data else None
    account = account_of(entry)
    return Fact(draft.kind, data, property_name, draft.gaming_day, account, movements, draft.postings, code)


def _needs(fact: Fact) -> Needs:
    """What a fact changes, as far as it is there."""
    data, property_name = fact.data, fact.property_name
    accounts = [movement.account for movement in fact.movements]
    if fact.account is not None:
        accounts.append(fact.account)
    holds = [(property_name, each["account"], each["hold"]) for each in data.get("holds", ())]
    if "hold" in data:
        holds.append((property_name, data["account"], data["hold"]))
    money = fact.kind in ("account.bought_in", "account.cashed_out")
    return Needs(
        accounts=tuple(accounts),
        patrons=((property_name, data["patron"]),) if "patron" in data else (),
        patrons_of=tuple(accounts) if money else (),
        opens=((property_name, *fact.round),) if fact.round is not None else (),
        holds=tuple(holds),
        adjustments=((property_name, data["account"], data["adjustment"]),) if "adjustment" in data else (),
    )


PROJECTIONS = Projections(journal=journal, tables=OF_JOURNAL, fill=_fill)
