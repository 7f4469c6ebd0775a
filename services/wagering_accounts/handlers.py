"""Handlers of the wagering accounts: properties, and settlements of rounds."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts.domain.apply_facts import StaleStateError
from services.wagering_accounts.domain.books import Books, Round
from services.wagering_accounts.domain.settling import RoundEvent, settle
from services.wagering_accounts.queries.books import ReadSet, load
from services.wagering_accounts.tables import properties
from shared.contracts.envelope import Event
from shared.contracts.settlement_views import PostedRound, ReversedRound, UnpostedRound
from shared.contracts.topic_reader import Reader
from shared.contracts.topics import SETTLEMENTS
from shared.journal.ledger import Fenced
from shared.journal.recording import FactWithPostings
from shared.runtime.ingest.handler import FactHandler
from shared.runtime.ingest.property_copies import Properties


class ApprovedProperties(Properties):
    """A handler that stores approved properties, for their gaming days and the law on accounts."""

    copies = (properties,)


class Settlements(FactHandler[Books]):
    """A handler that settles account wagers: debits stakes, credits wins, and returns wagers that do not count.

    Accounts are not locked while settlements are derived; the projector verifies their state.
    """

    reader = Reader(SETTLEMENTS, PostedRound, ReversedRound, UnpostedRound)

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> Books:
        return await load(
            connection, [_needs(event.data) for event in events if isinstance(event.data, RoundEvent)], lock=False
        )

    def handle(self, event: Event[Any], state: Books) -> Sequence[FactWithPostings]:
        try:
            recording = settle(event.data, event.time, state)
        except StaleStateError as error:
            raise Fenced(f"wagers changed while they were read: {error}") from error
        return () if recording is None else (recording,)


def _needs(data: RoundEvent) -> ReadSet:
    accounts = {(data.property, credit.account) for credit in data.account_credits}
    return ReadSet(accounts, rounds_with_holds=[Round.key_of(data)], results=[Round.key_of(data)])
