"""The settled win: handle, payout and win by table, game and wager, and numbers of rounds."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Filled, Made, Section, fill
from services.reporting.framework.figures import Figure, total
from services.reporting.read_model.reading import Books
from services.reporting.reports.common.cells import PITS_OF_TABLE
from services.reporting.reports.common.counted_win import KIND
from services.reporting.reports.common.settled_rounds import settled_rounds
from services.reporting.reports.common.settled_win import (
    MONEY,
    ROUNDS,
    SettledWin,
    lines_identities,
    money,
    rounds_by,
)
from shared.contracts.settlements import SettlementPosted, SettlementReversed, SettlementVoided

_TABLE: Final = Column(name="table", title="Table")
_GAME: Final = Column(name="game", title="Game")

WAGERS: Final = Section(
    name="wagers",
    title="By table, game and wager",
    key=("table", "game", "wager"),
    columns=(_TABLE, _GAME, Column(name="wager", title="Wager"), *MONEY),
)
_WAGERS_BY: Final = ("table_name", "game", "wager")
"""The key of WAGERS, as names of dimensions by which rounds are summed."""

TABLES: Final = Section(name="tables", title="By table", key=("table",), columns=(_TABLE, *ROUNDS, *MONEY))
GAMES: Final = Section(name="games", title="By game", key=("game",), columns=(_GAME, *ROUNDS, *MONEY))


NOT_SETTLED: Final = Section(
    name="not_settled",
    title="Counted tables (without rounds, in no other section)",
    key=("table",),
    columns=(_TABLE, _GAME, KIND, PITS_OF_TABLE),
)


async def _fill(books: Books) -> Content:
    settled = await settled_rounds(books)
    whole = settled.whole()
    totals, wagers = money(whole), settled.by(*_WAGERS_BY)

    def of_wager(place: tuple[str, ...]) -> dict[str, Any]:
        return {**dict(zip(WAGERS.key, place, strict=True)), **money(wagers[place])}

    sections = (
        fill(WAGERS, Made(list(wagers), of_wager), **totals),
        _fill_rounds(TABLES, await rounds_by(books, "table_name"), settled.by("table_name"), totals),
        _fill_rounds(GAMES, await rounds_by(books, "game"), settled.by("game"), totals),
        fill(NOT_SETTLED, _not_settled(books)),
    )
    return Content(sections, await lines_identities(books, whole))


def _not_settled(books: Books) -> Iterator[dict[str, Any]]:
    for table in books.place.tables_on(books.question.last):
        is_asked = books.question.table in (None, table.table) and books.question.game in (None, table.game)
        if is_asked and "counted" in (books.play_of(table.table) or ""):
            kind = books.kind_of(table.table)
            yield {"table": table.table, "game": table.game, "kind": kind, "pit": books.pits_of(table.table)}


def _fill_rounds(
    section: Section,
    rounds: Mapping[str, Mapping[str, Figure]],
    wins: Mapping[tuple[str, ...], SettledWin],
    totals: Mapping[str, Any],
) -> Filled:
    [key] = section.key

    def of_name(name: str) -> dict[str, Any]:
        return {key: name, **rounds[name], **money(wins.get((name,), SettledWin()))}

    counted = {column.name: total(counts[column.name] for counts in rounds.values()) for column in ROUNDS}
    return fill(section, Made(list(rounds), of_name), **counted, **totals)


WIN_AS_SETTLED: Final = Report(
    name="win-as-settled",
    title="Settled win, by table, game and wager",
    about=(
        "Amounts wagered, paid and won, from every settled round: handle, payout, vigorish, players' banks "
        "and meters. Voided and superseded rounds are excluded from all amounts. Counted tables report no "
        "rounds, and are listed."
    ),
    sections=(WAGERS, TABLES, GAMES, NOT_SETTLED),
    sources=(SettlementPosted, SettlementReversed, SettlementVoided),
    fill=_fill,
)
