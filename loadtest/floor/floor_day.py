"""The tables of a floor during a gaming day: every round of every table, with its settlement.

Deterministic: the result depends only on the arguments. Chance comes from `random.Random`, seeded by the seed and the
table's name, so that a table's rounds do not depend on other tables.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter

from loadtest.floor.game import TablePlan
from loadtest.floor.players import Player, Seats
from shared.contracts.tables import Played
from shared.jurisdictions import begins_at
from shared.rules import Round, Settlement, catalogue, compile_rules
from shared.rules.submission import select

TIME_ZONE: Final = ZoneInfo("America/New_York")
BEGINS: Final = time(6)
"""The hour by the property's clock at which the gaming day begins and all tables open."""

SECONDS_PER_ROUND: Final = 60.0
_SECONDS_OF_PLAY: Final = 20 * 3600.0
"""The seconds of play in a gaming day. Tables whose rounds do not fit at the usual pace play faster."""
_PACE: Final = (0.75, 1.25)
"""The range of the time from a round's opening to the next opening, as a factor of `SECONDS_PER_ROUND`."""
_DEALING: Final = 0.8

DEALER_ROUNDS: Final = 40
"""The number of rounds after which a dealer leaves the table."""

Amend = Callable[[Round], Round]
"""A function that receives a played round, and returns the record with changes."""

_played: Final[TypeAdapter[Played]] = TypeAdapter(Played)


@dataclass(frozen=True, slots=True)
class Dealt:
    """A round as reported by its table, its settlement, and the number of the shuffle."""

    data: Played
    settlement: Settlement
    shoe: int


def opening(gaming_day: date) -> datetime:
    """Return the time at which the tables open on a gaming day."""
    return begins_at(gaming_day, TIME_ZONE, BEGINS)


def pace(rounds: int) -> float:
    """Return the seconds from round to round at a table with this many rounds in a gaming day."""
    return min(SECONDS_PER_ROUND, _SECONDS_OF_PLAY / max(rounds, 1))


class TableInPlay:
    """A table that is played round by round from its opening. `closes_at` is the next round's closing time."""

    def __init__(
        self,
        *,
        property_name: str,
        plan: TablePlan,
        gaming_day: date,
        seed: int,
        seconds_per_round: float = SECONDS_PER_ROUND,
    ) -> None:
        self._property = property_name
        self._plan = plan
        self._gaming_day = gaming_day
        self._seconds_per_round = seconds_per_round
        self._chance = Random(f"{seed}/{plan.name}")
        self._settling = compile_rules(plan.regulation, plan.submission)
        self._dealing = plan.kind.open_table(plan.submission, self._chance)
        self._seats = Seats(
            table=plan.name,
            seats=plan.seats,
            minimum_cents=plan.minimum_cents,
            side_bets=self._dealing.side_bets,
            habits=plan.kind.habits,
            chance=self._chance,
        )
        self._opens_at = opening(gaming_day)
        self._number = 0
        self._begin()

    @property
    def number(self) -> int:
        """Return the number of the next round, from 1."""
        return self._number

    @property
    def closes_at(self) -> datetime:
        """Return the closing time of the next round."""
        return self._opens_at + timedelta(seconds=round(self._seconds * _DEALING, 3))

    def play(self, meters: Mapping[str, int], *, amend: Amend | None = None) -> Dealt:
        """Play the next round. `meters` are the meter displays before it; `amend` changes its record."""
        plan, number = self._plan, self._number
        shoe_number = self._dealing.shoe
        players = self._seats.before_round()
        record = self._dealing.play(players, meters)
        if amend is not None:
            record = amend(record)
        settlement = self._settling.settle(record)
        data = _played.validate_python(
            {
                "property": self._property,
                "table": plan.name,
                "game": plan.game,
                "gaming_day": self._gaming_day,
                "round_id": f"{plan.name}-{self._gaming_day:%Y%m%d}-{number:05}",
                "regulation": plan.regulation,
                "opened_at": self._opens_at,
                "closed_at": self.closes_at,
                "dealer_id": f"dealer-{plan.name}-{(number - 1) // DEALER_ROUNDS % 4 + 1}",
                "account_funded": tuple(_funding(record, players, plan.kind.electronic)),
                "round": record,
            }
        )
        self._opens_at += timedelta(seconds=round(self._seconds, 3))
        self._begin()
        return Dealt(data, settlement, shoe_number)

    def _begin(self) -> None:
        self._number += 1
        if self._number > 1 and self._number % DEALER_ROUNDS == 1:
            self._dealing.relieve()
        self._seconds = self._seconds_per_round * self._chance.uniform(*_PACE)


def table_rounds(
    *,
    property_name: str,
    plan: TablePlan,
    gaming_day: date,
    seed: int,
    seconds_per_round: float = SECONDS_PER_ROUND,
    amend: Amend | None = None,
) -> Iterator[Dealt]:
    """Yield the rounds of one table from its opening, endlessly.

    Each meter begins at its reset amount, and each record contains the meter displays before its round. `amend` changes
    the record of each round.
    """
    table = TableInPlay(
        property_name=property_name,
        plan=plan,
        gaming_day=gaming_day,
        seed=seed,
        seconds_per_round=seconds_per_round,
    )
    meters = initial_meters(plan)
    while True:
        dealt = table.play(meters, amend=amend)
        yield dealt
        meters = dealt.settlement.meters


def initial_meters(plan: TablePlan) -> Mapping[str, int]:
    """Return the meter displays of a table at its first opening, in cents by meter: the reset amounts."""
    selection = select(catalogue(plan.regulation), plan.submission)
    return {name: offer.meter.reset for name, offer in selection.offers.items() if offer.meter is not None}


def _funding(record: Round, players: Sequence[Player], electronic: frozenset[str]) -> Iterator[dict[str, object]]:
    """Yield the electronic wagers of a round, each with the account that funds it."""
    accounts = {player.seat: player.account for player in players}
    for seat in record.seats:
        for wager, cents in seat.wagers.items():
            if wager in electronic:
                yield {"seat": seat.seat, "wager": wager, "account": accounts[seat.seat], "cents": cents}
