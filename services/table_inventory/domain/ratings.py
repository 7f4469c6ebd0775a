"""The statement of a rating: the time played, the money, the theoretical win. Pure and exact."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final, NamedTuple

from shared.contracts.derived_rating import Rating
from shared.contracts.ratings import (
    RatedDecisions,
    RatedEdge,
    RatedSpan,
    RatingProblem,
    RatingStated,
)

_HOUR: Final = 3600


class Basis(NamedTuple):
    """The basis of a span's theoretical win: game, decisions and house edge, each None if unknown."""

    game: str | None = None
    decisions: RatedDecisions | None = None
    edge: RatedEdge | None = None


def parts_of(span: RatedSpan, moments: Iterable[datetime]) -> list[RatedSpan]:
    """Return the parts of a span, cut at those `moments` that lie inside it."""
    cuts = sorted({moment for moment in moments if span.begins < moment < span.ends})
    times = pairwise((span.begins, *cuts, span.ends))
    return [span.model_copy(update={"begins": begins, "ends": ends}) for begins, ends in times]


def decisions_of(span: RatedSpan, an_hour: int, source: str) -> RatedDecisions:
    """Return the number of decisions in a span, computed from `an_hour` decisions per hour as stated in `source`."""
    number = an_hour * span.seconds / _HOUR
    return RatedDecisions(basis="stated", number=str(number), an_hour=an_hour, source=source)


def theoretical_win(span: RatedSpan) -> Fraction | None:
    """Return average bet × decisions × house edge of a span in exact cents; None if one of the three is unknown.

    >>> from datetime import UTC, datetime, timedelta
    >>> ten = datetime(2026, 11, 20, 10, tzinfo=UTC)
    >>> span = RatedSpan(table="BJ-01", begins=ten, ends=ten + timedelta(minutes=90), average_bet_cents=5000)
    >>> edge = RatedEdge(basis="stated", house_edge="3/400", source="own study")
    >>> theoretical_win(span.model_copy(update={"decisions": decisions_of(span, 60, "own study"), "edge": edge}))
    Fraction(3375, 1)
    """
    if span.average_bet_cents is None or span.decisions is None or span.edge is None:
        return None
    return span.average_bet_cents * Fraction(span.decisions.number) * Fraction(span.edge.house_edge)


def _lacks(span: RatedSpan) -> Iterable[RatingProblem]:
    if span.average_bet_cents is None:
        yield "no_bet"
    if span.game is None:
        yield "no_table"
        return
    if span.decisions is None:
        yield "no_decisions"
    if span.edge is None:
        yield "no_edge"


def problems_of(rating: Rating, *, has_property: bool) -> list[RatingProblem]:
    """Return the problems of a rating without duplicates.

    `has_property`: the property existed when the rating was opened.
    """
    found = [one.problem for one in rating.contradictions]
    if rating.opened_at is None:
        found.append("not_opened")
    elif not has_property:
        found.append("no_property")
    return list(dict.fromkeys(found))


def statement(rating: Rating, bases: Mapping[int, Basis], gaming_day: date | None) -> Mapping[str, Any]:
    """Return the fields of a rating's statement, all those of `RatingStated` except its revision.

    `bases` has the basis of each span, by index. `gaming_day` is the day of the opening; None if the rating was never
    opened, or the property did not exist then. The statement of a rating that is not closed has problems but no
    figures. The theoretical win of the rating is None if that of any span is None.
    """
    said: dict[str, Any] = {"property": rating.property, "rating": rating.rating, "patron": rating.patron}
    if gaming_day is None or rating.opened_at is None or rating.closed_at is None:
        return said | {"problems": tuple(problems_of(rating, has_property=gaming_day is not None))}
    spans: list[RatedSpan] = []
    total: Fraction | None = Fraction(0)
    problems = problems_of(rating, has_property=True)
    for number, span in enumerate(rating.spans):
        counted = span.model_copy(update=bases[number]._asdict())
        won = theoretical_win(counted)
        total = None if total is None or won is None else total + won
        spans.append(counted.model_copy(update={"theoretical_win_cents": None if won is None else str(won)}))
        problems += _lacks(counted)
    seconds = sum((span.seconds for span in spans), Fraction(0))
    bets = [(span.seconds, span.average_bet_cents) for span in spans if span.average_bet_cents is not None]
    played = sum((took for took, _ in bets), Fraction(0))
    return said | {
        "gaming_day": gaming_day,
        "table": rating.table,
        "opened_at": rating.opened_at,
        "closed_at": rating.closed_at,
        "seconds": round(seconds),
        "buy_in_cents": rating.buy_in_cents,
        "chips_in_cents": rating.chips_in_cents,
        "chips_out_cents": rating.chips_out_cents,
        "average_bet_cents": round(sum(took * cents for took, cents in bets) / played) if played else None,
        "theoretical_win_cents": None if total is None else round(total),
        "spans": tuple(spans),
        "problems": tuple(dict.fromkeys(problems)),
    }


def stated_as(said: Mapping[str, Any], last: RatingStated | None) -> Sequence[RatingStated]:
    """Return the statements due for a rating with the fields `said`; none if the last statement has the same fields.

    A rating that was never closed needs no statement. If a closed rating is open again, a statement records it as open
    on its former day. If a rating moved to another gaming day, a first statement records it as open on its former day,
    and a second one records it on the new day, so that each day has only its own ratings.
    """
    if last is None and said.get("closed_at") is None:
        return ()
    if last is not None and last.closed_at is not None and said.get("gaming_day", last.gaming_day) != last.gaming_day:
        back = {name: getattr(last, name) for name in ("property", "rating", "gaming_day", "patron")}
        gone = RatingStated(**back, revision=last.revision + 1)
        return gone, RatingStated(**said, revision=gone.revision + 1)
    revision = 1 if last is None else last.revision + 1
    day = {} if last is None else {"gaming_day": last.gaming_day}
    fact = RatingStated(**day | dict(said), revision=revision)
    if last is not None and fact == last.model_copy(update={"revision": revision}):
        return ()
    return (fact,)
