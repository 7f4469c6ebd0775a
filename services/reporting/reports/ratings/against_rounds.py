"""Ratings compared with rounds: a patron's play as rated by a floorperson, and as settled."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Section, fill
from services.reporting.framework.figures import Cell, Figure, explained_by
from services.reporting.read_model.reading import Books
from services.reporting.reports.common.settled_play import Play
from services.reporting.reports.common.theoretical_win import STATED_HOUSE_EDGE
from services.reporting.reports.ratings.rated_play import RatedPlay, RatedWagers, all_of, rated_play
from services.reporting.reports.ratings.stated_ratings import Stated, stated_ratings
from shared.contracts.accounts import AccountOpened, PatronRegistered
from shared.contracts.ratings import RatedSpan, RatingStated
from shared.contracts.settlements import SettlementPosted, SettlementReversed
from shared.contracts.submissions import SubmissionApproved
from shared.runtime.http.roles import READ_PATRON_REPORTS

_PATRON: Final = Column(name="patron", title="Patron", formula="by reference")
_BY_RATING: Final = (
    Column(name="rated_bet_cents", title="Average bet, rated", unit="cents"),
    Column(name="rated_decisions", title="Decisions, rated", unit="count", formula="rounded to whole decisions"),
    Column(
        name="rated_win_cents",
        title="Theoretical win, rated",
        unit="cents",
        formula="as stated by the ratings; empty if a factor is unknown",
    ),
)
_BY_ROUNDS: Final = (
    Column(name="rounds", title="Rounds", unit="count", added=True, formula="rounds with a wager tied to the patron"),
    Column(name="handle_cents", title="Handle", unit="cents", added=True, formula="all wagers, including side bets"),
    Column(name="bet_cents", title="Average bet", unit="cents", formula="handle / rounds"),
    Column(name="win_cents", title="Settled win", unit="cents", added=True, formula="handle - payout, before meters"),
    Column(
        name="theoretical_win_cents",
        title="Theoretical win",
        unit="cents",
        formula=(
            "sum over wagers of handle x house edge of the rules submission, rounded half to even; wagers without "
            "a house edge are excluded and listed beside it; empty if there are no others"
        ),
    ),
    Column(
        name="theoretical_error_cents",
        title="Standard error",
        unit="cents",
        formula="standard error of the theoretical win; 0 if all house edges are exact",
    ),
    Column(
        name="without_house_edge",
        title="Without house edge",
        formula="wagers without a house edge, each with its share of the handle",
    ),
    STATED_HOUSE_EDGE,
    Column(
        name="without_edge_percent",
        title="Share of handle without house edge",
        unit="percent",
        formula="handle of wagers without a house edge / handle",
    ),
    Column(
        name="deviation_cents",
        title="Standard deviation",
        unit="cents",
        formula="standard deviation of the win by chance; empty if a wager has no exact distribution",
    ),
)
_TIED_BY: Final = Column(
    name="tied_by",
    title="Tied by",
    formula=(
        "account: wagers from the patron's account; seat: a device of the table signed which patron played in "
        "the seat; or both"
    ),
)
_DIFFERENCE: Final = Column(
    name="difference_cents",
    title="Difference",
    unit="cents",
    formula=(
        "theoretical win, rated - theoretical win; empty if either is, if a wager has no house edge, or if a "
        "span was at a counted table"
    ),
)

SESSIONS: Final = Section(
    name="sessions",
    title="By rating",
    key=("rating",),
    columns=(
        _PATRON,
        Column(name="rating", title="Rating"),
        Column(name="tables", title="Tables", formula="in the order of play"),
        Column(name="opened_at", title="Opened", unit="moment"),
        Column(name="seconds", title="Seconds played", unit="count", added=True, formula="without pauses"),
        *_BY_RATING,
        _TIED_BY,
        Column(
            name="seat_taken_by",
            title="Seat later tied to",
            formula="ratings to which a device later tied the same seat; wagers from then on belong to them",
        ),
        *_BY_ROUNDS,
        _DIFFERENCE,
    ),
)
PATRONS: Final = Section(
    name="patrons",
    title="By patron",
    key=("patron",),
    columns=(
        _PATRON,
        Column(name="ratings", title="Ratings", unit="count", added=True),
        _BY_RATING[-1],
        _TIED_BY,
        *_BY_ROUNDS,
        _DIFFERENCE,
        Column(
            name="unrated_handle_cents",
            title="Handle, not rated",
            unit="cents",
            added=True,
            formula="wagers from accounts on these days outside the time of any rating at the table",
        ),
        Column(
            name="unrated_win_cents",
            title="Theoretical win, not rated",
            unit="cents",
            formula="on the handle not rated, for wagers that have a house edge; empty if there are none",
        ),
        Column(
            name="unrated_without_edge_percent",
            title="Share of handle not rated without house edge",
            unit="percent",
            formula="handle not rated, on wagers without a house edge / handle not rated",
        ),
    ),
)


async def _fill(books: Books) -> Content:
    ratings = await stated_ratings(books)
    played = await rated_play(books)
    return Content((fill(SESSIONS, _sessions(ratings, played)), fill(PATRONS, _patrons(ratings, played))))


def _of_rounds(wagers: RatedWagers, rated: Cell, spans: Iterable[RatedSpan]) -> dict[str, Any]:
    """Return the cells of settled play, and the rated theoretical win less the settled theoretical win.

    Counted tables have no settled rounds. So if all spans are at counted tables, the result is empty; if some are, the
    difference is left out.
    """
    play = wagers.play
    settled_spans = {span.decisions is not None and span.decisions.basis == "rounds" for span in spans}
    if settled_spans == {False} and not play.rounds.value:
        return {}
    settled = play.theoretical.shown
    bet = round(Fraction(play.handle.value, play.rounds.value)) if play.rounds.value else None
    is_whole = False not in settled_spans and not play.theoretical.without
    both = is_whole and isinstance(rated.value, int) and isinstance(settled.value, int)
    return {
        "tied_by": wagers.tied_by,
        "rounds": play.rounds,
        "handle_cents": play.handle,
        "bet_cents": Cell(bet, explained_by(play.handle, play.rounds)),
        "win_cents": play.win,
        "theoretical_win_cents": settled,
        "theoretical_error_cents": play.theoretical.error,
        "without_house_edge": play.without_house_edge,
        "stated_house_edge": play.stated_house_edge,
        "without_edge_percent": play.without_percent,
        "deviation_cents": play.deviation,
        "difference_cents": Cell(_less(rated, settled) if both else None, explained_by(rated, settled)),
    }


def _less(one: Cell, other: Figure | Cell) -> int:
    assert isinstance(one.value, int), "both are known"
    assert isinstance(other.value, int), "both are known"
    return one.value - other.value


def _sessions(ratings: Sequence[Stated], played: RatedPlay) -> Iterator[dict[str, Any]]:
    for listed, fact in ratings:
        because = (listed.entry,)
        rated = Cell(fact.theoretical_win_cents, because)
        counted = [span.decisions for span in fact.spans]
        known = [Fraction(one.number) for one in counted if one is not None]
        decisions = round(sum(known, Fraction(0))) if len(known) == len(counted) else None
        yield {
            "patron": fact.patron,
            "rating": Cell(fact.rating, because),
            "tables": ", ".join(dict.fromkeys(span.table for span in fact.spans)) or fact.table,
            "opened_at": fact.opened_at,
            "seconds": Figure(fact.seconds, because),
            "rated_bet_cents": Cell(fact.average_bet_cents, because),
            "rated_decisions": Cell(decisions, because),
            "rated_win_cents": rated,
            "seat_taken_by": ", ".join(played.taken_by.get(fact.rating, ())) or None,
            **_of_rounds(played.of_rating.get(fact.rating, RatedWagers()), rated, fact.spans),
        }


def _patrons(ratings: Sequence[Stated], played: RatedPlay) -> Iterator[dict[str, Any]]:
    of_patron: Mapping[str, list[Stated]] = defaultdict(list)
    for one in ratings:
        if one.fact.patron is not None:
            of_patron[one.fact.patron].append(one)
    for patron in sorted({*of_patron, *played.unrated}):
        mine = of_patron.get(patron, [])
        because = tuple(one.listed.entry for one in mine)
        wins = [one.fact.theoretical_win_cents for one in mine]
        known = [cents for cents in wins if cents is not None]
        rated = Cell(sum(known) if mine and len(known) == len(wins) else None, because)
        unrated = played.unrated.get(patron, Play())
        wagers = all_of(played.of_rating.get(one.fact.rating, RatedWagers()) for one in mine)
        yield {
            "patron": patron,
            "ratings": Figure(len(mine), because),
            "rated_win_cents": rated,
            **_of_rounds(wagers, rated, (span for one in mine for span in one.fact.spans)),
            "unrated_handle_cents": unrated.handle,
            "unrated_win_cents": unrated.theoretical.shown,
            "unrated_without_edge_percent": unrated.without_percent,
        }


RATINGS_AGAINST_ROUNDS: Final = Report(
    name="ratings-against-rounds",
    title="Ratings against rounds",
    about=(
        "The pit's ratings of patrons against their wagers in the settled rounds of the same tables and "
        "times: average bet, decisions and theoretical win of each rating, the difference, and unrated play. "
        "Wagers from accounts belong to the account's owner. Wagers in chips belong to a patron only if a "
        "device of the table, such as a player-card reader, signed that the patron played in the seat; "
        "otherwise the player is not identified, and the rounds show less than the patron played. Counted "
        "tables have no settled rounds, only ratings."
    ),
    sections=(SESSIONS, PATRONS),
    sources=(RatingStated, SettlementPosted, SettlementReversed, SubmissionApproved, AccountOpened, PatronRegistered),
    fill=_fill,
    periods=("day", "week", "month"),
    role=READ_PATRON_REPORTS,
)
