"""Alarms of the statistics as exceptions: since when they are known, who looks into them, of which days they are."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any
from urllib.parse import quote

from tests.support.properties import property_event
from tests.support.published import published
from tests.support.reporting import Books, figure_of, names, rows_of
from tests.support.side_bets import SIDE_BET, evaluate, side_bet_line, side_bet_round
from tests.unit.reporting.entries import DAY, NOON

SEAT = f"hits, BJ-01, seat 1, blackjack, {SIDE_BET}"


def _raise(books: Books) -> int:
    """A seat wins twelve side bets of twelve, and the day is sealed; returns how many alarms that raises."""
    under = books.submit(wagers={SIDE_BET: {"paytable": "D"}})
    won = side_bet_line(1, 1000, "suited_match", 2500)
    books.publish(*(side_bet_round(books, seq, under, won) for seq in range(1, 13)))
    books.close("preliminary", seconds=100)
    books.close("final", seconds=101)
    assert 1 == evaluate(books)
    return len(rows_of(books.report("statistics"), "alarms"))


def _said(books: Books, step: str, seconds: int, **more: Any) -> None:
    """Somebody says who looks into the alarm of the seat, or what was found."""
    at = NOON + timedelta(seconds=seconds)
    fact = {"property": "riverside", "alarm": SEAT, "owner": "watch.max", f"{step}_at": at.isoformat(), **more}
    sequence = next(books.sequences)
    books.desk.feed("inventory", published(f"alarm.{step}", fact, service="table-inventory", sequence=sequence, at=at))


def _listed(books: Books, more: str = "") -> dict[str, dict[str, Any]]:
    return {row["subject"]: row for row in books.exceptions(more) if row["kind"] == "statistical"}


def test_an_alarm_is_owned_and_resolved_like_any_exception(books: Books) -> None:
    """Of its gaming day it is listed for ever, of later ones while it is open; what was known stays as it was."""
    number = _raise(books)
    at_table = sum(1 for subject in _listed(books) if ", BJ-01" in subject)
    assert at_table == _on_the_floor(books)
    _said(books, "owned", 200, named_by="watch.ida")
    later = f"&known_at={quote((NOON + timedelta(seconds=250)).isoformat())}"
    before = books.get(books.path("exceptions", later)).content
    assert ("open", "watch.max", None) == names(_listed(books)[SEAT], "status", "owner", "resolution")
    _said(books, "resolved", 300, conclusion="the dealer exposed the hole card")
    assert before == books.get(books.path("exceptions", later)).content
    alarm = _listed(books)[SEAT]
    assert ("resolved", "watch.max", "the dealer exposed the hole card") == names(
        alarm, "status", "settled_by", "resolution"
    )
    assert ((NOON + timedelta(seconds=300)).isoformat(), 0) == names(alarm, "settled_at", "age_hours")
    explained = books.explain("exceptions", f"over/{alarm['id']}/kind")["entries"]
    assert {("round-settlement", seq) for seq in range(1, 13)} < {names(one, "service", "seq") for one in explained}
    assert 3 == sum(one["service"] == "table-inventory" for one in explained)  # the seal, the owner, the conclusion
    next_day = "/reports/exceptions?property=riverside&gaming_day=2026-11-21"
    of_next = {row["subject"] for row in rows_of(books.get(next_day).json(), "open") if row["kind"] == "statistical"}
    assert _listed(books).keys() - {SEAT} == of_next
    assert (number, number - 1) == (len(_listed(books)), figure_of(books, "pitledger_statistical_alarms_open"))
    assert at_table - 1 == _on_the_floor(books)


def _on_the_floor(books: Books) -> int:
    [table] = [one for one in books.get("/floors/riverside").json()["tables"] if one["table"] == "BJ-01"]
    alarms: int = table["alarms"]
    return alarms


def test_alarms_are_exceptions_from_the_moment_on_at_which_they_were_known(books: Books) -> None:
    """There is none before the first day was sealed."""
    number = _raise(books)

    def known(seconds: int) -> set[str]:
        at = quote((NOON + timedelta(seconds=seconds)).isoformat())
        listed = _listed(books, f"&known_at={at}")
        assert {"2026-11-20T12:01:41+00:00"} >= {one["since"] for one in listed.values()}
        return {subject.partition(",")[0] for subject in listed}

    assert set() == known(100)
    assert {"hits", "returns", "row"} == known(101)
    assert number == figure_of(books, "pitledger_statistical_alarms_open")


def test_days_are_carried_on_in_the_order_in_which_they_are_tested(books: Books) -> None:
    """Also where an earlier day is sealed at the same moment as one that was tested before: nothing is lost."""
    under = books.submit(wagers={SIDE_BET: {"paytable": "D"}})
    before = (date.fromisoformat(DAY) - timedelta(days=1)).isoformat()
    lost = side_bet_line(1, 1000, None, 0)
    books.publish(side_bet_round(books, 1, under, lost), side_bet_round(books, 2, under, lost, day=before))
    for day in (DAY, before):
        books.close("preliminary", seconds=12, day=day)
        books.close("final", seconds=12, day=day)
        assert 1 == evaluate(books)
    tests = {row["test"]: row["observations"] for row in rows_of(books.report("statistics"), "tests")}
    assert 2 == tests["returns"]


def test_a_property_that_is_not_known_keeps_nobody_waiting(books: Books) -> None:
    """Its days, which were sealed first, are tested in their order once its document has come."""
    before = (date.fromisoformat(DAY) - timedelta(days=1)).isoformat()
    elsewhere = replace(books, property_name="elsewhere")
    for day, property_name in ((before, "elsewhere"), (DAY, "elsewhere"), (DAY, "riverside")):
        books.close("preliminary", seconds=1, day=day, property_name=property_name)
        books.close("final", seconds=1, day=day, property_name=property_name)
    assert [1, 0] == [evaluate(books), evaluate(books)]
    books.desk.feed("properties", property_event("elsewhere", sequence=3))
    assert [2, 0] == [evaluate(books), evaluate(books)]
    assert [] == rows_of(elsewhere.report("statistics"), "alarms")
