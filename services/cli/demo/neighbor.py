"""The second property of the demo: in Rhode Island, in the same installation, with its own law and clock."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time
from typing import Any, ClassVar, Final

from loadtest.floor.game import TablePlan
from loadtest.floor.games import floor_of
from loadtest.floor.messages import Message
from loadtest.floor.messages import day as messages_of_day
from loadtest.floor.pai_gow import RHODE_ISLAND_PAI_GOW
from loadtest.floor.property import property_document
from loadtest.traffic.reports import total_of
from shared.contracts.properties import PropertyDocument
from shared.jurisdictions import gaming_pack

PROPERTY: Final = "narragansett"
BEGINS: Final = time(3)
"""The start of the neighbor's gaming day, three hours before the other property's."""

_TABLES: Final = 2
_SHARE: Final = 12
"""The neighbor plays one round for this many rounds of the other property."""


@dataclass(frozen=True, slots=True)
class Neighbor:
    """The demo's second property: its tables, its gaming day, and its number of rounds."""

    name: ClassVar = PROPERTY
    plans: tuple[TablePlan, ...]
    gaming_day: date
    rounds: int

    @classmethod
    def beside(cls, gaming_day: date, rounds: int, tables: int) -> "Neighbor":
        """Return a second property, with no more rounds per table than a first with these `rounds` and `tables`."""
        plans = floor_of(RHODE_ISLAND_PAI_GOW, _TABLES)
        return cls(plans, gaming_day, max(_TABLES, min(rounds // _SHARE, _TABLES * rounds // tables)))

    @property
    def document(self) -> PropertyDocument:
        """Return the second property's document."""
        return property_document(PROPERTY, self.plans, self.gaming_day, begins=BEGINS)

    def messages(self, seed: int) -> Iterator[Message]:
        """Return all messages that the second property's tables send."""
        return messages_of_day(
            property_name=PROPERTY,
            plans=self.plans,
            gaming_day=self.gaming_day,
            seed=seed,
            rounds=self.rounds,
            plants=False,
        )


def property_row(document: PropertyDocument, win_as_settled: Mapping[str, Any]) -> dict[str, Any]:
    """Return a property's row in the demo: its law, its clock, and its day's figures in cents."""
    [law] = [gaming_pack(name) for name in document.packs if name != "us-federal"]
    total = total_of(win_as_settled, "tables")
    return {
        "property": document.property,
        "law": law.title,
        "time_zone": document.time_zone,
        "gaming_day_begins": f"{document.gaming_day_begins:%H:%M}",
        "gaming_day": win_as_settled["first_day"],
        "tables": len(document.tables),
        "rounds": total["rounds_counted"],
        "handle_cents": total["handle_cents"],
        "vigorish_cents": total["vigorish_cents"],
        "win_cents": total["win_cents"],
    }
