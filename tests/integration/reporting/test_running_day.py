"""The running gaming day as metrics, on a real database: what tables have come to so far, in bounded labels."""

from datetime import timedelta
from typing import Any

from services.reporting.read_model.running_day import OTHERS, RunningDays, running_days
from tests.support.ledger import counted_day
from tests.support.properties import property_event
from tests.support.reporting import Books, figure_of
from tests.unit.reporting.entries import total

FIGURES = ("win_cents", "handle_cents", "drop_cents", "rake_cents", "rounds")


def _play(books: Books) -> None:
    """A table sells 600 dollars and its rounds win 140 of 540."""
    books.desk.feed("inventory", *counted_day(closer=1_140))
    books.publish(
        books.posted(1, "BJ-01", [total(handle=50_000, payout=40_000)]),
        books.posted(2, "BJ-01", [total(handle=4_000)]),
    )


def _shown(books: Books, table: str, later: timedelta = timedelta(), **labels: str) -> tuple[float | None, ...]:
    """Return what /metrics/business says of a table."""
    of_table = {"property": "riverside", "revenue_class": "banking", "game": "blackjack", "table": table} | labels
    return tuple(figure_of(books, f"pitledger_gaming_day_{name}", later, **of_table) for name in FIGURES)


def _running(books: Books, **bounds: int) -> RunningDays:
    """Return the figures of the gaming days that run now."""

    async def read() -> RunningDays:
        async with books.desk.context.pools.background.connect() as connection:
            return await running_days(connection, books.desk.context.clock(), **bounds)

    found: Any = books.desk.client.run(read())
    assert isinstance(found, RunningDays)
    return found


def test_a_table_says_what_it_has_come_to(books: Books) -> None:
    """Win is that of settled rounds, drop what was sold; one that nobody played at is there, at zero."""
    _play(books)
    assert (14_000, 54_000, 60_000, None, 2) == _shown(books, "BJ-01")
    assert (0, 0, 0, None, 0) == _shown(books, "BJ-02")


def test_money_takes_a_role_and_the_open_metrics_have_none(books: Books) -> None:
    """Whoever reaches the port reads /metrics; what tables come to is for monitoring alone."""
    _play(books)
    assert 14_000 == _shown(books, "BJ-01")[0]
    opened = books.get("/metrics", person=None).text
    assert "pitledger_days_restated" in opened
    assert "pitledger_gaming_day_" not in opened
    refused = [books.get("/metrics/business", person=person).status_code for person in (None, "audit.kim")]
    assert [401, 403] == refused
    assert 'table="BJ-01"} 14000.0' in books.get("/metrics/business", person="watch.prom").text


def test_the_next_gaming_day_begins_at_zero(books: Books) -> None:
    """The figures are of the day that runs, which begins by the clock of the property."""
    _play(books)
    assert (0, 0, 0, None, 0) == _shown(books, "BJ-01", timedelta(days=1))


def test_a_round_that_is_taken_back_is_in_no_figure(books: Books) -> None:
    """A reversal takes back what the round added."""
    _play(books)
    books.publish(books.reversed(3, "BJ-01", [total(handle=4_000)], round_id="r-2"))
    assert (10_000, 50_000, 60_000, None, 1) == _shown(books, "BJ-01")


def test_a_non_banking_table_has_a_rake_and_no_drop(books: Books) -> None:
    """Chips that players buy there to play against each other are nobody's drop."""
    tables = {"PK-01": {"game": "poker", "non_banking": True}, "BJ-01": "blackjack"}
    books.desk.feed("properties", property_event(tables=tables, version=2, sequence=3))
    _play(books)
    poker = {"revenue_class": "non_banking", "game": "poker"}
    assert (0, 0, None, 0, 0) == _shown(books, "PK-01", timedelta(), **poker)
    assert (None,) * len(FIGURES) == _shown(books, "BJ-02")  # it is not there any more


def test_a_counted_table_has_no_win_before_it_is_counted(books: Books) -> None:
    """It reports no rounds: a win of zero would be a figure that nobody knows."""
    tables = {"CR-01": {"game": "craps", "play": "counted"}, "BJ-01": "blackjack"}
    books.desk.feed("properties", property_event(tables=tables, version=2, sequence=3))
    _play(books)
    assert (None, 0, 0, None, 0) == _shown(books, "CR-01", game="craps")
    assert 14_000 == _shown(books, "BJ-01")[0]


def test_tables_beyond_the_limit_are_one(books: Books) -> None:
    """The labels are bounded whatever is filed, and the sums stay what they were."""
    _play(books)
    whole, bounded = _running(books).tables, _running(books, tables_max=1).tables
    assert len(whole) > 10
    own, *others = bounded
    assert OTHERS != own.table
    assert [("lakeside", OTHERS), ("riverside", OTHERS)] == [(one.property, one.table) for one in others]
    for name in ("win_cents", "handle_cents", "drop_cents", "rounds"):
        assert sum(getattr(one, name) for one in whole) == sum(getattr(one, name) for one in bounded) > 0
