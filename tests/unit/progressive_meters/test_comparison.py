"""What tables said beside the ledger's own reading, in the order in which things happened."""

from dataclasses import replace
from datetime import date

from services.progressive_meters.domain.comparison import Reading, Step, differences
from shared.contracts.exact import NANOCENTS, nanocents
from tests.unit.progressive_meters.settlements import moment


def reading(number: int, table: str, before: int, *, opened: float, closed: float, settled: int = 20) -> Reading:
    """A reading before a round that adds so many cents."""
    return Reading(
        pool="major",
        meter="bad_beat_progressive",
        table=table,
        game="blackjack",
        gaming_day=date(2026, 11, 20),
        round_id=f"r-{number}",
        number=number,
        opened_at=moment(opened),
        closed_at=moment(closed),
        before_cents=before,
        after_cents=before + settled,
        settled_cents=settled,
        award_cents=0,
        reset_cents=0,
    )


def step(number: int, table: str, closed: float, nanos: int) -> Step:
    """What that round did."""
    return Step(moment(closed), number, table, f"r-{number}", nanos)


HALF = 20 * NANOCENTS + NANOCENTS // 2
OPENING = nanocents(1000)


def test_the_share_of_a_cent_shows_when_it_is_whole() -> None:
    """Two rounds of 20.5 cents: the third finds 41 more."""
    steps = [step(number, "A", number + 0.5, HALF) for number in (1, 2, 3)]
    said = [reading(n, "A", before, opened=n, closed=n + 0.5) for n, before in ((1, 1000), (2, 1020), (3, 1041))]
    assert [] == differences(said, OPENING, steps)


def test_a_reading_that_is_not_the_ledgers_is_found_whatever_the_order_of_arrival() -> None:
    """A cent too little in the second round of the table."""
    steps = [step(number, "A", number + 0.5, HALF) for number in (3, 1, 2)]
    said = [reading(n, "A", before, opened=n, closed=n + 0.5) for n, before in ((1, 1000), (2, 1019), (3, 1041))]
    [found] = differences(said, OPENING, steps)
    assert ("r-2", 1020, 1040) == (found.reading.round_id, found.ledger_before_cents, found.ledger_after_cents)


def test_linked_tables_add_while_a_round_is_played() -> None:
    """The reading may hold what another table added meanwhile, or not; but all that happened before."""
    steps = [step(1, "A", 1.5, HALF), step(2, "B", 2.5, HALF), step(3, "A", 4, HALF)]
    during = reading(3, "A", 1020, opened=2, closed=4)
    assert [] == differences([during], OPENING, steps)
    assert [] == differences([replace(during, before_cents=1041, after_cents=1061)], OPENING, steps)
    stale = replace(during, before_cents=1000, after_cents=1020)
    assert [1041] == [one.ledger_before_cents for one in differences([stale], OPENING, steps)]
    later = reading(3, "A", 1020, opened=3, closed=4)
    assert [1041] == [one.ledger_before_cents for one in differences([later], OPENING, steps)]


def test_the_same_table_knows_what_it_did_itself() -> None:
    """A round that closed at the moment when the next opened is in its reading."""
    steps = [step(1, "A", 1, HALF), step(2, "A", 2, HALF)]
    said = reading(2, "A", 1000, opened=1, closed=2)
    assert [1020] == [one.ledger_before_cents for one in differences([said], OPENING, steps)]


def test_a_settlement_that_does_not_follow_from_the_reading_is_found() -> None:
    """The reading before is right, the one after is not what the round came to."""
    said = replace(reading(1, "A", 1000, opened=1, closed=1.5), after_cents=1021)
    [found] = differences([said], OPENING, [step(1, "A", 1.5, HALF)])
    assert (1000, 1020) == (found.ledger_before_cents, found.ledger_after_cents)


def test_a_corrected_round_is_compared_at_its_own_time() -> None:
    """What was taken back and counted again later is not in the reading of the round itself."""
    steps = [
        step(1, "A", 1.5, HALF),
        step(2, "A", 2.5, HALF),
        Step(moment(9), 3, "A", "r-2", -HALF),
        Step(moment(9), 4, "A", "r-2", 2 * HALF),
    ]
    said = replace(reading(4, "A", 1020, opened=2, closed=2.5), round_id="r-2")
    assert [] == differences([said], OPENING, steps)
