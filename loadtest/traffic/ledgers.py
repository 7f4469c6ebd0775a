"""The facts that services other than round settlement publish for a casino's month, consistent with its rounds.

These are facts of table inventory, vigorish, meters and accounts, about the rounds of
`loadtest.traffic.synthetic_month.month` and about people's work on the same days. The facts are generated without
running these services.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from loadtest.floor.floor_day import opening
from loadtest.floor.pit import PitDay
from loadtest.traffic.account_facts import AccountFacts, Funded, funded
from loadtest.traffic.casino import Casino, Kind, Pools, Schedule, kind_of
from loadtest.traffic.inventory_facts import InventoryFacts, NumberedDay
from loadtest.traffic.journal import Published
from loadtest.traffic.meter_facts import MeterFacts, OnMeter
from loadtest.traffic.synthetic_month import PROPERTY_SLOT, TABLE_SLOT, PitOfMonth, RoundsInPit
from loadtest.traffic.vigorish_facts import Assessed, VigorishFacts
from shared.contracts.envelope import Event
from shared.contracts.pit import VigorishOfRound

PLAY: Final = timedelta(hours=20, minutes=30)
"""The time from the beginning of a gaming day to the end of its play; counts and payments follow."""
SEALED: Final = timedelta(hours=29)
"""The time from the beginning of a gaming day to its seal."""
_RECONCILED: Final = PLAY + timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class _Beside:
    """The effects of a round from a pool on vigorish, meters and accounts."""

    assessed: Assessed
    meters: tuple[OnMeter, ...]
    funded: tuple[Funded, ...]


class Ledgers:
    """Derives the facts of a casino's ledgers, day by day; a day's pit is kept in memory until its seal."""

    def __init__(self, where: Casino, *, rounds_per_table_day: int, seed: int, rounds_in_pool: int) -> None:
        """Initialize with the same arguments as `loadtest.traffic.synthetic_month.month`, before the first day."""
        self._where = where
        self._schedule = Schedule(where, rounds_per_table_day, seed)
        self._pools = Pools(where, seed=seed, rounds=rounds_in_pool, property_name=PROPERTY_SLOT, table=TABLE_SLOT)
        self._pit = PitOfMonth(where, self._schedule)
        self._inventory = InventoryFacts(where)
        self._vigorish = VigorishFacts(where)
        self._meters = MeterFacts(where)
        self._accounts = AccountFacts(where, TABLE_SLOT)
        self._seen: dict[date, RoundsInPit] = {}
        self._days: list[PitDay] = []

    def play(self, gaming_days: Sequence[date]) -> Iterator[Published]:
        """Yield the facts of days with simulated rounds, except for the seals."""
        for gaming_day in gaming_days:
            if not self._seen:
                yield from self._meters.open_pools(gaming_day)
            pools = self._pools.next_day()
            self._seen[gaming_day] = self._pit.seen(pools)
            numbered = self._next_day(gaming_day, gaming_day)
            beside = {kind: [self._beside(one, gaming_day) for one in pool] for kind, pool in pools.items()}
            yield from self._day(numbered, beside)
            ends_at = opening(gaming_day) + PLAY
            yield from self._accounts.pay_out(gaming_day, ends_at)
            yield from self._inventory.at_desks(numbered, ends_at)
            yield self._meters.reconcile(gaming_day, opening(gaming_day) + _RECONCILED)

    def play_again(self, days: Mapping[date, date]) -> Iterator[Published]:
        """Yield the facts of people's work on further days, except for the seals.

        `days` maps each further day to the earlier day whose rounds it repeats. The effects of rounds are omitted,
        because `loadtest.bench.read_model.multiply` copies them.
        """
        for gaming_day, played_on in days.items():
            numbered = self._next_day(gaming_day, played_on)
            events = [event for event in numbered.events if not isinstance(event.data, VigorishOfRound)]
            yield from self._inventory.of_tables(numbered, events)
            yield from self._inventory.at_desks(numbered, opening(gaming_day) + PLAY)

    def seal(self) -> Iterator[Published]:
        """Yield the facts that seal all days."""
        for day in self._days:
            yield from self._inventory.seal(day, opening(day.gaming_day) + SEALED)

    def _next_day(self, gaming_day: date, played_on: date) -> NumberedDay:
        day = self._pit.day(gaming_day, played_on, self._seen[played_on])
        self._days.append(day)
        return self._inventory.numbered(day)

    def _beside(self, dealt: Any, gaming_day: date) -> _Beside | None:
        found = _Beside(self._vigorish.assessed(dealt, gaming_day), self._meters.counted(dealt), funded(dealt))
        return found if found.assessed or found.meters or found.funded else None

    def _day(self, numbered: NumberedDay, pools: Mapping[Kind, Sequence[_Beside | None]]) -> Iterator[Published]:
        """Yield the facts caused by a day's rounds and pit events, in order of time."""
        gaming_day, schedule, left = numbered.day.gaming_day, self._schedule, deque(numbered.events)
        tables = [(plan, pools[kind_of(plan)]) for plan in self._where.plans]
        picks = [schedule.picks(table, gaming_day, len(pool)) for table, (_, pool) in enumerate(tables)]
        about: dict[str, Any] = {"property": numbered.day.property, "gaming_day": gaming_day}
        for number in range(schedule.rounds_per_table_day):
            for table, (plan, pool) in enumerate(tables):
                beside = pool[picks[table][number]]
                if beside is None:
                    continue
                opened_at, dealer = (
                    schedule.opened(table, gaming_day, number),
                    schedule.dealer(table, gaming_day, number),
                )
                while left and left[0].time <= opened_at:
                    yield from self._reported(numbered, left.popleft())
                round_id = schedule.round_id(table, gaming_day, number)
                of_round = about | {"table": plan.name, "game": plan.game, "round_id": round_id}
                yield from self._of_round(beside, of_round, opened_at, opened_at + schedule.dealing, dealer)
        for event in left:
            yield from self._reported(numbered, event)

    def _reported(self, numbered: NumberedDay, event: Event[Any]) -> Iterator[Published]:
        yield from self._inventory.of_tables(numbered, [event])
        yield from self._vigorish.of_tables([event])

    def _of_round(
        self, beside: _Beside, about: Mapping[str, Any], opened_at: datetime, closed_at: datetime, dealer: str
    ) -> Iterator[Published]:
        if beside.assessed:
            yield self._vigorish.of_round(about, beside.assessed, closed_at, dealer)
        if beside.meters:
            yield self._meters.of_round(about, beside.meters, opened_at, closed_at)
        if beside.funded:
            yield from self._accounts.of_round(about, beside.funded, opened_at, closed_at)
