"""What the simulated floor reports beside rounds: poker tables, results of counted tables, rated play."""

from datetime import date
from fractions import Fraction

from loadtest.floor.counted_tables import COUNTED
from loadtest.floor.games import pit
from loadtest.floor.pit import PitBook
from loadtest.floor.poker_tables import POKER
from loadtest.floor.property import property_document
from loadtest.floor.rated_play import rated_plays, rating_records
from loadtest.floor.results import ResultsOfDay
from services.paytable_registry.domain.property_checks import problems
from services.round_settlement.domain.results import Results, count_result
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.ratings import STEPS, RatingReader
from shared.contracts.settlements import ResultCounted
from shared.contracts.tables import READER
from shared.contracts.topics import RATING_EVENTS
from tests.support.properties import approved

DAY = date(2026, 11, 20)
MINIBACCARAT = COUNTED[2]


def _place() -> PropertySnapshot:
    document = property_document("bayside", pit(1), DAY, counted=COUNTED, poker=POKER)
    assert [] == problems(document)
    return PropertySnapshot.of(approved().model_copy(update=dict(document)))


def test_the_boxes_of_a_poker_table_have_the_time_that_was_collected() -> None:
    """All of it, and nothing else; the table has no win, and its tray is as it was."""
    found = PitBook("bayside", (), DAY, poker=POKER).day()
    assert {} == found.tables
    [plan] = POKER
    events = list(found.events({}))
    collected = [event.data for event in events if event.type == "time.collected"]
    cents = sum(one.seats * one.cents_per_seat for one in collected)
    assert {plan.name: cents} == found.poker
    assert cents == sum(box.dropped.rake for box in found.boxes) > 0
    assert 8 == len(collected)
    counts = [
        event.data.contents for event in events if event.type in ("table.opened", "table.counted", "table.closed")
    ]
    assert [counts[0]] * 3 == counts
    assert {True} == {_place().table(event.data.table, DAY).non_banking for event in events}


def test_a_counted_table_records_results_that_are_counted() -> None:
    """Each on the gaming day, in order; a shoe ends after 72 of them. Craps and roulette record none."""
    assert [None, None] == [ResultsOfDay.of("bayside", plan, DAY) for plan in COUNTED[:2]]
    found = ResultsOfDay.of("bayside", MINIBACCARAT, DAY)
    assert found is not None
    assert found == ResultsOfDay.of("bayside", MINIBACCARAT, DAY)
    results, here = Results(), _place()
    facts = [count_result(READER.decode(one.value), results, lambda *_: here).fact for one in found.records]
    assert all(isinstance(fact, ResultCounted) for fact in facts)
    assert (192, 2) == (len(facts), found.shoes)
    assert found.shoes == sum(fact.model_dump()["last_of_shoe"] for fact in facts)
    assert {DAY} == {fact.model_dump()["gaming_day"] for fact in facts}


def test_rated_play_is_sent_by_table_and_comes_to_what_the_property_states() -> None:
    """An hour at $50, a pause, and 75 minutes more: 135 decisions at 1.2 %; the open one is of no time yet."""
    plays = rated_plays("BJ01", "CR01", "RL01")
    reader = RatingReader(RATING_EVENTS, *STEPS)
    events = [reader.decode(one.value) for one in rating_records("bayside", plays, DAY)]
    assert {"BJ01": [1, 2, 3], "CR01": [1, 2, 3, 4], "RL01": [1]} == {
        table: [event.sequence for event in events if event.data.table == table] for table in ("BJ01", "CR01", "RL01")
    }
    settled, counted, going_on = plays
    assert Fraction(135 * 50_00 * 12, 1000) == counted.stated_win(DAY)
    assert [200_00, 300_00] == [bet for _, _, bet in settled.spans(DAY)]
    assert [] == going_on.spans(DAY)
    assert 0 == going_on.stated_win(DAY)
