"""Statistics on a real database: dishonest people are planted in simulated play, and found in the report; no others."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import count, islice
from typing import Any, Final

import pytest

from loadtest.casino import Casino, casino
from loadtest.floor import Amend, opening, table_rounds
from loadtest.game import TablePlan
from loadtest.games import pit
from loadtest.messages import day as messages_of_day
from loadtest.pit import PitBook, PitDay
from loadtest.pit_items import Overpaying
from loadtest.plants import KnowsTheCards, PostsLate
from loadtest.posted import posted
from services.reporting.books.evidence import alarms_known
from services.reporting.evidence import evaluate_sealed
from services.table_inventory.domain.pit import Known, record_pit
from shared.contracts.facts import Fact
from shared.contracts.pit import EVENTS, PitReader
from shared.contracts.places import Place
from shared.contracts.settlements import SubmissionRef
from shared.contracts.topics import PIT_EVENTS
from tests.support.published import published
from tests.support.reporting import Books, names, rows_of
from tests.unit.reporting.entries import CORRECTION

FIRST_DAY: Final = date(2026, 11, 2)
PROPERTY: Final = "bayside"
SEAT: Final = 3
SIDE_BET: Final = "royal_match_21"

Event = dict[str, Any]


class Floor:
    """A simulated casino, as the journals of its services tell reporting of it."""

    def __init__(self, books: Books, plans: Sequence[TablePlan]) -> None:
        self.books = books
        self.where: Casino = casino(PROPERTY, plans, FIRST_DAY)
        self.refs = {one.game: SubmissionRef(version=one.version, hash=one.hash) for one in self.where.submissions}
        self._sequences = {"round-settlement": count(1), "table-inventory": count(1), "paytable-registry": count(10)}
        approved = self.where.property
        books.desk.feed("properties", self.entry(approved, "paytable-registry", approved.approved_at, shard=2))
        for one in self.where.submissions:
            books.desk.feed("submissions", self.entry(one, "paytable-registry", one.approved_at))

    def entry(self, fact: Fact, service: str, at: datetime, *, shard: int = 1) -> Event:
        """The entry of a fact, which happened and was recorded at a moment."""
        sequence = next(self._sequences[service])
        said = json.loads(fact.encode())
        return published(fact.KIND.name, said, service=service, sequence=sequence, at=at.astimezone(UTC), shard=shard)

    def play(self, plan: TablePlan, day: date, seed: int, rounds: int, amend: Amend | None = None) -> list[Event]:
        """Let a table play so many rounds of a gaming day; return the entries that were read."""
        dealt = table_rounds(property_name=PROPERTY, plan=plan, gaming_day=day, seed=seed, amend=amend)
        entries = [
            self.entry(posted(one, self.refs[plan.game]), "round-settlement", one.data.closed_at)
            for one in islice(dealt, rounds)
        ]
        self.books.desk.feed("settlements", *entries)
        return entries

    def seal(self, day: date) -> None:
        """Seal a gaming day, the morning after."""
        at = opening(day) + timedelta(days=1)
        for step in ("preliminary", "audited", "final"):
            sealed = {"hash": "e" * 64, "report": {"total": {"final_win_cents": None}}} if step == "final" else {}
            said = {"property": PROPERTY, "gaming_day": day.isoformat(), f"{step}_by": "audit.kim"}
            said |= {f"{step}_at": at.isoformat()} | sealed
            sequence = next(self._sequences["table-inventory"])
            self.books.desk.feed(
                "inventory", published(f"day.{step}", said, service="table-inventory", sequence=sequence, at=at)
            )

    def evaluate(self) -> int:
        """Test what was sealed; return how many days."""
        return self.books.desk.client.run(evaluate_sealed(self.books.desk.context))

    def path(self, day: date, more: str = "") -> str:
        """The path of the report about a gaming day."""
        return f"/reports/statistics?property={PROPERTY}&gaming_day={day}{more}"

    def report(self, day: date, more: str = "") -> dict[str, Any]:
        """The report about a gaming day."""
        found: dict[str, Any] = self.books.get(self.path(day, more)).json()
        return found


def _alarms(report: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    return [names(row, "test", "table", "seat", "dealer", "wager") for row in rows_of(report, "alarms")]


def _days(number: int) -> list[date]:
    return [FIRST_DAY + timedelta(days=one) for one in range(number)]


def test_dishonest_players_are_found_and_nobody_else(books: Books) -> None:
    """One wagers on Royal Match only where it wins, one adds chips to winning wagers: found within 1,500 rounds."""
    plans = pit(2)
    floor, days = Floor(books, plans), _days(3)
    knows = KnowsTheCards(plans[0], seat=SEAT, wager=SIDE_BET, cents=25_00)
    late = PostsLate(plans[1], seat=SEAT, wager="blackjack", share=1 / 3, seed=1)
    for seed, day in enumerate(days):
        floor.play(plans[0], day, seed, 150, knows)
        floor.play(plans[1], day, seed, 500, late)
        floor.seal(day)
    assert 3 == floor.evaluate()
    report = floor.report(days[-1])
    found = _alarms(report)
    assert ("hits", "BJ01", None, "", SIDE_BET) in found
    assert [("raised", "BJ02", SEAT, "", "blackjack")] == [one for one in found if one[0] == "raised"]
    others = [one for one in found if one[0] != "raised"]
    assert all(wager == SIDE_BET and (table == "BJ01" or "BJ01" in dealer or not table) for _, table, _, dealer, wager in others)
    assert [] == [one for one in found if "BJ02" in one[3]]
