"""The read model of the wagering accounts: what evolved by facts is written, once, whoever recorded them.

Commands have evolved the books by their facts already, on what they had locked. Settlements were derived from books
that were not locked: they are loaded again, locked, and evolve by the same facts; where these do not fit, the
settlements are derived again. A rebuild does the same.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any, Final

from services.wagering_accounts.domain.books import Books
from services.wagering_accounts.domain.evolving import (
    FLOWS,
    DoesNotFit,
    When,
    account_of,
    evolve,
    flows_of,
    property_of,
)
from services.wagering_accounts.queries.books import TABLES, Needs, load
from services.wagering_accounts.queries.order import in_order
from services.wagering_accounts.tables import PROJECTIONS, liability_days, lines
from shared.contracts.accounts import (
    AboutPatron,
    AccountBoughtIn,
    AccountOpened,
    AdjustmentApproved,
    AdjustmentEntered,
    AdjustmentRejected,
    RoundCaptured,
    WagerAuthorized,
    WagerReleased,
    WagersVoided,
)
from shared.contracts.facts import Fact
from shared.contracts.topics import ACCOUNTS
from shared.journal.bulk import Row, added, insert, update
from shared.journal.entry import Entry
from shared.journal.ledger import Fenced
from shared.journal.recording import Recorded
from shared.runtime.projector import Projector, Transaction

_ADD: Final = {kind: insert(table, on_conflict="skip") for kind, table in TABLES.items()}
_CHANGE: Final = {kind: update(table) for kind, table in TABLES.items()}
_ADD_LINES: Final = insert(lines, on_conflict="skip")
_ADD_DAYS: Final = insert(liability_days, on_conflict=added(liability_days, *FLOWS))


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Bring the tables up to date with facts. Raises: Fenced where something else was recorded meanwhile."""
    own = [(entry, fact) for entry, fact in recorded if type(fact).KIND.topic is ACCOUNTS]
    if not own:
        return
    books = transaction.state
    if books is None:
        books = await load(transaction.connection, [needs_of(fact) for _, fact in own], lock=True)
        try:
            for entry, fact in own:
                evolve(books, fact, When(entry.draft.occurred_at, _gaming_day(entry)))
        except DoesNotFit as error:
            raise Fenced(str(error)) from error
    await _write(transaction, books, own)


def needs_of(fact: Fact) -> Needs:
    """Return what a fact changes, as far as it is there."""
    property_name, own = property_of(fact), account_of(fact)
    accounts = {(property_name, movement.account) for movement in getattr(fact, "movements", ())}
    accounts |= set() if own is None else {own}
    more: dict[str, Any] = {}
    match fact:
        case WagerAuthorized():
            more = {"rounds": ((property_name, fact.table, fact.round_id),)}
        case WagerReleased():
            more = {"holds": ((property_name, fact.account, fact.hold),)}
        case RoundCaptured() | WagersVoided():
            round_ = (property_name, fact.table, fact.round_id)
            holds = tuple((property_name, each.account, each.hold) for each in fact.holds)
            more = {"rounds": (round_,), "results": (round_,), "holds": holds}
        case AccountBoughtIn():
            more = {"patrons_of": tuple(accounts)}
        case AccountOpened(patron=str(patron)) | AboutPatron(patron=patron):
            more = {"patrons": ((property_name, patron),)}
        case AdjustmentEntered() | AdjustmentApproved() | AdjustmentRejected():
            more = {"adjustments": ((property_name, fact.account, fact.adjustment),)}
    return Needs(accounts=tuple(accounts), **more)


def _gaming_day(entry: Entry) -> date:
    gaming_day = entry.draft.gaming_day
    assert gaming_day is not None, f"entry {entry.shard}/{entry.seq} has no gaming day"
    return gaming_day


async def _write(transaction: Transaction, books: Books, recorded: Sequence[Recorded]) -> None:
    """Write everything that changed."""
    async with transaction.pipeline() as sent:
        found = [row for one, of_fact in zip(recorded, books.lines, strict=True) for row in _lines(one, of_fact)]
        await sent.write(_ADD_LINES, found, otherwise=Fenced("somebody else wrote the same statements"))
        for kind, table in TABLES.items():
            columns, name = _ADD[kind].columns, table.name
            new, changed = (
                [{column: getattr(things[key], column) for column in columns} for key in sorted(things)]
                for things in (books.new.get(kind, {}), books.changed.get(kind, {}))
            )
            await sent.write(_ADD[kind], new, otherwise=Fenced(f"somebody else wrote the same {name}"))
            await sent.write(_CHANGE[kind], changed, otherwise=Fenced(f"{name} that were read are gone"))
        await sent.write(_ADD_DAYS, _days(recorded))


def _lines(recorded: Recorded, found: Sequence[dict[str, Any]]) -> Sequence[Row]:
    """Return the lines of the statements that an entry makes."""
    entry, fact = recorded
    of_entry = {
        "shard": entry.shard,
        "seq": entry.seq,
        "kind": type(fact).KIND.name,
        "gaming_day": entry.draft.gaming_day,
        "recorded_at": entry.recorded_at,
    }
    return [line | of_entry for line in found]


def _days(recorded: Sequence[Recorded]) -> list[Row]:
    """Return what changed the liability, by gaming day and shard."""
    sums: dict[tuple[str, date, int], dict[str, int]] = {}
    for entry, fact in recorded:
        if flows := flows_of(fact):
            day = sums.setdefault((property_of(fact), _gaming_day(entry), entry.shard), dict.fromkeys(FLOWS, 0))
            for name, cents in flows.items():
                day[name] += cents
    return [
        {"property": property_name, "gaming_day": gaming_day, "shard": shard, **day}
        for (property_name, gaming_day, shard), day in sums.items()
    ]


PROJECTOR: Final = Projector(tables=PROJECTIONS, project=project, read=in_order)
