"""A casino with everything approved, and when which of its rounds is played: what a month of messages follows from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import islice
from random import Random
from typing import Final

from loadtest.floor import Dealt, opening, pace, table_rounds
from loadtest.game import TablePlan
from loadtest.games import rules_submissions
from loadtest.pit_table import SHIFTS
from loadtest.property import property_document
from shared.contracts.properties import PropertyApproved, property_hash
from shared.contracts.submissions import SubmissionApproved, submission_hash

STINT_ROUNDS: Final = 40
"""A dealer moves on to the next table after so many rounds."""
_TABLES_PER_BREAK: Final = 4
"""Of five dealers on a shift, four deal and one has a break."""

_DEALING: Final = 0.8
"""A round takes so much of the time from one opening to the next."""
_FILED: Final = timedelta(days=2)
"""Property and submissions are filed and approved so long before the first gaming day."""

_OPENED_ON: Final = date(2000, 2, 1)

Kind = tuple[str, int, int]
"""What tables that share a pool of rounds have in common: game, seats, minimum in cents."""


@dataclass(frozen=True, slots=True)
class Casino:
    """A casino that can settle rounds: its tables, and the approved facts about it, from before its first gaming day.

    What is approved goes to the topics `properties` and `submissions`.
    """

    property: PropertyApproved
    submissions: tuple[SubmissionApproved, ...]
    plans: tuple[TablePlan, ...]


def casino(property_name: str, plans: Sequence[TablePlan], first_day: date) -> Casino:
    """Return a casino with these tables, all of one state, with everything approved."""
    filed_at = opening(first_day) - _FILED
    people = {
        "filed_by": "controller-501",
        "filed_at": filed_at,
        "approved_by": "regulator-601",
        "approved_at": filed_at + timedelta(hours=1),
    }
    document = property_document(property_name, plans, first_day)
    wanted = rules_submissions(property_name, tuple(plans), document.effective_from)
    return Casino(
        property=PropertyApproved(**dict(document), version=1, hash=property_hash(document, 1), **people),
        submissions=tuple(
            SubmissionApproved(**dict(one), version=1, hash=submission_hash(one, 1), **people) for one in wanted
        ),
        plans=tuple(plans),
    )


def kind_of(plan: TablePlan) -> Kind:
    """Return from which pool the rounds of a table come."""
    return plan.game, plan.seats, plan.minimum_cents


class Pools:
    """The rounds from which those of a day are taken, by the kind of table: real ones, played as they are asked for."""

    def __init__(self, where: Casino, *, seed: int, rounds: int, property_name: str, table: str) -> None:
        """Open a table of each kind, at a property and under a table's name that stand in for all of them."""
        self._rounds = rounds
        self._tables: dict[Kind, Iterator[Dealt]] = {}
        for plan in where.plans:
            if kind_of(plan) not in self._tables:
                own = replace(plan, name=table)
                self._tables[kind_of(plan)] = table_rounds(
                    property_name=property_name, plan=own, gaming_day=_OPENED_ON, seed=seed
                )

    def next_day(self) -> Mapping[Kind, Sequence[Dealt]]:
        """Play on, and return the rounds of one more day."""
        return {kind: list(islice(table, self._rounds)) for kind, table in self._tables.items()}


@dataclass(frozen=True, slots=True)
class Schedule:
    """When which round of the pools is played at which table, and who deals it: the same for everybody who asks.

    Tables are numbered from 0 as the casino lists them, rounds of a table's day from 0 too.
    """

    where: Casino
    rounds_per_table_day: int
    seed: int

    def picks(self, table: int, gaming_day: date, pool: int) -> Sequence[int]:
        """Return which of the rounds of a pool of this size the table plays on a day, in their order."""
        chance = Random(f"{self.seed}/{self.where.plans[table].name}/{gaming_day}")
        return chance.choices(range(pool), k=self.rounds_per_table_day)

    def opened(self, table: int, gaming_day: date, number: int) -> datetime:
        """Return when a round was opened, in UTC: the tables take turns."""
        turn = number + table / len(self.where.plans)
        return opening(gaming_day).astimezone(UTC) + timedelta(seconds=pace(self.rounds_per_table_day) * turn)

    @property
    def dealing(self) -> timedelta:
        """Return how long a round takes from its opening to its close."""
        return timedelta(seconds=pace(self.rounds_per_table_day) * _DEALING)

    def round_id(self, table: int, gaming_day: date, number: int) -> str:
        """Return the name of a round."""
        return f"{self.where.plans[table].name}-{gaming_day:%Y%m%d}-{number + 1:05}"

    def dealer(self, table: int, gaming_day: date, number: int) -> str:
        """Return who deals: dealers move from table to table, one in five has a break, and shifts have their own.

        Each day they begin at other tables, beside others.
        """
        dealers = len(self.where.plans) + -(-len(self.where.plans) // _TABLES_PER_BREAK)
        shift = SHIFTS[number * len(SHIFTS) // self.rounds_per_table_day]
        place = (table + number // STINT_ROUNDS) % dealers
        return f"dealer-{shift}-{_order(self.seed, gaming_day, dealers)[place]:03}"


@lru_cache(maxsize=4)
def _order(seed: int, gaming_day: date, dealers: int) -> Sequence[int]:
    """Return the numbers of the dealers, in the order of the tables at which they begin."""
    return Random(f"{seed}/dealers/{gaming_day}").sample(range(1, dealers + 1), k=dealers)
