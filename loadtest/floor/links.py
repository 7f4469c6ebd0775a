"""The linked progressive of the pit: a meter fed by the wagers of several tables, and hit once a day.

The rounds of the linked tables are played in the order of their closing times, so that each record has the linked
meter's display before its round.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from loadtest.floor.floor_day import Dealt, TableInPlay, initial_meters, opening, pace
from loadtest.floor.game import TablePlan
from shared.rules import Round
from shared.rules.blackjack import BlackjackHand, BlackjackRound, Dealer

POOL: Final = "blackjack-link"
FEEDS: Final[Mapping[str, str]] = {
    "blackjack-progressive": "bad_beat_progressive",
    "blackjack-house-money": "straight_jack_progressive",
}
"""The meter whose wagers feed the linked progressive, by game."""

_HIT: Final = "bad_beat_progressive"
_HIT_WAGER_CENTS: Final = 500


def linked_meter(plan: TablePlan) -> str | None:
    """Return the name of the table's meter that feeds the linked progressive, or None."""
    return FEEDS.get(plan.game)


def pool_of(plan: TablePlan, meter: str) -> str:
    """Return the name of the pool that a table's meter feeds: linked meters share a pool, every other has its own."""
    return POOL if meter == linked_meter(plan) else f"{plan.name}.{meter}"


def pool_terms(property_name: str, plans: Iterable[TablePlan], gaming_day: date) -> Iterator[dict[str, Any]]:
    """Yield the terms of a pit's pools as filed. Each pool begins with its meter's reset amount."""
    pools: dict[str, list[tuple[TablePlan, str, int]]] = {}
    for plan in plans:
        for meter, reset_cents in initial_meters(plan).items():
            pools.setdefault(pool_of(plan, meter), []).append((plan, meter, reset_cents))
    for name, feeds in pools.items():
        yield {
            "property": property_name,
            "pool": name,
            "feeds": [{"table": plan.name, "game": plan.game, "meter": meter} for plan, meter, _ in feeds],
            "effective_from": opening(gaming_day).isoformat(),
            "gaming_day": gaming_day.isoformat(),
            "base_cents": feeds[0][2],
            "reset_cents": feeds[0][2],
            "reason": "opening of the pit",
        }


class LinkedTables:
    """The linked tables of a pit during a day; `counts` is the number of rounds by table."""

    def __init__(
        self, property_name: str, plans: Iterable[TablePlan], gaming_day: date, seed: int, counts: Mapping[str, int]
    ) -> None:
        linked = [plan for plan in plans if plan.game in FEEDS]
        self._feeds = {plan.name: FEEDS[plan.game] for plan in linked}
        self._counts = counts
        self._meters = {plan.name: dict(initial_meters(plan)) for plan in linked}
        self._tables = {
            plan.name: TableInPlay(
                property_name=property_name,
                plan=plan,
                gaming_day=gaming_day,
                seed=seed,
                seconds_per_round=pace(counts[plan.name]),
            )
            for plan in linked
        }
        self._dealt: dict[str, deque[Dealt]] = {plan.name: deque() for plan in linked}
        self._shown = next((self._meters[table][meter] for table, meter in self._feeds.items()), 0)
        self._hit_on = next((table for table, meter in self._feeds.items() if meter == _HIT), None)

    @property
    def tables(self) -> Sequence[str]:
        """Return the names of the linked tables."""
        return tuple(self._tables)

    def rounds(self, table: str) -> Iterator[Dealt]:
        """Yield the rounds of one linked table, storing other tables' rounds that must be played in between."""
        dealt = self._dealt[table]
        for _ in range(self._counts[table]):
            while not dealt:
                self._play_next()
            yield dealt.popleft()

    def _play_next(self) -> None:
        playing = [name for name, table in self._tables.items() if table.number <= self._counts[name]]
        name = min(playing, key=lambda one: (self._tables[one].closes_at, one))
        table, meter = self._tables[name], self._feeds[name]
        meters = self._meters[name] | {meter: self._shown}
        hit = name == self._hit_on and table.number == 2 * self._counts[name] // 3
        dealt = table.play(meters, amend=bad_beat if hit else None)
        self._meters[name] = dict(dealt.settlement.meters)
        self._shown = self._meters[name][meter]
        self._dealt[name].append(dealt)


def bad_beat(record: Round) -> Round:
    """Return the round, altered to hit the linked progressive: a player's 20 against a dealer's 21 of seven cards."""
    assert isinstance(record, BlackjackRound)
    first = record.seats[0]
    seat = first.model_copy(
        update={
            "wagers": {"blackjack": first.wagers["blackjack"], _HIT: _HIT_WAGER_CENTS},
            "dealt": ("Kh", "Qd"),
            "hands": (BlackjackHand(cards=("Kh", "Qd")),),
        }
    )
    dealer = Dealer(cards=("2h", "2d", "3c", "2s", "3h", "4d", "5c"))
    return record.model_copy(update={"seats": (seat,), "dealer": dealer})
