"""What is left of grants of promotional money, and what of it has expired."""

from datetime import UTC, date, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from services.wagering_accounts.domain.books import Account
from services.wagering_accounts.domain.promotions import Change, expired, left_of

EARLY, LATE = date(2026, 11, 20), date(2026, 12, 31)


def left(*changes: Change) -> list[tuple[date, int]]:
    """What is left of each grant, by its day."""
    return [(lot.expires_on, lot.left_cents) for lot in left_of(changes)]


def account(name: str, cents: int, **more: Any) -> Account:
    """A game account with so much promotional money."""
    opened = datetime(2026, 11, 1, tzinfo=UTC)
    return Account("riverside", name, "game", "BJ-01", "p-1", "open", opened, promotional_cents=cents, **more)


def test_the_earliest_to_expire_is_spent_first() -> None:
    """What never expires last, whenever it was granted."""
    grants = Change(300, True), Change(200, True, LATE), Change(100, True, EARLY)
    assert [(EARLY, 0), (LATE, 150), (date.max, 300)] == left(*grants, Change(-150))
    assert [(EARLY, 0), (LATE, 0), (date.max, 100)] == left(*grants, Change(-500))


def test_what_comes_back_of_a_stake_goes_to_what_was_spent_last() -> None:
    """No grant gets more than was granted."""
    grants = Change(100, True, EARLY), Change(100, True, LATE)
    assert [(EARLY, 0), (LATE, 100)] == left(*grants, Change(-150), Change(50))
    assert [(EARLY, 100), (LATE, 100)] == left(*grants, Change(-150), Change(200))


def test_what_was_spent_long_ago_keeps_nothing_from_expiring() -> None:
    """A grant without a day that is gone is not counted against later ones."""
    lots = left_of([Change(1_000, True), Change(-1_000), Change(100, True, EARLY)])
    assert {"GA-1": 100} == expired(lots, EARLY, [account("GA-1", 100)])
    assert {} == expired(lots, date(2026, 11, 19), [account("GA-1", 100)])


def test_it_goes_from_the_wallet_first_and_leaves_what_is_on_hold() -> None:
    """Then from the accounts at tables, by their names."""
    lots = left_of([Change(1_000, True, EARLY)])
    wallet = account("W-1", 300)
    wallet.kind, wallet.table = "wallet", ""
    found = expired(lots, LATE, [account("GA-2", 500), account("GA-1", 0, promotional_held_cents=200), wallet])
    assert {"W-1": 300, "GA-2": 500} == found


changes = st.one_of(
    st.builds(Change, st.integers(1, 500), st.just(True), st.sampled_from([EARLY, LATE, None])),
    st.builds(Change, st.integers(-500, 500)),
)


@given(st.lists(changes, max_size=20))
def test_never_more_is_left_than_there_is(made: list[Change]) -> None:
    """As long as no more is spent than there is: the grants hold no more than the pool, and each within what it was."""
    pool, done = 0, []
    for one in made:
        change = one if pool + one.cents >= 0 else Change(-pool)
        pool += change.cents
        done.append(change)
    lots = left_of(done)
    assert sum(lot.left_cents for lot in lots) <= pool
    assert all(0 <= lot.left_cents <= lot.cents for lot in lots)
    assert [lot.expires_on for lot in lots] == sorted(lot.expires_on for lot in lots)
