"""Ratings on a real database: from a casino management system and at the desk, amended, stated, rebuilt."""

from collections.abc import Mapping
from datetime import timedelta
from fractions import Fraction
from typing import Any

import httpx
import pytest

from shared.contracts.ratings import RatingStated, SeatTie
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.topics import RATINGS
from shared.rules import play
from tests.support.asgi import assert_problem
from tests.support.devices import device, registered, system
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Rounds, Table, at
from tests.support.properties import OF_ANY_AGE, property_event
from tests.support.ratings import TERMS, RatedTable
from tests.support.rounds import submission

OPEN = {"property": PROPERTY, "table": "BJ-01", "patron": "P-7", "seat": 3, "average_bet_cents": 50_00}


@pytest.fixture(autouse=True)
def _counted(desk: InventoryDesk) -> None:
    """Two tables are counted, and ratings of their game go by what the property states."""
    tables = {"BJ-01": {"play": "counted"}, "BJ-02": {"play": "counted"}, "BJ-03": {}}
    terms = [{"game": "blackjack", "terms": [TERMS]}]
    desk.desk.feed("properties", property_event(PROPERTY, tables, sequence=2, version=2, rated_games=terms))
    desk.clock.now = at(1)


def stated(desk: InventoryDesk) -> list[RatingStated]:
    """All statements so far."""
    desk.state_ratings()
    found = desk.desk.facts("rating.stated")
    return [one for one in found if isinstance(one, RatingStated)]


def step(desk: InventoryDesk, what: str, hour: float, body: Any = None, *, rating: str = "pit-1") -> dict[str, Any]:
    """A step at the desk, as it happens."""
    desk.clock.now = at(hour)
    return desk.done(f"/ratings/{PROPERTY}/{rating}/{what}", body or {}, person="floor.fay")


def test_a_rating_at_the_desk_is_stated_with_every_part_of_its_theoretical_win(desk: InventoryDesk) -> None:
    """Two hours at 50.00 less a pause of half an hour, then an hour at 100.00 elsewhere: by the property's terms."""
    opened = desk.send("/ratings", OPEN | {"buy_in_cents": 500_00}, person="floor.fay")
    assert (201, f"/ratings/{PROPERTY}/pit-1") == (opened.status_code, opened.headers["location"])
    step(desk, "pause", 2)
    assert "paused" == step(desk, "average-bet", 2.25, {"average_bet_cents": 100_00})["status"]
    step(desk, "resume", 2.5)
    step(desk, "move", 3, {"table": "BJ-02"})
    step(desk, "buy-in", 3.5, {"buy_in_cents": 100_00})
    assert [] == stated(desk)
    assert "closed" == step(desk, "close", 4, {"chips_out_cents": 250_00})["status"]
    [found] = stated(desk)
    parts = [(span.table, span.average_bet_cents, span.theoretical_win_cents) for span in found.spans]
    assert [("BJ-01", 50_00, "3750"), ("BJ-01", 100_00, "3750"), ("BJ-02", 100_00, "7500")] == parts
    assert {("stated", "1/80", "own study of 2025")} == {
        (span.edge.basis, span.edge.house_edge, span.edge.source) for span in found.spans if span.edge is not None
    }
    assert (150_00, 2.5 * 3600, 80_00, 600_00, 250_00) == (
        found.theoretical_win_cents,
        found.seconds,
        found.average_bet_cents,
        found.buy_in_cents,
        found.chips_out_cents,
    )
    assert 0 == desk.state_ratings()
    assert {} == desk.balances()
    read = desk.get(f"/ratings/{PROPERTY}/pit-1", person="host.una").json()
    assert (found.model_dump(mode="json", exclude_none=True), 7) == (read["stated"], len(read["steps"]))
    assert RATINGS.name == desk.desk.manifest.topic_of("ratings/stated") == desk.desk.manifest.topic_of("ratings/0")


def test_a_step_that_does_not_go_with_those_before_is_refused_at_the_desk(desk: InventoryDesk) -> None:
    """With what is the matter; so is a table that is not there, and a rating."""
    desk.done("/ratings", OPEN, person="floor.fay")
    path = f"/ratings/{PROPERTY}/pit-1"
    assert_problem(desk.send(f"{path}/resume", {}, person="floor.fay"), 409, "it is not paused")
    step(desk, "pause", 2)
    assert_problem(desk.send(f"{path}/pause", {}, person="floor.fay"), 409, "it is paused already")
    step(desk, "close", 3)
    assert_problem(desk.send(f"{path}/close", {}, person="floor.fay"), 409, "it is closed")
    assert_problem(desk.send("/ratings", OPEN | {"table": "XX-1"}, person="floor.fay"), 404, "XX-1")
    assert_problem(desk.send(f"/ratings/{PROPERTY}/pit-9/close", {}, person="floor.fay"), 404, "no rating pit-9")
    assert 403 == desk.send("/ratings", OPEN, person="host.una").status_code
    assert 403 == desk.get(path, person="reader").status_code


def test_a_seat_is_one_that_the_table_has(desk: InventoryDesk) -> None:
    """By its positions on the gaming day: of the table that the patron moves to, and that an amendment names."""
    why = "there is no seat 8 at BJ-01: it has 7 'positions' (version 2 of riverbend)"
    assert_problem(desk.send("/ratings", OPEN | {"seat": 8}, person="floor.fay"), 422, why)
    desk.done("/ratings", OPEN | {"seat": 7}, person="floor.fay")
    path = f"/ratings/{PROPERTY}/pit-1"
    moved = desk.send(f"{path}/move", {"table": "BJ-02", "seat": 20}, person="floor.fay")
    assert_problem(moved, 422, "there is no seat 20 at BJ-02")
    amended = {"step": "desk/1", "instead": {"seat": 8}, "reason": "mistyped"}
    assert_problem(desk.send(f"{path}/amend", amended, person="floor.fay"), 422, why)


def test_who_entered_a_step_amends_it_and_a_supervisor_those_of_others(desk: InventoryDesk) -> None:
    """A bet with a zero too many: the figures are as if it had been right, and the step says who amended it and why."""
    desk.done("/ratings", OPEN | {"average_bet_cents": 500_00}, person="floor.fay")
    step(desk, "close", 2)
    assert 375_00 == stated(desk)[-1].theoretical_win_cents
    path = f"/ratings/{PROPERTY}/pit-1"
    right = {"step": "desk/1", "instead": {"average_bet_cents": 50_00}, "reason": "a zero too many"}
    assert_problem(desk.send(f"{path}/amend", right, person="floor.gil"), 422, "desk/1 was entered by floor.fay")
    assert_problem(desk.send(f"{path}/overrule", right, person="floor.gil"), 403, "ratings.amend")
    assert_problem(desk.send(f"{path}/amend", right | {"step": "desk/8"}, person="floor.fay"), 404, "no step 'desk/8'")
    other = right | {"instead": {"chips_out_cents": 1}}
    assert_problem(desk.send(f"{path}/amend", other, person="floor.fay"), 409, "not chips_out_cents")
    later = right | {"instead": {"at": at(9).isoformat()}}
    assert_problem(
        desk.send(f"{path}/amend", later, person="floor.fay"), 409, "'at' 2026-11-20 14:00:00 has not come yet"
    )
    desk.done(f"{path}/amend", right, person="floor.fay")
    assert (2, 37_50) == (stated(desk)[-1].revision, stated(desk)[-1].theoretical_win_cents)
    instead = {"at": at(3).isoformat()}
    desk.clock.now = at(5)
    desk.done(f"{path}/overrule", {"step": "desk/2", "instead": instead, "reason": "left later"}, person="floor.sup")
    assert (3, 75_00) == (stated(desk)[-1].revision, stated(desk)[-1].theoretical_win_cents)
    void = {"step": "desk/2", "reason": "another patron left"}
    assert "open" == desk.done(f"{path}/overrule", void, person="floor.sup")["status"]
    last = stated(desk)[-1]
    assert (4, None, None) == (last.revision, last.closed_at, last.theoretical_win_cents)
    steps = desk.get(path, person="host.una").json()["steps"]
    assert [None, None, "desk/1", "desk/2", "desk/2"] == [one.get("amends") for one in steps]


def amended(
    desk: InventoryDesk, step: str, instead: Mapping[str, Any] | None = None, *, person: str = "floor.fay"
) -> httpx.Response:
    """The answer to an amendment of a step: by a supervisor if it is another one's."""
    what = "amend" if person == "floor.fay" else "overrule"
    body = {"step": step, "reason": "said wrongly"} | ({} if instead is None else {"instead": instead})
    return desk.send(f"/ratings/{PROPERTY}/pit-1/{what}", body, person=person)


def test_the_last_word_on_a_step_is_a_supervisors_unless_another_one_speaks(desk: InventoryDesk) -> None:
    """Whoever was overruled does not overrule in turn, with the role or without it, under whatever spelling."""
    desk.done("/ratings", OPEN, person="floor.sup")
    step(desk, "close", 2)
    for person, cents in (("floor.pat", 60_00), ("floor.pat", 70_00)):
        assert 200 == amended(desk, "desk/1", {"average_bet_cents": cents}, person=person).status_code
    problem = "floor.pat overruled what you said: only another supervisor may amend it again"
    for person in ("floor.sup", "Floor.SUP "):
        assert_problem(amended(desk, "desk/1", {"average_bet_cents": 50_00}, person=person), 403, problem)
    assert 200 == amended(desk, "desk/1", person="floor.ros", instead={"average_bet_cents": 80_00}).status_code
    assert 403 == amended(desk, "desk/1", {"average_bet_cents": 50_00}, person="floor.pat").status_code
    assert 200 == amended(desk, "desk/2", {"at": at(1.5).isoformat()}).status_code
    assert 200 == amended(desk, "desk/2", {"at": at(1.75).isoformat()}, person="floor.pat").status_code
    assert_problem(amended(desk, "desk/2", {"at": at(1.5).isoformat()}), 403, problem)
    last = stated(desk)[-1]
    assert (at(1.75), 80_00) == (last.closed_at, last.average_bet_cents)


def test_an_amended_moment_stays_between_the_steps_before_and_behind_it(desk: InventoryDesk) -> None:
    """And its first and last step on their gaming days: a rating of 25 hours does not come of a typing error."""
    desk.done("/ratings", OPEN, person="floor.fay")
    for hour, what in ((2, "pause"), (2.5, "resume"), (3, "close")):
        step(desk, what, hour)
    desk.clock.now = at(30)
    for name, hour, why in (
        ("desk/1", 2.25, "2026-11-20 07:15:00 is behind step desk/2 (rating.paused) at 2026-11-20 07:00:00"),
        ("desk/2", 2.75, "is behind step desk/3 (rating.resumed)"),
        ("desk/2", 0.5, "is before step desk/1 (rating.opened)"),
        ("desk/4", 2.25, "is before step desk/3 (rating.resumed)"),
        ("desk/1", -22, "2026-11-19 07:00:00 is in gaming day 2026-11-19, and the step was entered for 2026-11-20"),
        ("desk/4", 28, "is in gaming day 2026-11-21, and the step was entered for 2026-11-20"),
        ("desk/1", -60_000, "is in gaming day 2020-01-16"),
    ):
        assert_problem(amended(desk, name, {"at": at(hour).isoformat()}), 409, why)
    for name, hour in (("desk/1", 0.5), ("desk/2", 0.5), ("desk/3", 2.75), ("desk/4", 9)):
        answer = amended(desk, name, {"at": at(hour).isoformat()})
        assert 200 == answer.status_code, answer.text
    assert (6.25 * 3600, ()) == (stated(desk)[-1].seconds, stated(desk)[-1].problems)


def test_amendments_at_the_desk_do_not_contradict_each_other(desk: InventoryDesk) -> None:
    """With the step that would not go with the others; what is void goes from the last step to the first."""
    desk.done("/ratings", OPEN, person="floor.fay")
    for hour, what in ((2, "pause"), (2.5, "resume")):
        step(desk, what, hour)
    step(desk, "average-bet", 2.75, {"average_bet_cents": 60_00})
    step(desk, "close", 3)
    for name, why in (
        ("desk/1", "step desk/2 would not go with that: it is closed, or was not open yet"),
        ("desk/2", "step desk/3 would not go with that: it is not paused"),
    ):
        assert_problem(amended(desk, name), 409, why)
    assert "open" == amended(desk, "desk/5").json()["status"]
    step(desk, "pause", 3.5)
    assert_problem(amended(desk, "desk/3"), 409, "step desk/7 would not go with that: it is paused already")
    assert_problem(amended(desk, "desk/5", {"at": at(2.6).isoformat()}), 409, "is before step desk/4 (rating.bet)")
    for name in ("desk/7", "desk/4", "desk/3", "desk/2", "desk/1"):
        answer = amended(desk, name)
        assert 200 == answer.status_code, answer.text
    assert "void" == answer.json()["status"]


def test_a_rating_that_a_system_moves_to_before_its_property_existed_says_so(desk: InventoryDesk) -> None:
    """The statement is taken back with the problem, and the rating shows it; amended again, it counts again."""
    of_any_age: dict[str, Any] = {"sequence": 3, "version": 3, "plausibility": OF_ANY_AGE}
    terms = [{"game": "blackjack", "terms": [TERMS]}]
    desk.desk.feed(
        "properties", property_event(PROPERTY, {"BJ-01": {"play": "counted"}}, rated_games=terms, **of_any_age)
    )
    here = RatedTable("BJ-01")
    desk.rate(here.opened(at(1), average_bet_cents=50_00), here.event("closed", at(2)))
    assert 37_50 == stated(desk)[-1].theoretical_win_cents
    wrong: dict[str, Any] = {"step": "BJ-01/1", "instead": {"at": "1999-11-20T11:00:00Z"}, "reason": "typed wrongly"}
    desk.rate(here.event("amended", at(3), **wrong))
    last = stated(desk)[-1]
    assert (2, None, ("no_property",)) == (last.revision, last.closed_at, last.problems)
    assert ["no_property"] == desk.get(f"/ratings/{PROPERTY}/R-1", person="host.una").json()["problems"]
    desk.rate(here.event("amended", at(4), **wrong | {"instead": {"at": at(1).isoformat()}}))
    last = stated(desk)[-1]
    assert (3, 37_50, ()) == (last.revision, last.theoretical_win_cents, last.problems)


def test_a_system_reports_in_any_order_and_what_it_sends_twice_counts_once(desk: InventoryDesk) -> None:
    """The move at another table comes first, the opening last; a bet that was typed wrongly is amended."""
    here, there = RatedTable("BJ-01"), RatedTable("BJ-02")
    opened = here.opened(at(2), average_bet_cents=500_00)
    amended = here.event("amended", at(5), step="BJ-01/1", instead={"average_bet_cents": 50_00}, reason="a zero")
    moved, closed = there.event("moved", at(3)), there.event("closed", at(4), chips_out_cents=10_00)
    desk.rate(closed)
    desk.rate(moved, amended)
    assert [] == stated(desk)
    desk.rate(opened, opened, moved)
    [found] = stated(desk)
    assert (("BJ-01", "BJ-02"), 75_00, ()) == (
        tuple(span.table for span in found.spans),
        found.theoretical_win_cents,
        found.problems,
    )
    assert [] == desk.quarantined()
    unknown = RatedTable("XX-1").opened(at(5))
    misplaced = here.event("closed", at(5)) | {"source": there.event("closed", at(5))["source"]}
    desk.rate(unknown, misplaced)
    assert 2 == len(desk.quarantined())


def test_a_patron_rated_at_two_tables_at_once_is_shown_with_both(desk: InventoryDesk) -> None:
    """It is recorded: whoever sees the list finds out which of them is right."""
    for patron, table in (("P-7", "BJ-01"), ("P-7", "BJ-02"), ("P-8", "BJ-02")):
        desk.done("/ratings", OPEN | {"patron": patron, "table": table}, person="floor.fay")
    path = f"/ratings?property={PROPERTY}&gaming_day={DAY}&limit=2"
    first = desk.get(path, person="floor.gil").json()
    second = desk.get(f"{path}&cursor={first['next']}", person="floor.gil").json()
    found = {one["rating"]: one["rated_too"] for one in (*first["items"], *second["items"])}
    assert {"pit-1": ["pit-2"], "pit-2": ["pit-1"], "pit-3": []} == found
    assert 403 == desk.get(path, person="reader").status_code


def edge_of(approved: Mapping[str, Any]) -> Fraction:
    """The house edge of blackjack under a submission, with the best play, counted here."""
    data = SubmissionApproved.model_validate(approved["data"])
    return play(data.regulation, "blackjack", data.submission).house_edge


def test_where_rounds_are_settled_they_and_the_submission_give_decisions_and_edge(desk: InventoryDesk) -> None:
    """Of the rounds closed in the time that counts; one that comes late, or is taken back, states the rating again."""
    rules = submission(tables=["BJ-03"], property=PROPERTY)
    desk.desk.feed("submissions", rules)
    table, rounds = Table("BJ-03"), Rounds()
    desk.settle(*(rounds.posted(table, at(hour), f"r-{hour}", handle=100, payout=0) for hour in (1, 1.5, 2.5, 3.5, 9)))
    rated = RatedTable("BJ-03")
    desk.rate(
        rated.opened(at(1), average_bet_cents=80_00),
        rated.event("paused", at(3)),
        rated.event("closed", at(4)),
    )
    edge = edge_of(rules)
    [first] = stated(desk)
    [span] = first.spans
    assert span.decisions is not None
    assert span.edge is not None
    assert ("rounds", 2) == (span.decisions.basis, span.decisions.rounds)
    assert ("submission", "model", str(edge), "blackjack", rules["data"]["hash"]) == (
        span.edge.basis,
        span.edge.counted,
        span.edge.house_edge,
        span.edge.wager,
        span.edge.submission,
    )
    assert round(2 * 80_00 * edge) == first.theoretical_win_cents
    desk.settle(rounds.posted(table, at(2.75), "r-late", handle=100, payout=0))
    assert round(3 * 80_00 * edge) == stated(desk)[-1].theoretical_win_cents
    desk.settle(rounds.reversed(table, at(10), "r-1.5", handle=100, payout=0))
    assert (3, round(2 * 80_00 * edge)) == (stated(desk)[-1].revision, stated(desk)[-1].theoretical_win_cents)
    desk.settle(rounds.posted(table, at(11), "r-after", handle=100, payout=0))
    assert 0 == desk.state_ratings()


def test_without_a_submission_the_property_states_the_edge_and_without_terms_nothing_does(desk: InventoryDesk) -> None:
    """What lacks is said; a statement that was made before a restart is not made again."""
    rated = RatedTable("BJ-03")
    desk.rate(rated.opened(at(1), average_bet_cents=80_00), rated.event("closed", at(2)))
    [first] = stated(desk)
    assert ("stated", 0) == (first.spans[0].edge and first.spans[0].edge.basis, first.theoretical_win_cents)
    other = RatedTable("BJ-01")
    desk.rate(other.opened(at(1), "R-2"), other.event("closed", at(2), "R-2"))
    assert (None, ("no_bet",)) == (stated(desk)[-1].theoretical_win_cents, stated(desk)[-1].problems)


BORDER = 23
"""The hour at which the next gaming day begins."""
_TERMS = [{"game": "blackjack", "terms": [TERMS]}]


def parts(found: RatingStated) -> list[tuple[Any, ...]]:
    """The spans of a statement: begin, end, game, what decisions and edge are from, theoretical win."""
    return [
        (
            (one.begins - at(0)) / timedelta(hours=1),
            (one.ends - at(0)) / timedelta(hours=1),
            one.game,
            one.decisions and (one.decisions.basis, one.decisions.number),
            one.edge and one.edge.house_edge,
            one.theoretical_win_cents,
        )
        for one in found.spans
    ]


def changed_at_the_border(desk: InventoryDesk, table: Mapping[str, Any], **changes: Any) -> None:
    """From the next gaming day on a version of the property has something else of BJ-01, or of its games."""
    more: dict[str, Any] = {"rated_games": _TERMS} | changes
    when = at(BORDER).isoformat()
    version = property_event(PROPERTY, {"BJ-01": table}, sequence=3, version=3, effective_from=when, **more)
    desk.desk.feed("properties", version)


def test_each_span_goes_by_the_property_of_its_own_gaming_day(desk: InventoryDesk) -> None:
    """Counted until the border, with its rounds from then on: play over the border is cut there, each round once."""
    changed_at_the_border(desk, {})
    desk.clock.now = at(22)
    desk.done("/ratings", OPEN, person="floor.fay")
    table, rounds = Table("BJ-01"), Rounds()
    table.day = "2026-11-21"
    desk.clock.now = at(24)
    moments = (BORDER, 23.25, 23.5, 24)
    desk.settle(*(rounds.posted(table, at(hour), f"r-{hour}", handle=5000, payout=0) for hour in moments))
    step(desk, "pause", 23.5)
    step(desk, "resume", 23.75)
    step(desk, "close", 24.5)
    [found] = stated(desk)
    assert [
        (22, 23, "blackjack", ("stated", "60"), "1/80", "3750"),
        (23, 23.5, "blackjack", ("rounds", "2"), "1/80", "125"),
        (23.75, 24.5, "blackjack", ("rounds", "1"), "1/80", "125/2"),
    ] == parts(found)
    assert (2.25 * 3600, 39_38) == (found.seconds, found.theoretical_win_cents)
    assert 0 == desk.state_ratings()


@pytest.mark.parametrize("versions", [1, 2])
def test_terms_that_change_at_the_border_hold_of_the_play_behind_it(desk: InventoryDesk, versions: int) -> None:
    """Whether the version of the opening had them already, or the next one has: an hour of each, by hand."""
    later = {"first_day": "2026-11-21", "house_edge": "2.50", "decisions_an_hour": 70}
    terms = [{"game": "blackjack", "terms": [TERMS | {"last_day": "2026-11-20"}, TERMS | later]}]
    if versions == 2:
        changed_at_the_border(desk, {"play": "counted"}, rated_games=terms)
    else:
        version = property_event(PROPERTY, {"BJ-01": {"play": "counted"}}, sequence=3, version=3, rated_games=terms)
        desk.desk.feed("properties", version)
    desk.clock.now = at(22)
    desk.done("/ratings", OPEN, person="floor.fay")
    step(desk, "close", 24)
    [found] = stated(desk)
    assert [
        (22, 23, "blackjack", ("stated", "60"), "1/80", "3750"),
        (23, 24, "blackjack", ("stated", "70"), "1/40", "8750"),
    ] == parts(found)
    assert (2 * 3600, 125_00) == (found.seconds, found.theoretical_win_cents)


def test_a_table_that_has_another_game_from_the_border_on_is_rated_by_it(desk: InventoryDesk) -> None:
    """A forgotten closing goes over two borders: each day has its own span."""
    craps = TERMS | {"house_edge": "1.41", "decisions_an_hour": 100}
    games = [{"game": "craps", "kind": "craps"}]
    rated = [*_TERMS, {"game": "craps", "terms": [craps]}]
    changed_at_the_border(desk, {"play": "counted", "game": "craps"}, games=games, rated_games=rated)
    desk.clock.now = at(22)
    desk.done("/ratings", OPEN, person="floor.fay")
    step(desk, "close", BORDER + 25)
    [found] = stated(desk)
    assert [
        (22, 23, "blackjack", ("stated", "60"), "1/80", "3750"),
        (23, 47, "craps", ("stated", "2400"), "141/10000", "169200"),
        (47, 48, "craps", ("stated", "100"), "141/10000", "7050"),
    ] == parts(found)


def test_a_rules_submission_holds_of_the_play_since_it_took_effect(desk: InventoryDesk) -> None:
    """In the midst of a span: each round counts once, under the one or the other."""
    first = submission(tables=["BJ-03"], property=PROPERTY)
    decks: dict[str, Any] = {"submission": {"decks": 8}, "effective_from": at(2).isoformat()}
    second = submission(2, tables=["BJ-03"], property=PROPERTY, version=2, **decks)
    desk.desk.feed("submissions", first, second)
    table, rounds = Table("BJ-03"), Rounds()
    moments = (1.5, 2, 2.5, 2.75, 3)
    desk.settle(*(rounds.posted(table, at(hour), f"r-{hour}", handle=100, payout=0) for hour in moments))
    rated = RatedTable("BJ-03")
    desk.rate(rated.opened(at(1), average_bet_cents=80_00), rated.event("closed", at(3)))
    [found] = stated(desk)
    edges = [edge_of(first), edge_of(second)]
    assert edges[0] != edges[1]
    assert [
        (1, 2, "blackjack", ("rounds", "2"), str(edges[0]), str(2 * 80_00 * edges[0])),
        (2, 3, "blackjack", ("rounds", "3"), str(edges[1]), str(3 * 80_00 * edges[1])),
    ] == parts(found)
    assert (7200, round(80_00 * (2 * edges[0] + 3 * edges[1]))) == (found.seconds, found.theoretical_win_cents)
    assert [1, 2] == [one.edge.version for one in found.spans if one.edge is not None]


@pytest.mark.parametrize("is_listed", [True, False])
def test_a_rating_at_a_table_that_is_retired_is_paused_closed_and_left(desk: InventoryDesk, is_listed: bool) -> None:
    """Whether the table stays listed or not; but nobody opens, resumes or moves a rating there any more."""
    gone = {"BJ-01": {"play": "counted", "retired_on": "2026-11-21"}} if is_listed else {}
    tables = gone | {"BJ-02": {"play": "counted"}}
    when = at(BORDER).isoformat()
    version = property_event(PROPERTY, tables, sequence=3, version=3, effective_from=when, rated_games=_TERMS)
    desk.desk.feed("properties", version)
    desk.clock.now = at(22)
    for _ in range(3):
        desk.done("/ratings", OPEN, person="floor.fay")
    here, there = RatedTable("BJ-01"), RatedTable("BJ-02")
    desk.rate(here.opened(at(22), "R-9", average_bet_cents=50_00))
    step(desk, "buy-in", 24, {"buy_in_cents": 100_00})
    step(desk, "average-bet", 24, {"average_bet_cents": 50_00})
    step(desk, "pause", 24)
    assert_problem(desk.send(f"/ratings/{PROPERTY}/pit-1/resume", {}, person="floor.fay"), 404, "BJ-01")
    assert "closed" == step(desk, "close", 25)["status"]
    assert "BJ-02" == step(desk, "move", 25, {"table": "BJ-02"}, rating="pit-2")["table"]
    step(desk, "close", 26, rating="pit-2")
    assert "closed" == step(desk, "close", 26, rating="pit-3")["status"]
    assert_problem(desk.send("/ratings", OPEN, person="floor.fay"), 404, "BJ-01")
    desk.done("/ratings", OPEN | {"table": "BJ-02"}, person="floor.fay")
    moved = desk.send(f"/ratings/{PROPERTY}/pit-4/move", {"table": "BJ-01"}, person="floor.fay")
    assert_problem(moved, 404, "BJ-01")
    desk.rate(here.event("paused", at(24), "R-9"), here.event("bought_in", at(24), "R-9", buy_in_cents=100_00))
    desk.rate(here.event("closed", at(26), "R-9"))
    assert [] == desk.quarantined()
    right: dict[str, Any] = {"step": "BJ-01/4", "instead": {"at": at(25).isoformat()}, "reason": "left earlier"}
    desk.rate(here.event("amended", at(27), "R-9", **right))
    assert [] == desk.quarantined()
    desk.rate(here.opened(at(26), "R-10"), here.event("resumed", at(26), "R-9"), there.event("moved", at(26), "R-9"))
    assert 2 == len(desk.quarantined())
    last = {one.rating: one for one in stated(desk)}
    ends = {name: (one.closed_at, one.theoretical_win_cents, one.problems) for name, one in last.items()}
    assert ends == {
        "pit-1": (at(25), None, ("no_table",)),
        "pit-2": (at(26), None, ("no_table",)),
        "pit-3": (at(26), None, ("no_table",)),
        "R-9": (at(25), None, ("outside", "no_table")),
    }
    amend: dict[str, Any] = {"step": "desk/2", "instead": {"at": at(BORDER).isoformat()}, "reason": "left at its end"}
    desk.done(f"/ratings/{PROPERTY}/pit-3/overrule", amend, person="floor.sup")
    assert (37_50, ()) == (stated(desk)[-1].theoretical_win_cents, stated(desk)[-1].problems)


def test_a_card_reader_of_the_table_ties_its_seat_and_no_system_or_person_does(desk: InventoryDesk) -> None:
    """By what it signs; a reader of another table is refused, and an amendment at the desk unties the seat."""
    reader, other = "BJ-01-reader", "BJ-02-reader"
    tables = {
        table: {"play": "counted", "devices": [device(registered(kid), signs=("rating.events",), asset_number=kid)]}
        for table, kid in (("BJ-01", reader), ("BJ-02", other))
    }
    casino = system("casino-management", signs=["rating.events"])
    desk.desk.feed("properties", property_event(PROPERTY, tables, sequence=3, version=3, systems=[casino]))
    table = RatedTable("BJ-01")

    def rate(key: str | None, rating: str, patron: str = "P-7") -> None:
        events = table.opened(at(1), rating, patron, seat=3), table.event("closed", at(2), rating)
        desk.clock.now = at(2)
        desk.desk.feed("rating.events", *events, device=key)

    for key, rating in ((reader, "R-1"), ("casino-management", "R-2"), (None, "R-3")):
        rate(key, rating)
    ties = {one.rating: one.spans[0].tie for one in stated(desk)}
    assert {"R-1": SeatTie(device_key=reader, since=at(1)), "R-2": None, "R-3": None} == ties
    assert [] == desk.quarantined()
    rate(other, "R-4")
    assert 2 == len(desk.quarantined())
    assert all("does not speak for this table on rating.events" in reason for reason in desk.quarantined())
    answer = desk.get(f"/ratings/{PROPERTY}/R-1", person="host.una").json()
    assert [reader, reader] == [one["device_key"] for one in answer["steps"]]
    right = {"step": "BJ-01/1", "instead": {"seat": 4}, "reason": "another seat"}
    desk.done(f"/ratings/{PROPERTY}/R-1/overrule", right, person="floor.sup")
    assert (2, 4, None) == (stated(desk)[-1].revision, stated(desk)[-1].spans[0].seat, stated(desk)[-1].spans[0].tie)
