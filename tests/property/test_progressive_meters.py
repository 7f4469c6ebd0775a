"""Any sequence of rounds, voids and approved changes leaves pools exact and their books balanced."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from services.progressive_meters.domain.pools import (
    Moved,
    Pool,
    adjust,
    delta_of,
    release,
    reset,
    seed,
    take_back,
    transfer,
)
from services.progressive_meters.domain.rounds import Played, Terms, count_round
from services.reporting.read_model.meters import ON_DISPLAY, amounts_of_movement
from shared.contracts.exact import NANOCENTS, exact_text, nanocents, parse_exact, shown
from shared.contracts.meters import Hit, Movement, PoolTerms
from shared.journal.entry import Posting

RATES = st.integers(1, 10**9).map(lambda nano: Fraction(nano, 10**9))
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["round", "round", "round", "hit", "part", "void", "transfer", "adjust", "reset", "release"]),
        st.integers(1, 10**7),
        st.integers(0, 1),
    ),
    max_size=40,
)


class Books:
    """Two pools, everything that moved them, and all postings."""

    def __init__(self, rate: Fraction, reserve_rate: Fraction | None, limit: int | None) -> None:
        self.terms = Terms("pa-633a-2024", "meter", rate, reserve_rate, 100000)
        self.version = PoolTerms(
            property="riverside",
            pool="one",
            feeds=(),
            effective_from=datetime(2026, 11, 20, tzinfo=UTC),
            gaming_day=date(2026, 11, 20),
            base_cents=100000,
            reset_cents=100000,
            limit_cents=limit,
            reason="opening of the pit",
        )
        self.pools = [Pool("riverside", name) for name in ("one", "two")]
        self.postings: list[Posting] = []
        self.movements: list[Movement] = []
        self.standing: list[Movement] = []
        for pool in tuple(self.pools):
            self.take(seed(pool, 100000))

    def take(self, moved: Moved) -> None:
        """Makes a movement."""
        self.pools = [moved.pool if one.name == moved.pool.name else one for one in self.pools]
        self.movements.append(moved.movement)
        self.postings += moved.postings
        assert 0 == sum(posting.cents for posting in moved.postings)

    def play(self, pool: Pool, cents: int, award: int) -> None:
        """Counts a round; an award of all is restored."""
        restored = self.version.reset_cents if award and award == self.after_wagers(pool, cents) else 0
        hits = (Hit(seat=1, wager="meter", cents=award),) if award else ()
        played = Played(1, cents, int(cents * self.terms.rate), restored, hits, None)
        moved, document = count_round(pool, self.version, self.terms, played, table="BJ-01")
        assert () == document.findings
        self.take(moved)
        self.standing.append(document.movement)

    def after_wagers(self, pool: Pool, cents: int) -> int:
        """What a table shows after the wagers of a round."""
        return pool.shown_cents + int(cents * self.terms.rate)

    def step(self, what: str, cents: int, which: int) -> None:
        """One of the steps; one that cannot be made is left out."""
        pool, other = self.pools[which], self.pools[1 - which]
        match what:
            case "round":
                self.play(pool, cents, 0)
            case "hit":
                self.play(pool, cents, max(self.after_wagers(pool, cents), 0))
            case "part":
                self.play(pool, cents, max(self.after_wagers(pool, cents) // 10, 0))
            case "void" if self.standing:
                movement = self.standing.pop(cents % len(self.standing))
                named = {one.name: one for one in self.pools}
                self.take(take_back(named[movement.pool], movement, table="BJ-01"))
            case "transfer" if cents <= pool.shown_cents:
                for moved in transfer(pool, other, cents):
                    self.take(moved)
            case "adjust":
                self.take(adjust(pool, cents))
            case "reset":
                self.take(reset(pool, self.version.reset_cents))
            case "release" if cents <= shown(pool.overflow):
                self.take(release(pool, cents))


def displayed(movements: Iterable[Movement]) -> int:
    """Return what a display comes to by the measures of reporting, in nanocents."""
    measured: Counter[str] = Counter()
    for movement in movements:
        for amount in amounts_of_movement(movement):
            measured[amount.measure] += amount.value
    return sum(measured[name] for name in ON_DISPLAY) - nanocents(measured["meter_award_cents"])


@given(RATES, st.none() | RATES, st.none() | st.integers(100000, 10**7), STEPS)
def test_every_identity_holds_after_every_step(
    rate: Fraction, reserve_rate: Fraction | None, limit: int | None, steps: list[tuple[str, int, int]]
) -> None:
    """Meters are the sums of their movements; accounts hold what meters show, and sum to zero."""
    books = Books(rate, reserve_rate, limit)
    for what, cents, which in steps:
        books.step(what, cents, which)
    for pool in books.pools:
        deltas = [delta_of(movement) for movement in books.movements if movement.pool == pool.name]
        assert pool.display == sum(delta.on_display for delta in deltas)
        assert pool.reserve == sum(delta.on_reserve for delta in deltas)
        assert pool.overflow == sum(delta.on_overflow for delta in deltas)
        assert pool.display == displayed(movement for movement in books.movements if movement.pool == pool.name)
        assert (len(deltas), pool.wins_cents) == (pool.number, sum(delta.award_cents for delta in deltas))
        for leg in ("display", "reserve", "overflow"):
            held = sum(
                posting.cents
                for posting in books.postings
                if (posting.account.wager, posting.account.leg) == (pool.name, leg)
            )
            assert shown(getattr(pool, leg)) == -held
    played = books.standing
    taken = sum(parse_exact(one.contribution_cents) + parse_exact(one.overflow_cents) for one in played)
    assert Fraction(taken, NANOCENTS) == sum((one.in_cents * rate for one in played), Fraction(0))


@given(RATES, st.none() | RATES, st.lists(st.integers(1, 10**6), min_size=1, max_size=20), st.randoms())
def test_what_is_voided_leaves_no_trace(
    rate: Fraction, reserve_rate: Fraction | None, stakes: list[int], random: Random
) -> None:
    """Rounds taken back in any order bring the pool to where it was, but for the number of its movements."""
    books = Books(rate, reserve_rate, None)
    before = books.pools[0]
    for cents in stakes:
        books.play(books.pools[0], cents, 0)
    order = list(books.standing)
    random.shuffle(order)
    for movement in order:
        books.take(take_back(books.pools[0], movement, table="BJ-01"))
    assert replace(before, number=1 + 2 * len(stakes)) == books.pools[0]


@given(st.integers(-(10**27), 10**27))
def test_exact_amounts_are_written_and_read_exactly(nanos: int) -> None:
    """The text of an amount is read as that amount."""
    assert nanos == parse_exact(exact_text(nanos))
