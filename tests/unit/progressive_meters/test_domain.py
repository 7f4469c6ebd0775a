"""What moves a pool, exactly; and the money that follows."""

from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.progressive_meters.domain.pools import (
    Moved,
    Pool,
    adjust,
    release,
    reset,
    seed,
    take_back,
    transfer,
)
from services.progressive_meters.domain.rounds import Played, Terms, count_round
from shared.contracts.exact import NANOCENTS, exact_text, nanocents
from shared.contracts.meters import Hit, MeterOfRound, PoolTerms
from shared.contracts.rejection import Rejected
from shared.rules.errors import Refused

TERMS = Terms("pa-633a-2024", "bad_beat_progressive", Fraction("0.205"), None, 500000)
POOL = Pool("riverside", "major", display=nanocents(500000))
VERSION = PoolTerms(
    property="riverside",
    pool="major",
    feeds=(),
    effective_from=datetime(2026, 11, 20, tzinfo=UTC),
    gaming_day=date(2026, 11, 20),
    base_cents=500000,
    reset_cents=500000,
    reason="opening of the pit",
)


def played(stake: int, *, settled: int | None = None, award: int = 0, restored: int = 0) -> Played:
    """A round with one wager, which wins an award."""
    hits = (Hit(seat=3, wager="bad_beat_progressive", category="six", cents=award),) if award else ()
    whole = int(stake * TERMS.rate) if settled is None else settled
    return Played(1, stake, whole, restored, hits, None)


def counted(
    pool: Pool, one: Played, *, table: str = "BJ-01", terms: Terms = TERMS, **changes: int | None
) -> tuple[Moved, MeterOfRound]:
    """Counts a round under the terms, with changes of the pool's own."""
    return count_round(pool, VERSION.model_copy(update=changes), terms, one, table=table)


def legs(moved: Moved) -> dict[tuple[str, str, str], int]:
    """The postings by table, pool and leg; they sum to zero."""
    assert 0 == sum(posting.cents for posting in moved.postings)
    return {
        (posting.account.table, posting.account.wager, posting.account.leg): posting.cents for posting in moved.postings
    }


def test_shares_of_a_cent_are_kept_and_posted_when_they_are_whole() -> None:
    """Twice 20.5 cents: 20 and 21 come onto the meter, each with the 20 of its settlement; the rest is accrued."""
    one, _ = counted(POOL, played(100))
    assert {("", "major", "display"): -20, ("BJ-01", "major", "contribution"): 20} == legs(one)
    assert ("500020.5", 500020) == (one.movement.display_cents, one.movement.shown_cents)
    two, _ = counted(one.pool, played(100), table="BJ-02")
    assert {
        ("", "major", "display"): -21,
        ("BJ-02", "major", "contribution"): 20,
        ("BJ-02", "major", "accrued"): 1,
    } == legs(two)
    assert ("500041", 2) == (two.movement.display_cents, two.pool.number)


def test_a_thousand_rounds_lose_nothing() -> None:
    """A rate of nine decimals, a thousand times: exactly a thousand times the share."""
    terms = replace(TERMS, rate=Fraction("0.000000001"))
    pool = POOL
    for _ in range(1000):
        pool = counted(pool, Played(1, 1, 0, 0, (), None), terms=terms)[0].pool
    assert 1000 == pool.display - POOL.display
    assert (1000, 1000) == (pool.in_count, pool.in_cents)


def test_an_award_of_all_is_paid_and_restored() -> None:
    """The meter pays what it shows and the house restores it; the share of a cent stays on it."""
    pool = replace(POOL, display=POOL.display + nanocents(1234) + NANOCENTS // 2)
    moved, _ = counted(pool, played(200, award=501275, restored=500000))
    assert ("500000.5", 1, 501275) == (moved.movement.display_cents, moved.pool.hits, moved.pool.wins_cents)
    assert {
        ("", "major", "display"): 1234,
        ("BJ-01", "major", "paid"): -501275,
        ("", "major", "reset"): 500000,
        ("BJ-01", "major", "contribution"): 41,
    } == legs(moved)


def test_a_reserve_funds_the_reset_and_may_be_advanced() -> None:
    """The hidden rate goes to the reserve; a reset takes it down, below zero where the house advances the rest."""
    terms = replace(TERMS, rate=Fraction("0.01"), reserve_rate=Fraction("0.01"))
    pool = counted(POOL, played(50000, settled=500), terms=terms)[0].pool
    assert "500" == exact_text(pool.reserve)
    hit, _ = counted(pool, played(0, award=500500, restored=500000), terms=terms)
    assert ("500000", "-499500", "500000") == (
        hit.movement.display_cents,
        hit.movement.reserve_cents,
        hit.movement.reserve_used_cents,
    )
    assert {
        ("", "major", "display"): 500,
        ("", "major", "reserve"): 500000,
        ("BJ-01", "major", "paid"): -500500,
        ("", "major", "reset"): 500000,
        ("BJ-01", "major", "accrued"): -500000,
    } == legs(hit)


@given(
    rounds=st.lists(st.tuples(st.integers(0, 10**6), st.booleans(), st.booleans()), max_size=8),
    rate=st.fractions(0, 1).map(lambda one: Fraction(one.numerator * 10**9 // one.denominator, 10**9)),
    reserve_rate=st.sampled_from([None, Fraction("0.01"), Fraction("0.000000003")]),
    limit_cents=st.sampled_from([None, 500000, 600000]),
)
def test_the_sides_of_a_round_are_those_of_its_settlement(
    rounds: list[tuple[int, bool, bool]], rate: Fraction, reserve_rate: Fraction | None, limit_cents: int | None
) -> None:
    """Contribution, reset and award are what round settlement posts, to the cent, also of what is taken back."""
    terms, pool = replace(TERMS, rate=rate, reserve_rate=reserve_rate), POOL
    for stake, hit, voided in rounds:
        settled = int(stake * rate)
        award = pool.shown_cents + settled if hit and limit_cents is None else 0
        one = played(stake, settled=settled, award=award, restored=500000 if award else 0)
        moved, document = counted(pool, one, terms=terms, limit_cents=limit_cents)
        sides = {leg: cents for (_, _, leg), cents in legs(moved).items()}
        wanted = {"contribution": settled, "paid": -award, "reset": one.reset_cents}
        assert {leg: cents for leg, cents in wanted.items() if cents} == {
            leg: cents for leg, cents in sides.items() if leg in wanted
        }
        pool = moved.pool
        if voided:
            back = take_back(pool, document.movement, table="BJ-01")
            assert {leg: -cents for leg, cents in sides.items() if leg in wanted} == {
                leg: cents for (_, _, leg), cents in legs(back).items() if leg in wanted
            }
            pool = back.pool


def test_what_goes_above_the_limit_overflows() -> None:
    """The display stays at its limit; the rest is on the overflow meter, from where an approved change brings it."""
    moved, _ = counted(POOL, played(100), limit_cents=500010)
    assert ("500010", "10.5") == (moved.movement.display_cents, moved.movement.overflowed_cents)
    with pytest.raises(Rejected, match="the overflow meter of pool major holds 10"):
        release(moved.pool, 11)
    released = release(moved.pool, 10)
    assert ("500020", "0.5") == (released.movement.display_cents, released.movement.overflowed_cents)


def test_an_unreasonable_contribution_is_refused() -> None:
    """Not added, but quarantined with what to do."""
    with pytest.raises(Refused, match="takes 20 cents from a round at most"):
        counted(POOL, played(100), unreasonable_contribution_cents=20)


def test_a_settlement_that_is_not_rate_times_wagers_is_a_finding() -> None:
    """What was settled counts, and the entry says that it is something else."""
    moved, document = counted(POOL, played(100, settled=19))
    assert (("contribution",), "500019") == (document.findings, moved.movement.display_cents)
    _, other = counted(POOL, played(0, restored=500000), reset_cents=400000)
    assert ("reset",) == other.findings


def test_what_is_taken_back_is_taken_back_exactly() -> None:
    """Display, reserve, overflow, counters and postings are as if the round had not been."""
    terms = replace(TERMS, reserve_rate=Fraction("0.000000007"))
    pool = replace(POOL, display=POOL.display + 7)
    moved, document = counted(pool, played(303, settled=62, award=7, restored=3), terms=terms, limit_cents=500030)
    back = take_back(moved.pool, document.movement, table="BJ-01")
    assert replace(pool, number=2) == back.pool
    assert {key: -cents for key, cents in legs(moved).items()} == legs(back)


def test_people_move_meters_by_what_they_show() -> None:
    """Base, transfer, adjustment and reset; never more than a pool shows."""
    fresh = seed(Pool("riverside", "minor"), 120000)
    assert ("120000", {("", "minor", "display"): -120000, ("", "minor", "seed"): 120000}) == (
        fresh.movement.display_cents,
        legs(fresh),
    )
    out, into = transfer(POOL, fresh.pool, 400000)
    assert ("100000", "520000") == (out.movement.display_cents, into.movement.display_cents)
    with pytest.raises(Rejected, match="pool major shows 500000"):
        transfer(POOL, fresh.pool, 500001)
    with pytest.raises(Rejected, match="pool major shows 500000"):
        adjust(POOL, -500001)
    assert "499999" == adjust(POOL, -1).movement.display_cents
    lower = reset(into.pool, 100000)
    assert ("100000", "-420000") == (lower.movement.display_cents, lower.movement.transfer_cents)
    higher = reset(replace(POOL, display=5), 500000)
    assert ("500000", "499999.999999995") == (higher.movement.display_cents, higher.movement.reset_cents)
    assert {("", "major", "display"): -500000, ("", "major", "reset"): 500000} == legs(higher)
