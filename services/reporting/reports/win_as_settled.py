"""The win as settled: what was wagered, paid and won by table, game and wager, and how many rounds there were."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from services.reporting.books.reading import Books
from services.reporting.kit.definition import Content, Report
from services.reporting.kit.document import Column, Filled, Section, fill
from services.reporting.kit.figures import Figure, share
from services.reporting.reports.settled_rounds import settled_rounds
from services.reporting.reports.settled_win import (
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
TABLES: Final = Section(name="tables", title="By table", key=("table",), columns=(_TABLE, *ROUNDS, *MONEY))
GAMES: Final = Section(name="games", title="By game", key=("game",), columns=(_GAME, *ROUNDS, *MONEY))


async def _fill(books: Books) -> Content:
    settled = await settled_rounds(books)
    whole = settled.whole()
    percent = {"win_percent": share(whole.win, whole.of("handle_cents"))}
    wagers = (
        {"table": table, "game": game, "wager": wager, **money(win)}
        for (table, game, wager), win in settled.by("table_name", "game", "wager").items()
    )
    sections = (
        fill(WAGERS, wagers, **percent),
        _fill_rounds(TABLES, await rounds_by(books, "table_name"), settled.by("table_name"), percent),
        _fill_rounds(GAMES, await rounds_by(books, "game"), settled.by("game"), percent),
    )
    return Content(sections, await lines_identities(books, whole))


def _fill_rounds(
    section: Section,
    rounds: Mapping[str, Mapping[str, Figure]],
    wins: Mapping[tuple[str, ...], SettledWin],
    percent: Mapping[str, Any],
) -> Filled:
    [key] = section.key
    rows: Iterable[dict[str, Any]] = (
        {key: name, **counts, **money(wins.get((name,), SettledWin()))} for name, counts in rounds.items()
    )
    return fill(section, rows, **percent)


WIN_AS_SETTLED: Final = Report(
    name="win-as-settled",
    title="Win as settled, by table, game and wager",
    about=(
        "What was wagered, paid and won, from every settled round: handle, payout, vigorish, banks of players and "
        "meters. A round that is void or superseded has no money in any row."
    ),
    sections=(WAGERS, TABLES, GAMES),
    sources=(SettlementPosted, SettlementReversed, SettlementVoided),
    fill=_fill,
)
