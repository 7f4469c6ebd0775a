"""The recorded results of counted tables on the simulated floor: outcomes of games, with their shoes.

Chance is seeded by the table's name and the gaming day, so that the result does not depend on other tables.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Final

from loadtest.floor.counted_tables import CountedPlan
from loadtest.floor.floor_day import opening
from loadtest.floor.pit import Report
from shared.contracts.envelope import encode, table_source
from shared.contracts.tables import READER

_OUTCOMES: Final[Mapping[str, Mapping[str, int]]] = {"minibaccarat": {"banker": 4586, "player": 4462, "tie": 952}}
"""By kind of game: its outcomes, and how often each occurs in ten thousand games of eight decks."""

_LASTS: Final = timedelta(hours=4)
_EVERY: Final = timedelta(seconds=75)
_DEALT: Final = timedelta(seconds=40)
_OF_SHOE: Final = 72


@dataclass(frozen=True, slots=True)
class ResultsOfDay:
    """The results that a counted table sent on a day, and the number of shoes that ended."""

    table: str
    records: tuple[Report, ...]
    shoes: int

    @classmethod
    def of(cls, property_name: str, plan: CountedPlan, gaming_day: date) -> "ResultsOfDay | None":
        """Return the results of a table's day; None for a kind of game that records no results."""
        outcomes = _OUTCOMES.get(plan.kind)
        if outcomes is None:
            return None
        records = tuple(_records(property_name, plan, gaming_day, outcomes))
        return cls(plan.name, records, len(records) // _OF_SHOE)


def _records(property_name: str, plan: CountedPlan, gaming_day: date, outcomes: Mapping[str, int]) -> Iterator[Report]:
    chance, source = Random(f"{plan.name}/{gaming_day}/results"), table_source(property_name, plan.name)
    for number in range(_LASTS // _EVERY):
        opened_at = opening(gaming_day) + number * _EVERY
        [outcome] = chance.choices([*outcomes], [*outcomes.values()])
        closed_at = opened_at + _DEALT
        document = {
            "specversion": "1.0",
            "id": f"{plan.name}-{number + 1}",
            "source": source,
            "type": "result.recorded",
            "time": closed_at.isoformat(),
            "sequence": number + 1,
            "data": {
                "property": property_name,
                "table": plan.name,
                "game": plan.game,
                "gaming_day": gaming_day.isoformat(),
                "opened_at": opened_at.isoformat(),
                "closed_at": closed_at.isoformat(),
                "dealer_id": f"dealer-{plan.name}-1",
                "outcome": outcome,
                "shoe": f"shoe-{number // _OF_SHOE + 1}",
                "last_of_shoe": number % _OF_SHOE == _OF_SHOE - 1,
            },
        }
        yield Report(source, encode(READER.decode(json.dumps(document).encode())))
