"""A casino with approved property and submissions, its pools of rounds, and the schedule of its rounds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import islice
from random import Random
from typing import Final

from loadtest.floor.floor_day import Dealt, opening, pace, table_rounds
from loadtest.floor.game import TablePlan
from loadtest.floor.games import rules_submissions
from loadtest.floor.pit_table import SHIFTS
from loadtest.floor.property import property_document
from shared.contracts.properties import PropertyApproved, property_hash
from shared.contracts.submissions import SubmissionApproved, submission_hash

STINT_ROUNDS: Final = 40
"""The number of rounds after which a dealer moves to the next table."""
_TABLES_PER_BREAK: Final = 4
"""The number of tables per dealer on break: of five dealers on a shift, four deal."""

_DEALING: Final = 0.8
"""The duration of a round as a share of the time between two openings."""
_FILED: Final = timedelta(days=2)
"""How long before the first gaming day the property and submissions are filed."""

_OPENED_ON: Final = date(2000, 2, 1)

Kind = tuple[str, int, int]
"""The key of a pool of rounds: (game, seats, minimum in cents)."""


@dataclass(frozen=True, slots=True)
class Casino:
    """A casino whose rounds can be settled: its tables, and approved documents in effect before its first gaming day.

    The documents are to be published on the topics `properties` and `submissions`.
    """

    property: PropertyApproved
    submissions: tuple[SubmissionApproved, ...]
    plans: tuple[TablePlan, ...]


def casino(property_name: str, plans: Sequence[TablePlan], first_day: date) -> Casino:
    """Return a casino with these tables, all in one jurisdiction, with approved documents."""
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
    """Return the key of the pool from which a table takes its rounds."""
    return plan.game, plan.seats, plan.minimum_cents


class Pools:
    """Pools of simulated rounds, by kind of table, from which a day's rounds are drawn. Rounds are played on demand."""

    def __init__(self, where: Casino, *, seed: int, rounds: int, property_name: str, table: str) -> None:
        """Open a table of each kind, under the given placeholders for property and table name."""
        self._rounds = rounds
        self._tables: dict[Kind, Iterator[Dealt]] = {}
        for plan in where.plans:
            if kind_of(plan) not in self._tables:
                own = replace(plan, name=table)
                self._tables[kind_of(plan)] = table_rounds(
                    property_name=property_name, plan=own, gaming_day=_OPENED_ON, seed=seed
                )

    def next_day(self) -> Mapping[Kind, Sequence[Dealt]]:
        """Return a new pool of rounds for the next day, by kind of table."""
        return {kind: list(islice(table, self._rounds)) for kind, table in self._tables.items()}


@dataclass(frozen=True, slots=True)
class Schedule:
    """Assigns rounds from the pools to tables, times and dealers, deterministically.

    Tables are numbered from 0 in the casino's order, and the rounds of a table's day are numbered from 0.
    """

    where: Casino
    rounds_per_table_day: int
    seed: int

    def picks(self, table: int, gaming_day: date, pool: int) -> Sequence[int]:
        """Return the indexes of the rounds that a table plays on a day, in order, in a pool of size `pool`."""
        chance = Random(f"{self.seed}/{self.where.plans[table].name}/{gaming_day}")
        return chance.choices(range(pool), k=self.rounds_per_table_day)

    def opened(self, table: int, gaming_day: date, number: int) -> datetime:
        """Return when a round was opened, in UTC; the tables open their rounds in turn."""
        turn = number + table / len(self.where.plans)
        return opening(gaming_day).astimezone(UTC) + timedelta(seconds=pace(self.rounds_per_table_day) * turn)

    @property
    def dealing(self) -> timedelta:
        """Return the duration of a round from its opening to its closing."""
        return timedelta(seconds=pace(self.rounds_per_table_day) * _DEALING)

    def round_id(self, table: int, gaming_day: date, number: int) -> str:
        """Return the id of a round."""
        return f"{self.where.plans[table].name}-{gaming_day:%Y%m%d}-{number + 1:05}"

    def dealer(self, table: int, gaming_day: date, number: int) -> str:
        """Return the dealer of a round.

        Dealers rotate between tables. One in five has a break, and each shift has its own dealers. Each day, dealers
        start at other tables, beside other dealers.
        """
        dealers = len(self.where.plans) + -(-len(self.where.plans) // _TABLES_PER_BREAK)
        shift = SHIFTS[number * len(SHIFTS) // self.rounds_per_table_day]
        place = (table + number // STINT_ROUNDS) % dealers
        return f"dealer-{shift}-{_order(self.seed, gaming_day, dealers)[place]:03}"


@lru_cache(maxsize=4)
def _order(seed: int, gaming_day: date, dealers: int) -> Sequence[int]:
    """Return the dealers' numbers, ordered by the table at which each starts the day."""
    return Random(f"{seed}/dealers/{gaming_day}").sample(range(1, dealers + 1), k=dealers)
