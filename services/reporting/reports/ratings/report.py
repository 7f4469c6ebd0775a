"""Ratings of patrons as stated by the pit and other systems: time, average bet, theoretical win and its parts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Section, fill
from services.reporting.framework.figures import Cell, Figure
from services.reporting.read_model.reading import Books
from services.reporting.reports.ratings.stated_ratings import (
    Open,
    Stated,
    open_ratings,
    others_of,
    stated_ratings,
    taken_back,
)
from shared.contracts.properties import PropertyApproved
from shared.contracts.ratings import RatedSpan, RatingRecorded, RatingStated
from shared.contracts.reports import percent_of
from shared.contracts.submissions import SubmissionApproved
from shared.runtime.http.roles import READ_PATRON_REPORTS

_PATRON: Final = Column(name="patron", title="Patron", formula="by reference")
_RATING: Final = Column(name="rating", title="Rating")

CLOSED: Final = Section(
    name="ratings",
    title="Closed ratings",
    key=("rating",),
    columns=(
        _PATRON,
        _RATING,
        Column(name="tables", title="Tables", formula="in the order of play"),
        Column(name="opened_at", title="Opened", unit="moment"),
        Column(name="closed_at", title="Closed", unit="moment"),
        Column(name="seconds", title="Seconds played", unit="count", added=True, formula="without pauses"),
        Column(name="buy_in_cents", title="Bought in", unit="cents", added=True),
        Column(name="chips_in_cents", title="Chips in", unit="cents", added=True),
        Column(name="chips_out_cents", title="Chips out", unit="cents", added=True),
        Column(name="average_bet_cents", title="Average bet", unit="cents", formula="weighted by the time played"),
        Column(
            name="theoretical_win_cents",
            title="Theoretical win",
            unit="cents",
            formula=(
                "sum over spans of average bet x decisions x house edge, rounded half to even; empty if a factor is "
                "unknown"
            ),
        ),
        Column(name="problems", title="Problems", formula="contradictions in the rating, and missing items"),
        Column(
            name="rated_too", title="Overlapping ratings", formula="other ratings of the patron open at the same time"
        ),
    ),
)
SPANS: Final = Section(
    name="spans",
    title="Spans and their theoretical win",
    key=("rating", "span"),
    columns=(
        _PATRON,
        _RATING,
        Column(name="span", title="Span", unit="count", formula="number within the rating"),
        Column(name="table", title="Table"),
        Column(name="game", title="Game"),
        Column(name="seat", title="Seat", unit="count"),
        Column(name="tied_by", title="Seat tied by", formula="key of the table's device that signed it"),
        Column(name="begins", title="Begins", unit="moment"),
        Column(name="ends", title="Ends", unit="moment"),
        Column(name="average_bet_cents", title="Average bet", unit="cents"),
        Column(
            name="decisions",
            title="Decisions",
            formula="exact number: settled rounds, or stated decisions per hour x hours",
        ),
        Column(
            name="an_hour",
            title="Stated decisions per hour",
            unit="count",
            formula="decisions per hour; empty if they are counted from settled rounds",
        ),
        Column(name="house_edge", title="House edge", formula="exact"),
        Column(name="house_edge_percent", title="House edge %", unit="percent"),
        Column(
            name="edge_of",
            title="Source of house edge",
            formula="rules submission, wager and how the edge was counted; or stated by the property",
        ),
        Column(name="source", title="Source of stated values", formula="source of the values that the property states"),
        Column(
            name="theoretical_win",
            title="Theoretical win, exact",
            formula="average bet x decisions x house edge, in cents",
        ),
    ),
)
OPEN: Final = Section(
    name="open",
    title="Open ratings",
    key=("rating",),
    columns=(
        _PATRON,
        _RATING,
        Column(name="table", title="Table", formula="current table of the patron"),
        Column(name="opened_at", title="Opened", unit="moment"),
        Column(name="by", title="Opened by"),
        Column(name="problems", title="Problems", formula="why a closed rating is open again"),
    ),
)


async def _fill(books: Books) -> Content:
    found = await stated_ratings(books)
    left, back = await open_ratings(books), await taken_back(books)
    return Content((fill(CLOSED, _ratings(found)), fill(SPANS, _spans(found)), fill(OPEN, _open(left, back))))


def _ratings(ratings: Sequence[Stated]) -> Iterator[dict[str, Any]]:
    others = others_of(ratings)
    for listed, fact in ratings:
        because = (listed.entry,)
        yield {
            "patron": fact.patron,
            "rating": Cell(fact.rating, because),
            "tables": ", ".join(dict.fromkeys(span.table for span in fact.spans)) or fact.table,
            "opened_at": fact.opened_at,
            "closed_at": fact.closed_at,
            "seconds": Figure(fact.seconds, because),
            "buy_in_cents": Figure(fact.buy_in_cents, because),
            "chips_in_cents": Figure(fact.chips_in_cents, because),
            "chips_out_cents": Figure(fact.chips_out_cents, because),
            "average_bet_cents": Cell(fact.average_bet_cents, because),
            "theoretical_win_cents": Cell(fact.theoretical_win_cents, because),
            "problems": ", ".join(fact.problems) or None,
            "rated_too": ", ".join(others.get(fact.rating, ())) or None,
        }


def _spans(ratings: Iterable[Stated]) -> Iterator[dict[str, Any]]:
    for listed, fact in ratings:
        for number, span in enumerate(fact.spans, start=1):
            yield {
                "patron": fact.patron,
                "rating": fact.rating,
                "span": number,
                "table": span.table,
                "game": span.game,
                "seat": span.seat,
                "tied_by": None if span.tie is None else span.tie.device_key,
                "begins": span.begins,
                "ends": span.ends,
                "average_bet_cents": span.average_bet_cents,
                **_parts(span),
                "theoretical_win": Cell(span.theoretical_win_cents, (listed.entry,)),
            }


def _parts(span: RatedSpan) -> Mapping[str, Any]:
    decisions, edge = span.decisions, span.edge
    said: dict[str, Any] = {}
    if decisions is not None:
        said |= {"decisions": decisions.number, "an_hour": decisions.an_hour, "source": decisions.source}
    if edge is not None:
        of_rules = f"version {edge.version}, {edge.wager}, {edge.counted}"
        said |= {
            "house_edge": edge.house_edge,
            "house_edge_percent": percent_of(Fraction(edge.house_edge), 1),
            "edge_of": of_rules if edge.basis == "submission" else "stated",
            "source": edge.source or said.get("source"),
        }
    return said


def _open(left: Iterable[Open], back: Iterable[Stated]) -> Iterator[dict[str, Any]]:
    contradict = {one.fact.rating: one for one in back}
    for opening, rating in left:
        again = contradict.pop(rating.rating, None)
        yield {
            "patron": rating.patron,
            "rating": Cell(rating.rating, (opening.entry,)),
            "table": rating.table,
            "opened_at": rating.opened_at,
            "by": opening.fact.by,
            "problems": None if again is None else ", ".join(again.fact.problems),
        }
    for name, gone in contradict.items():
        problems = ", ".join(gone.fact.problems)
        yield {"patron": gone.fact.patron, "rating": Cell(name, (gone.listed.entry,)), "problems": problems}


RATINGS: Final = Report(
    name="ratings",
    title="Ratings",
    about=(
        "Ratings of patrons: time played, average bet and theoretical win of each closed rating, with every "
        "factor and its source; contradictions, patrons rated at two tables at the same time, and ratings not "
        "closed. Ratings are estimates of the pit; ratings-against-rounds compares them with the settled "
        "rounds."
    ),
    sections=(CLOSED, SPANS, OPEN),
    sources=(RatingRecorded, RatingStated, SubmissionApproved, PropertyApproved),
    fill=_fill,
    periods=("day", "week", "month"),
    role=READ_PATRON_REPORTS,
)
