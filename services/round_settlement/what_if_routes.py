"""Route of the what-if over rounds: settle a few gaming days under another rules submission. Nothing is recorded."""

import asyncio
from contextlib import closing
from datetime import date
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query
from pydantic import BaseModel

from services.round_settlement.domain.what_if import Compared, Outcome, TableDay
from services.round_settlement.tables import properties
from services.round_settlement.what_if import require_period, settle_again, table_days
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.submissions import RulesSubmission
from shared.runtime.database import snapshot
from shared.runtime.http import Day, problems
from shared.runtime.http.access import Caller, caller_for_own
from shared.runtime.http.roles import Role
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.rederivation.replay_state import ReplayState
from shared.runtime.service.service_context import ServiceContext

ROUNDS_MAX: Final = 60_000
"""The maximum number of rounds in one request, which take about ten seconds. `pitledger whatif` can settle a month."""


class Figures(BaseModel):
    """Handle, payout and win before meters, in cents."""

    handle_cents: int
    payout_cents: int
    win_cents: int


class WhatItWouldBe(BaseModel):
    """Figures as recorded, under the other submission, and the difference (other less recorded)."""

    recorded: Figures
    other: Figures
    difference: Figures


class OfWager(WhatItWouldBe):
    """The what-if result for one wager."""

    wager: str


class OfTable(WhatItWouldBe):
    """The what-if result for one table."""

    table: str


class OfDay(WhatItWouldBe):
    """The what-if result for one gaming day."""

    gaming_day: date


class WhatIfDocument(BaseModel):
    """The what-if result. `refused` counts the rounds that cannot be settled under the other submission, by reason."""

    property: str
    game: str
    regulation: str
    first: date
    last: date
    rounds: int
    refused: dict[str, int]
    total: WhatItWouldBe
    by_wager: list[OfWager]
    by_table: list[OfTable]
    by_gaming_day: list[OfDay]


def what_if_routes(context: ServiceContext, reader: Role) -> APIRouter:
    """Return the route of the what-if over rounds, for people with the role `reader`."""
    router = APIRouter(tags=["what-if"])
    asking = asyncio.Semaphore(1)
    person = Annotated[Caller, caller_for_own(reader)]
    day = Annotated[Day, Query()]
    only = Annotated[list[Name] | None, Query(max_length=1000, description="only these of the submission's tables")]

    @router.post(
        "/what-if", summary="Run a what-if over rounds", responses=problems(Reason.NOT_FOUND, Reason.NOT_ALLOWED)
    )
    async def ask(wanted: RulesSubmission, first: day, last: day, by: person, table: only = None) -> WhatIfDocument:
        """Settle rounds under another submission, with the recorded cards, wagers and decisions; nothing is stored."""
        by.require_properties({wanted.property})
        listed = [name for name in wanted.tables if not table or name in table]
        async with snapshot(context.pools.readers) as connection:
            require_period(await known_places(connection, properties), wanted.property, first, last)
            days = await table_days(connection, wanted, listed, first, last)
        rounds = sum(of.rounds for of in days)
        if not days:
            detail = f"no round of {wanted.game} stands at {', '.join(listed)} from {first} to {last}"
            raise Rejected(Reason.NOT_FOUND, detail)
        if rounds > ROUNDS_MAX:
            detail = f"{rounds} rounds: one question settles {ROUNDS_MAX} at most; ask for fewer days or tables"
            raise Rejected(Reason.NOT_ALLOWED, detail)
        async with asking:
            outcomes = await asyncio.to_thread(_settled, context, wanted, days)
        found: dict[str, Any] = Compared.of(outcomes).as_document(wanted, first, last)
        return WhatIfDocument.model_validate(found)

    return router


def _settled(context: ServiceContext, wanted: RulesSubmission, days: list[TableDay]) -> list[Outcome]:
    """Return the what-if results of gaming days. Raises: Refused if the regulation does not allow the submission."""
    url = context.settings.database_url.get_secret_value()
    with ReplayState() as memory, closing(settle_again(url, wanted, days, memory, processes=1)) as found:
        return list(found)
