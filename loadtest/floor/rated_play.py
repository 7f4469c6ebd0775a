"""The rated patrons of the simulated floor, and the rating events that a casino management system sends about them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any, Final

from loadtest.floor.floor_day import opening
from loadtest.floor.pit import Report
from loadtest.floor.pit_table import FLOORPERSON
from shared.contracts.envelope import encode
from shared.contracts.properties import RatedGame, RatingTerms
from shared.contracts.ratings import STEPS, RatingReader, rating_source
from shared.contracts.topics import RATING_EVENTS

DECISIONS_AN_HOUR: Final = 60
HOUSE_EDGE_PERCENT: Final = "1.20"

_READER: Final = RatingReader(RATING_EVENTS, *STEPS)
_Steps = Sequence[tuple[int, str, Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class RatedPlay:
    """A patron's rated play at a table: steps as (minutes since tables opened, kind, values); amounts are cents."""

    rating: str
    patron: str
    table: str
    steps: _Steps

    @property
    def seat(self) -> int:
        """Return the seat in which the rating was opened."""
        _, _, said = self.steps[0]
        return int(said["seat"])

    def spans(self, gaming_day: date) -> list[tuple[datetime, datetime, int]]:
        """Return the spans played as (begin, end, average bet in cents); empty for a rating that is still open."""
        found: list[tuple[datetime, datetime, int]] = []
        since, bet, begins = None, 0, opening(gaming_day)
        for minutes, kind, said in self.steps:
            at = begins + timedelta(minutes=minutes)
            if since is not None and kind in ("bet", "paused", "closed"):
                found.append((since, at, bet))
            bet = said.get("average_bet_cents", bet)
            since = None if kind in ("paused", "closed") else at
        return found if since is None else []

    def stated_win(self, gaming_day: date) -> Fraction:
        """Return the theoretical win in exact cents, from the decisions and the house edge that the property states."""
        decisions = Fraction(DECISIONS_AN_HOUR, 3600)
        played = sum((ends - begins) // timedelta(seconds=1) * bet for begins, ends, bet in self.spans(gaming_day))
        return played * decisions * Fraction(HOUSE_EDGE_PERCENT) / 100


def rated_plays(settled: str, counted: str, going_on: str) -> tuple[RatedPlay, ...]:
    """Return a day's rated plays: at a settled table, at a counted table, and a never closed one at `going_on`."""
    return (
        RatedPlay(
            "R-1",
            "P-1001",
            settled,
            (
                (0, "opened", {"seat": 1, "average_bet_cents": 200_00, "buy_in_cents": 5_000_00}),
                (60, "bet", {"average_bet_cents": 300_00}),
                (150, "closed", {"chips_out_cents": 4_100_00}),
            ),
        ),
        RatedPlay(
            "R-2",
            "P-1002",
            counted,
            (
                (15, "opened", {"seat": 4, "average_bet_cents": 50_00, "buy_in_cents": 500_00}),
                (75, "paused", {}),
                (105, "resumed", {}),
                (180, "closed", {"chips_out_cents": 310_00}),
            ),
        ),
        RatedPlay("R-3", "P-1003", going_on, ((200, "opened", {"seat": 2, "average_bet_cents": 25_00}),)),
    )


def rated_games(games: Sequence[str], since: date) -> tuple[RatedGame, ...]:
    """Return the rating terms of these games for the property document, from `since` on."""
    terms = RatingTerms(
        decisions_an_hour=DECISIONS_AN_HOUR,
        house_edge=HOUSE_EDGE_PERCENT,
        source="this floor, three years",
        first_day=since,
    )
    return tuple(RatedGame(game=game, terms=(terms,)) for game in sorted(set(games)))


def rating_records(property_name: str, plays: Sequence[RatedPlay], gaming_day: date) -> Iterator[Report]:
    """Yield the casino management system's records, each table's stream in order of time."""
    steps: dict[str, list[tuple[int, RatedPlay, str, Mapping[str, Any]]]] = {}
    for play in plays:
        steps.setdefault(play.table, []).extend((minutes, play, kind, said) for minutes, kind, said in play.steps)
    for table, of_table in steps.items():
        source = rating_source(property_name, table)
        for sequence, (minutes, play, kind, said) in enumerate(sorted(of_table, key=lambda one: one[0]), 1):
            document = {
                "specversion": "1.0",
                "id": f"{table}-rating-{sequence}",
                "source": source,
                "type": f"rating.{kind}",
                "time": (opening(gaming_day) + timedelta(minutes=minutes)).isoformat(),
                "sequence": sequence,
                "data": {
                    "property": property_name,
                    "table": table,
                    "rating": play.rating,
                    "by": FLOORPERSON,
                    **({"patron": play.patron} if kind == "opened" else {}),
                    **said,
                },
            }
            yield Report(source, encode(_READER.decode(json.dumps(document).encode())))
