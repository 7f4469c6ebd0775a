"""What the accounts read: the settlements of rounds, which take stakes, credit wins and return what does not count."""

from collections.abc import Sequence

from pydantic_core import to_json
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts import store
from services.wagering_accounts.books import Books, Fact, postings_of
from services.wagering_accounts.events import Other, RoundEntry, Voided, decode
from services.wagering_accounts.settling import round_key, settle
from services.wagering_accounts.store import Recorded, Snapshot
from shared.contracts import settlement_events
from shared.journal.entry import Draft, Entry
from shared.journal.pipeline import pipeline
from shared.runtime.consume.processing import Record

AnyEntry = RoundEntry | Other


class Settlements:
    """Settles the wagers of accounts."""

    topic = settlement_events.TOPIC

    def decode(self, record: Record) -> AnyEntry:
        return decode(record.value)

    async def open(self, connection: AsyncConnection, events: Sequence[AnyEntry]) -> "_Batch":
        rounds = [event for event in events if not isinstance(event, Other)]
        credits_ = [
            (event.data.property, credit.account)
            for event in rounds
            if not isinstance(event, Voided)
            for credit in event.data.account_credits
        ]
        return _Batch(await store.read_for_settling(connection, map(round_key, rounds), credits_))


class _Batch:
    """One batch of settlements."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._read = Snapshot.of(books)
        self._facts: dict[tuple[str, int, str], Fact] = {}

    def derive(self, event: AnyEntry, record: Record) -> Sequence[Draft]:
        if isinstance(event, Other):
            return ()
        fact = settle(event, self._books)
        if fact is None:
            return ()
        if "short" in fact.flows:
            self._read.short.update(movement.account for movement in fact.movements)
        self._facts[event.source, event.sequence, fact.kind] = fact
        return (
            Draft(
                kind=fact.kind,
                source=event.source,
                sequence=event.sequence,
                event_id=event.id,
                offset=record.offset,
                gaming_day=fact.gaming_day,
                occurred_at=event.time,
                data=to_json(fact.data),
                postings=postings_of(fact, self._books),
            ),
        )

    async def save(self, connection: AsyncConnection, entries: Sequence[Entry]) -> None:
        recorded: list[Recorded] = []
        for entry in entries:
            fact = self._facts.get((entry.draft.source, entry.draft.sequence, entry.draft.kind))
            if fact is not None:
                recorded.append((entry, fact))
        if recorded:
            starts = await store.still_stands(connection, self._books, self._read)
            async with pipeline(connection) as sent:
                await store.save(sent, self._books, recorded, store.number(self._books, recorded, starts))
