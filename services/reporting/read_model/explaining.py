"""The entries behind a figure, each with its contribution, as known at the question's moment."""

from typing import Any, Final

from sqlalchemy import text

from services.reporting.framework.figures import Aggregate
from services.reporting.read_model.reading import Books
from services.reporting.read_model.rounds import LINE_FIGURES, STAKES
from services.reporting.read_model.statements import (
    AMOUNT_ENTRIES,
    CHIPS_ENTRIES,
    LINE_ENTRIES,
    PLAYED_ENTRIES,
    ROUND_ENTRIES,
)
from services.reporting.read_model.sums import AMOUNT_DIMENSIONS, ROUND_DIMENSIONS
from shared.contracts.wager_totals import FIGURES

_PLAYED: Final = {
    "posted": ("1", "sign > 0"),
    "corrected": ("1", "corrected"),
    "reversed": ("1", "sign < 0"),
    "rounds": ("sign", "true"),
    "seats": ("seats", "seats <> 0"),
}
"""What a round contributes to a number of rounds, and which do."""


async def entries_of(books: Books, because: Aggregate) -> list[dict[str, Any]]:
    """Return the entries summed to a figure, each with its contribution, in the order of recording."""
    books = books if because.known_at is None else books.known_at(because.known_at)
    wanted = dict(because.where)
    dimensions = AMOUNT_DIMENSIONS if because.book == "amounts" else (*ROUND_DIMENSIONS, "dealer", "category")
    conditions = "".join(f' AND "{name}"::text = :w_{name}' for name in dimensions if name in wanted)
    [measure] = because.measures
    if because.closed is not None:
        conditions += " AND closed_at > :after AND closed_at <= :until"
    match because.book:
        case "amounts":
            query = AMOUNT_ENTRIES
        case "played":
            value, which = _PLAYED[measure]
            query = PLAYED_ENTRIES.replace("{value}", value).replace("{which}", which)
        case "rounds" if measure == "chips_cents":
            query = CHIPS_ENTRIES
        case "rounds" if measure in FIGURES:
            query = ROUND_ENTRIES.replace("{index}", str(FIGURES.index(measure) + 1))
        case _:
            query = LINE_ENTRIES.replace(
                "{index}", str(("lines", "stakes").count(measure) or LINE_FIGURES.index(measure) + 1)
            )
            conditions += " AND stake <> 0" if measure in STAKES else ""
    parameters = {
        "first": because.first,
        "last": because.last,
        "measure": measure,
        **dict(zip(("after", "until"), because.closed or (), strict=False)),
        **{f"w_{name}": value for name, value in wanted.items()},
    }
    statement = text(query.replace("{where}", conditions))
    used = {name: value for name, value in parameters.items() if f":{name}" in str(statement)}
    return [dict(row._mapping) for row in await books.read(statement, **used)]
