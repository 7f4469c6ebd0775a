"""Ratings: the time that counts, the average bet, and the theoretical win, against a count second by second."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from services.table_inventory.domain.ratings import Basis, decisions_of, stated_as, statement
from shared.contracts.derived_rating import RecordedStep, rating_of
from shared.contracts.ratings import RatedEdge, RatingRecorded, RatingStated, RatingValues, StepKind

DAY = date(2026, 11, 20)
NOON = datetime(2026, 11, 20, 17, tzinfo=UTC)
PACE = {"BJ-01": 60, "BJ-02": 73}
EDGE = {"BJ-01": Fraction(1, 80), "BJ-02": Fraction(53, 10_007)}


def after(seconds: float) -> datetime:
    """A moment so many seconds after noon."""
    return NOON + timedelta(seconds=seconds)


def step(number: int, kind: str, seconds: float, table: str = "BJ-01", **said: Any) -> RecordedStep:
    """A recorded step; amendments say what they amend, and may say what is right instead; a device may sign it."""
    more = {name: said.pop(name) for name in ("amends", "reason", "device_key") if name in said}
    event: StepKind = f"rating.{kind}"  # type: ignore[assignment]
    fact = RatingRecorded(
        property="riverbend",
        table=table,
        rating="R-1",
        event=event,
        step=f"{table}/{number}",
        at=after(seconds),
        gaming_day=DAY,
        by="floor.fay",
        values=RatingValues(**said) if said else None,
        **more,
    )
    return RecordedStep(1, number, fact)


def stated(steps: Sequence[RecordedStep], last: RatingStated | None = None) -> RatingStated | None:
    """The statement that is due of steps, at the pace and the edge of the tables."""
    rating = rating_of(steps)
    bases = {
        number: Basis(
            "blackjack",
            decisions_of(span, PACE[span.table], "own study"),
            RatedEdge(basis="stated", house_edge=str(EDGE[span.table]), source="own study"),
        )
        for number, span in enumerate(rating.spans)
    }
    found = stated_as(statement(rating, bases, DAY), last)
    return found[0] if found else None


def exactly(fact: RatingStated) -> Fraction:
    """The exact theoretical win: the sum of its parts."""
    return sum((Fraction(span.theoretical_win_cents or "0") for span in fact.spans), Fraction(0))


def test_the_theoretical_win_is_bet_times_decisions_times_edge_of_each_span() -> None:
    """An hour at 50.00, a pause, half an hour at 100.00 at another table: each part by itself, rounded once."""
    steps = [
        step(1, "opened", 0, patron="P-7", seat=3, average_bet_cents=50_00, buy_in_cents=500_00, chips_in_cents=1_00),
        step(2, "paused", 3600),
        step(3, "resumed", 5000),
        step(1, "moved", 5000, "BJ-02", seat=1),
        step(2, "bet", 5000, "BJ-02", average_bet_cents=100_00),
        step(3, "bought_in", 6000, "BJ-02", buy_in_cents=200_00),
        step(4, "closed", 6800, "BJ-02", chips_out_cents=650_00),
    ]
    found = stated(steps)
    assert found is not None
    first, second = (50_00 * 60 * Fraction(1, 80), 100_00 * Fraction(73, 2) * Fraction(53, 10_007))
    assert [str(first), str(second)] == [span.theoretical_win_cents for span in found.spans]
    assert round(first + second) == found.theoretical_win_cents
    assert (5400, 66_67, 700_00, 1_00, 650_00) == (
        found.seconds,
        found.average_bet_cents,
        found.buy_in_cents,
        found.chips_in_cents,
        found.chips_out_cents,
    )
    assert [("BJ-01", 3), ("BJ-02", 1)] == [(span.table, span.seat) for span in found.spans]
    assert () == found.problems


@st.composite
def timelines(draw: st.DrawFn) -> list[RecordedStep]:
    """Steps that go together, at whole seconds, each at most once a second."""
    moments = draw(st.lists(st.integers(1, 4000), min_size=1, max_size=12, unique=True).map(sorted))
    bets = st.integers(1, 500_00)
    opening = draw(st.none() | bets)
    steps, paused = [step(1, "opened", 0, patron="P-7", average_bet_cents=opening)], False
    for number, moment in enumerate(moments[:-1], start=2):
        kind = draw(st.sampled_from(["moved", "resumed" if paused else "paused", "bet"]))
        table, said = draw(st.sampled_from(sorted(PACE))), {}
        if kind == "bet":
            said["average_bet_cents"] = draw(bets)
        if kind in ("paused", "resumed"):
            paused = not paused
        steps.append(step(number, kind, moment, table, **said))
    return [*steps, step(len(moments) + 1, "closed", moments[-1])]


def by_seconds(steps: Sequence[RecordedStep]) -> tuple[int, Fraction | None]:
    """The seconds that count, and the theoretical win, second by second: what was said last holds."""
    facts = sorted((one.fact for one in steps), key=lambda fact: fact.at)
    bets = [fact.values.average_bet_cents for fact in facts if fact.values and fact.values.average_bet_cents]
    played, won = 0, Fraction(0)
    ends = int((facts[-1].at - NOON).total_seconds())
    for second in range(ends):
        said = [fact for fact in facts if fact.at <= after(second)]
        pauses = [fact.event for fact in said if fact.event in ("rating.paused", "rating.resumed")]
        if pauses and pauses[-1] == "rating.paused":
            continue
        played += 1
        table = [fact.table for fact in said if fact.event in ("rating.opened", "rating.moved")][-1]
        until = [fact.values.average_bet_cents for fact in said if fact.values and fact.values.average_bet_cents]
        if bets:
            won += (until or bets[:1])[-1] * Fraction(PACE[table], 3600) * EDGE[table]
    return played, won if bets else None


@given(timelines(), st.randoms(use_true_random=False))
def test_time_and_theoretical_win_are_those_counted_second_by_second(steps: list[RecordedStep], random: Any) -> None:
    """In whatever order the steps were recorded; pauses are left out, and the first bet holds from the beginning."""
    arrived = list(steps)
    random.shuffle(arrived)
    found = stated([RecordedStep(1, number, one.fact) for number, one in enumerate(arrived)])
    assert found is not None
    seconds, won = by_seconds(steps)
    assert seconds == found.seconds
    if won is None and seconds:
        assert (None, ("no_bet",)) == (found.theoretical_win_cents, found.problems)
    else:
        exact = won or Fraction(0)
        assert (exact, round(exact)) == (exactly(found), found.theoretical_win_cents)


@given(timelines(), st.data())
def test_a_step_that_is_amended_counts_as_if_it_had_been_said_so(
    steps: list[RecordedStep], data: st.DataObject
) -> None:
    """A bet, or a moment, that was typed wrongly; of several amendments the latest counts, whichever came first."""
    number = data.draw(st.integers(0, len(steps) - 1))
    right = steps[number].fact
    typo = right.model_copy(update={"at": right.at + timedelta(seconds=9_000)})
    wrong = [*steps[:number], RecordedStep(1, number, typo), *steps[number + 1 :]]
    amends = {"amends": right.step, "reason": "typed wrongly"}
    last = step(91, "amended", 9_500, **amends, at=right.at)
    before = step(90, "amended", 9_400, **amends, at=right.at + timedelta(seconds=1))
    assert stated(steps) == stated([*wrong, before, last]) == stated([last, before, *wrong])


def test_steps_that_contradict_each_other_change_nothing_and_are_named() -> None:
    """They may still be explained by what comes later: nothing is refused that another system reports."""
    steps = [
        step(1, "opened", 0, patron="P-7", average_bet_cents=10_00),
        step(2, "opened", 10, patron="P-8"),
        step(3, "resumed", 20),
        step(4, "paused", 30),
        step(5, "paused", 40),
        step(6, "closed", 50),
        step(7, "bet", 60, average_bet_cents=99_00),
        step(8, "amended", 70, amends="BJ-01/77", reason="typed wrongly"),
    ]
    found = stated(steps)
    assert found is not None
    assert ("P-7", 30, 10_00) == (found.patron, found.seconds, found.average_bet_cents)
    assert ("opened_twice", "not_paused", "paused_twice", "outside", "amends_nothing") == found.problems


def test_an_amendment_of_a_system_takes_back_no_supervisors_word() -> None:
    """It changes nothing and is named; whoever spoke at the desk may also speak through the system."""
    steps = [step(1, "opened", 0, patron="P-7", average_bet_cents=10_00), step(2, "closed", 60)]
    amends = {"amends": "BJ-01/1", "reason": "typed wrongly"}
    desk = step(3, "amended", 70, **amends, average_bet_cents=20_00).fact
    supervisor = RecordedStep(1, 3, desk.model_copy(update={"step": "desk/1", "by": "floor.sup"}))
    after = step(4, "amended", 80, **amends, average_bet_cents=30_00)
    found = stated([*steps, supervisor, after])
    assert found is not None
    assert (20_00, ("overruled",)) == (found.average_bet_cents, found.problems)
    same = RecordedStep(1, 4, after.fact.model_copy(update={"by": "FLOOR.sup"}))
    found = stated([*steps, supervisor, same])
    assert found is not None
    assert (30_00, ()) == (found.average_bet_cents, found.problems)


def test_what_is_not_open_any_more_is_taken_back_and_what_is_the_same_is_not_stated_again() -> None:
    """A closing that did not happen: the next revision has no end; an opening that did not: no patron either."""
    steps = [step(1, "opened", 0, patron="P-7", average_bet_cents=10_00), step(2, "closed", 60)]
    assert stated(steps[:1]) is None
    first = stated(steps)
    assert first is not None
    assert stated(steps, first) is None
    open_again = stated([*steps, step(3, "amended", 90, amends="BJ-01/2", reason="another patron left")], first)
    assert open_again is not None
    assert (2, None, None, "P-7", DAY) == (
        open_again.revision,
        open_again.closed_at,
        open_again.theoretical_win_cents,
        open_again.patron,
        open_again.gaming_day,
    )
    void = stated([*steps, step(3, "amended", 90, amends="BJ-01/1", reason="another table")], open_again)
    assert void is not None
    assert (3, None, ("outside", "not_opened")) == (void.revision, void.patron, void.problems)


def test_a_rating_that_moves_to_another_gaming_day_is_taken_back_on_the_former_one() -> None:
    """So that each day by itself has what counts of it."""
    first = stated([step(1, "opened", 0, patron="P-7"), step(2, "closed", 60)])
    assert first is not None
    rating = rating_of([step(1, "opened", 0, patron="P-7"), step(2, "closed", 90)])
    back, there = stated_as(statement(rating, {0: Basis()}, date(2026, 11, 19)), first)
    assert (2, DAY, None) == (back.revision, back.gaming_day, back.closed_at)
    assert (3, date(2026, 11, 19), after(90)) == (there.revision, there.gaming_day, there.closed_at)
