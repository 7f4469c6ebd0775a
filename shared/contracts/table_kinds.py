"""The pit events that a table can have, by its kind: banking, non-banking or fully automated. Pure."""

from datetime import date
from typing import Final, NamedTuple

from shared.contracts import pit
from shared.contracts.properties import PropertyTable
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.topic_reader import kind_of
from shared.rules.errors import Refused


class _Rule(NamedTuple):
    """A rule: pit events that only tables of some classes of revenue have, and why."""

    events: tuple[type[pit.PitData], ...]
    classes: tuple[str, ...]
    why: str


_OF_CHIPS: Final = (
    *(pit.CountedTable, pit.CarriedTable, pit.CarriedFill, pit.ReceivedFill, pit.CarriedCredit),
    *(pit.GivenChips, pit.ChangedChips),
)
_RULES: Final = (
    _Rule((pit.CollectedTime,), ("non_banking",), "players pay for time where they wager against each other"),
    _Rule(
        (pit.DroppedCoupon, pit.VigorishOfRound),
        ("banking", "fully_automated"),
        "their players wager against the house",
    ),
    _Rule(_OF_CHIPS, ("banking", "non_banking"), "a fully automated one has no chips"),
)


def require_of_its_kind(data: pit.PitData, place: PropertySnapshot, day: date) -> None:
    """Raise Refused for a pit event that a table of this kind cannot have on a gaming day."""
    table = place.table_on(data.table, day)
    if table is None:  # near the boundary of a day on which it is in use
        return
    for events, classes, why in _RULES:
        if isinstance(data, events) and table.revenue_class not in classes:
            raise Refused(
                f"{kind_of(type(data))!r} is of {' and '.join(map(_named, classes))} tables: {why}. Table "
                f"{data.table!r} is a {_named(table.revenue_class)} one on {day}, as version {place.document.version} "
                f"of {data.property} says: if it is not, file and approve a version that says so, then replay this "
                "record; otherwise dismiss it"
            )


def why_no_slips(table: PropertyTable) -> str | None:
    """Return why a table has no fills and credits, or None."""
    if not table.fully_automated:
        return None
    return f"table {table.table!r} is fully automated: it has no chips that could be filled or credited"


def _named(revenue_class: str) -> str:
    return revenue_class.replace("_", "-" if revenue_class == "non_banking" else " ")
