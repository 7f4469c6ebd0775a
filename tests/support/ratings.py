"""Ratings of patrons for tests: what a casino management system sends of a table."""

from datetime import datetime
from typing import Any

from shared.contracts.ratings import rating_source
from tests.support.pit import PROPERTY

TERMS = {"decisions_an_hour": 60, "house_edge": "1.25", "source": "own study of 2025", "first_day": "2020-01-01"}
"""What ratings of a game go by: 60 decisions an hour at 1.25 %."""


class RatedTable:
    """The rating stream of a table, in the order of the calls."""

    def __init__(self, name: str, *, property_name: str = PROPERTY) -> None:
        self.name = name
        self.property = property_name
        self.sequence = 0

    def event(self, kind: str, moment: datetime, rating: str = "R-1", **data: Any) -> dict[str, Any]:
        """The next event of the stream."""
        self.sequence += 1
        said = {"property": self.property, "table": self.name, "rating": rating, "by": "floor.fay"}
        return {
            "specversion": "1.0",
            "id": f"{self.name}-ratings-{self.sequence}",
            "source": rating_source(self.property, self.name),
            "type": f"rating.{kind}",
            "time": moment.isoformat(),
            "sequence": self.sequence,
            "data": said | data,
        }

    def opened(self, moment: datetime, rating: str = "R-1", patron: str = "P-7", **data: Any) -> dict[str, Any]:
        """A patron begins to play."""
        return self.event("opened", moment, rating, patron=patron, **data)
