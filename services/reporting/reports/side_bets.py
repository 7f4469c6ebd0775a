"""Side bets and other wagers: frequency, actual and theoretical win, hits by paytable row."""

from collections.abc import AsyncIterator, Mapping
from fractions import Fraction
from math import sqrt
from typing import Any, Final

from services.reporting.domain.house_edges import HouseEdge
from services.reporting.domain.statistics import Wagers, against_expectation
from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Section, fill
from services.reporting.framework.figures import NOTHING, Cell, Figure, share
from services.reporting.read_model.reading import Books
from services.reporting.reports.common.settled_rounds import SettledRounds, settled_rounds
from services.reporting.reports.common.settled_win import SettledWin, lines_identities
from services.reporting.reports.common.theoretical_win import STATED_HOUSE_EDGE
from shared.contracts.settlements import SettlementPosted, SettlementReversed
from shared.contracts.submissions import SubmissionApproved

_UNDER: Final = ("game", "version", "submission")
_KEY: Final = ("game", "wager", "version", "submission")

_WAGER: Final = (
    Column(name="game", title="Game"),
    Column(name="wager", title="Wager"),
    Column(name="version", title="Version", formula="version of the rules submission in effect for the wager"),
    Column(name="submission", title="Rules submission", formula="hash of the rules submission"),
    Column(name="paytable", title="Paytable"),
)

WAGERS: Final = Section(
    name="wagers",
    title="By game, wager and version",
    key=_KEY,
    columns=(
        *_WAGER,
        Column(
            name="offered",
            title="Offered",
            formula=(
                "as the catalogue defines: required of every player; always on offer; or optional, which is a side bet"
            ),
        ),
        Column(
            name="rounds_offered",
            title="Rounds offered",
            unit="count",
            formula="rounds of the game under this version, without reversed rounds",
        ),
        Column(name="wagers", title="Wagers", unit="count", formula="number of stakes against the house"),
        Column(
            name="utilization_percent",
            title="Utilization %",
            unit="percent",
            formula="wagers / number of required wagers of the game under this version; each hand of a split counts",
        ),
        Column(name="handle_cents", title="Handle", unit="cents", added=True),
        Column(name="payout_cents", title="Payout", unit="cents", added=True),
        Column(
            name="win_cents",
            title="Settled win",
            unit="cents",
            added=True,
            formula="handle + vigorish + house share in banks - payout, before meters",
        ),
        Column(name="win_percent", title="Win %", unit="percent", formula="settled win / handle"),
        Column(
            name="theoretical_win_cents",
            title="Theoretical win",
            unit="cents",
            formula=(
                "handle x house edge, rounded half to even; exact if possible, else the best known edge, else the "
                "licensee's own value; in the total: only wagers that have a house edge, empty if there are none"
            ),
        ),
        Column(
            name="theoretical_error_cents",
            title="Standard error",
            unit="cents",
            formula=(
                "handle x standard error of the house edge, 0 if exact; summed within a wager, square root of the sum "
                "of squares across different wagers"
            ),
        ),
        Column(
            name="theoretical_win_percent",
            title="Theoretical %",
            unit="percent",
            formula="house edge; in the total, weighted by handle",
        ),
        Column(
            name="counted",
            title="House edge method",
            formula=(
                "exactly; sampled or by_model, with a standard error; stated: the licensee's own value; empty: no "
                "house edge"
            ),
        ),
        Column(
            name="difference_cents",
            title="Variance",
            unit="cents",
            formula="settled win - theoretical win, rounded once",
        ),
        Column(name="difference_percent", title="Variance %", unit="percent", formula="variance / handle"),
        Column(
            name="standard_deviations",
            title="Standard deviations",
            formula=(
                "(payout - expected payout) / square root of (exact variance of the return x sum of squared stakes); "
                "positive: players received more than expected"
            ),
        ),
        Column(name="reason", title="Why not exact"),
        Column(
            name="without_house_edge",
            title="Without house edge",
            formula="in the total: wagers without a house edge, each with its share of the handle",
        ),
        STATED_HOUSE_EDGE,
    ),
)
HITS: Final = Section(
    name="hits",
    title="Hits by paytable row",
    key=(*_KEY, "category"),
    columns=(
        *_WAGER,
        Column(name="category", title="Row", formula="paytable row won by the settlement lines"),
        Column(name="wagers", title="Wagers", unit="count"),
        Column(name="hits", title="Hits", unit="count", formula="settlement lines that won the row"),
        Column(name="payout_cents", title="Paid", unit="cents", added=True, formula="including returned stakes"),
        Column(name="probability", title="Probability", formula="exact, counted over all cards from full decks"),
        Column(name="expected_hits", title="Expected hits", formula="wagers x probability, rounded to two decimals"),
        Column(
            name="standard_deviations",
            title="Standard deviations",
            formula="(hits - expected hits) / square root of (wagers x probability x (1 - probability))",
        ),
    ),
)


async def _fill(books: Books) -> Content:
    settled = await settled_rounds(books)
    wins = settled.by(*_KEY)
    played = await books.played(_UNDER)
    required = _required(settled, wins)
    rows = [_wager_row(settled, key, win, played, required) for key, win in wins.items()]
    sections = (
        fill(WAGERS, rows, **_totals(settled.whole())),
        fill(HITS, [row async for row in _hits(books, settled, wins)]),
    )
    return Content(sections, await lines_identities(books, settled.whole()))


def _required(settled: SettledRounds, wins: Mapping[tuple[str, ...], SettledWin]) -> dict[tuple[str, ...], Figure]:
    """Return the stakes of the required wager (if several: the largest), keyed by game, version and submission."""
    found: dict[tuple[str, ...], Figure] = {}
    for (game, wager, version, submission), win in wins.items():
        edge, stakes = settled.edges.get((submission, wager)), win.of("stakes")
        if edge is not None and edge.offered == "required":
            under = (game, version, submission)
            found[under] = max(found.get(under, NOTHING), stakes, key=lambda figure: figure.value)
    return found


def _about(key: tuple[str, ...], edge: HouseEdge | None) -> dict[str, Any]:
    return {**dict(zip(_KEY, key, strict=True)), "paytable": edge and edge.paytable}


def _wager_row(
    settled: SettledRounds,
    key: tuple[str, ...],
    win: SettledWin,
    played: Mapping[tuple[str, ...], Mapping[str, Figure]],
    required: Mapping[tuple[str, ...], Figure],
) -> dict[str, Any]:
    game, wager, version, submission = key
    under, edge = (game, version, submission), settled.edges.get((submission, wager))
    rounds, handle = played.get(under, {}), win.of("handle_cents")
    return {
        **_about(key, edge),
        "offered": edge and edge.offered,
        "rounds_offered": rounds.get("posted", NOTHING) - rounds.get("reversed", NOTHING),
        "wagers": win.of("stakes"),
        "utilization_percent": share(win.of("stakes"), required.get(under, NOTHING)),
        "handle_cents": handle,
        "payout_cents": win.of("payout_cents"),
        "win_cents": win.win,
        **_compared(win),
        "counted": edge and edge.counted,
        "stated_house_edge": win.stated_house_edge,
        "standard_deviations": _deviations(edge, win),
        "reason": settled.reasons.get((game, version, submission, wager)),
    }


def _compared(win: SettledWin) -> dict[str, Figure | Cell]:
    """Return the cells with percentages, and with the comparison of win and theoretical win."""
    return {
        "win_percent": share(win.win, win.of("handle_cents")),
        "theoretical_win_cents": win.theoretical.shown,
        "theoretical_error_cents": win.theoretical.error,
        "theoretical_win_percent": win.theoretical.percent,
        "difference_cents": win.theoretical.difference,
        "difference_percent": win.theoretical.difference_percent,
    }


def _totals(whole: SettledWin) -> dict[str, Figure | Cell]:
    """Return the totals that are not sums of rows, and lists of wagers with no house edge or a licensee's own."""
    names = {"without_house_edge": whole.without_house_edge, "stated_house_edge": whole.stated_house_edge}
    return _compared(whole) | {name: Cell(named) for name, named in names.items()}


def _deviations(edge: HouseEdge | None, win: SettledWin) -> Cell | None:
    """Return the payout's deviation from expectation as a z-score; None without stakes or exact distribution."""
    if edge is None or edge.returns is None or win.of("squared").value <= 0:
        return None
    wagers = Wagers(win.of("stakes").value, win.of("handle_cents").value, win.of("squared").value)
    payout = win.of("payout_cents")
    return Cell(against_expectation(edge.returns, wagers, payout.value).z_shown, payout)


async def _hits(
    books: Books, settled: SettledRounds, wins: Mapping[tuple[str, ...], SettledWin]
) -> AsyncIterator[dict[str, Any]]:
    """Yield the rows of the section HITS: for each wager, the paytable rows that were hit or paid, or can be hit."""
    lines: dict[tuple[str, ...], dict[str, dict[str, Figure]]] = {}
    for (*key, category), figures in (await books.lines((*_KEY, "category"))).items():
        lines.setdefault(tuple(key), {})[category] = figures
    for place, win in wins.items():
        edge, hit = settled.edges.get((place[-1], place[1])), lines.get(place, {})
        for category in sorted({*hit, *_categories(edge)} - {""}):
            figures = hit.get(category, {})
            probability = None if edge is None or edge.returns is None else edge.returns.probability(category)
            hits, paid = figures.get("lines", NOTHING), figures.get("payout_cents", NOTHING)
            if probability == 0 and not paid.value:
                continue  # the category of a losing hand is no row of the paytable
            wagers = win.of("stakes")
            yield {
                **_about(place, edge),
                "category": category,
                "wagers": wagers,
                "hits": hits,
                "payout_cents": paid,
                "probability": None if probability is None else str(probability),
                **_expected(wagers.value, hits, probability),
            }


def _categories(edge: HouseEdge | None) -> set[str]:
    if edge is None or edge.returns is None:
        return set()
    named = {name for hit in edge.returns.hits for name in (hit.won.category, hit.won.bonus)}
    return {name for name in named if name is not None}


def _expected(wagers: int, hits: Figure, probability: Fraction | None) -> dict[str, Any]:
    if probability is None or wagers <= 0:
        return {}
    expected = wagers * probability
    variance = expected * (1 - probability)
    off = float(hits.value - expected) / sqrt(variance) if variance else None
    return {
        "expected_hits": f"{float(expected):.2f}",
        "standard_deviations": None if off is None else Cell(f"{off:+.2f}", hits),
    }


SIDE_BETS: Final = Report(
    name="side-bets",
    title="Side bets and other wagers",
    about=(
        "Each wager under each version of its rules submission: utilization, handle, payout and settled win "
        "against the theoretical win, and the hits of each paytable row against their exact probability. "
        "Deviations assume independent wagers; because wagers of one round, and rounds of one shoe, share "
        "cards, they are slightly too large."
    ),
    sections=(WAGERS, HITS),
    sources=(SettlementPosted, SettlementReversed, SubmissionApproved),
    fill=_fill,
)
