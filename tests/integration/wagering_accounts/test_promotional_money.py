"""Promotional money on a real database: granted, wagered in its turn, never paid out, written off."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from services.wagering_accounts.watch import expire_due, observe
from tests.support.accounts import CODE, PROPERTY, House, credit
from tests.support.asgi import assert_problem
from tests.support.properties import property_event

PATH = f"/accounts/{PROPERTY}/GA-1/promotional-money"
WHY = {"reason": "end of the promotion"}


@pytest.fixture
def guest(house: House) -> House:
    """A game account with $10 of promotional money and $50 of other."""
    house.funded(cents=5_000)
    assert 200 == house.promote(1_000).status_code
    return house


def last(house: House) -> None:
    """The property says that promotional money is spent last."""
    house.desk.feed("properties", property_event(sequence=2, version=2, promotional_money_spent="last"))


def test_it_is_wagered_first_and_kept_apart(guest: House) -> None:
    """A hold says how much of it is promotional; both are shown on hold, in play, and on the statement."""
    hold = guest.authorize(1_500).json()
    assert (1_000, 4_500, 0) == tuple(
        hold[name] for name in ("promotional_cents", "available_cents", "promotional_available_cents")
    )
    assert ((4_500, 500, 0), (0, 1_000, 0)) == (guest.account(), guest.promotional())
    guest.capture()
    assert ((4_500, 0, 500), (0, 0, 1_000)) == (guest.account(), guest.promotional())
    lines = guest.read(f"/accounts/{PROPERTY}/GA-1/statement").json()["items"]
    assert [0, 1_000, -1_000, 0] == [line["promotional_change_cents"] for line in lines]
    guest.check()


def test_it_is_wagered_last_where_the_property_says_so(guest: House) -> None:
    """What other money does not cover is promotional; more than both together is refused."""
    last(guest)
    assert 0 == guest.authorize(4_000).json()["promotional_cents"]
    assert 500 == guest.authorize(1_500, wager="insurance").json()["promotional_cents"]
    assert_problem(guest.authorize(501, round_id="r-2"), 409, "exceeds the 500 cents that are available, promotional")
    guest.check()


@pytest.mark.parametrize(
    ("credited", "cashable", "promotional"),
    [
        pytest.param(0, 4_500, 0, id="lost"),
        pytest.param(1_500, 4_500 + 500, 1_000, id="a push goes back as what it was"),
        pytest.param(750, 4_500 + 500, 250, id="of half a stake, promotional money is lost first"),
        pytest.param(3_000, 4_500 + 500 + 1_500, 1_000, id="what is won is cashable"),
    ],
)
def test_what_a_round_does_to_it(guest: House, credited: int, cashable: int, promotional: int) -> None:
    """And nothing of it is left when the round is taken back: all is as before."""
    guest.authorize(1_500)
    guest.capture()
    guest.settle(1_500, credited)
    assert ((cashable, 0, 0), (promotional, 0, 0)) == (guest.account(), guest.promotional())
    guest.check()
    guest.take(guest.result("settlement.reversed", "r-1", credit(1_500, credited)))
    assert ((5_000, 0, 0), (1_000, 0, 0)) == (guest.account(), guest.promotional())
    guest.take(guest.result("settlement.posted", "r-1", credit(1_500, 0), revision=2))
    assert ((4_500, 0, 0), (0, 0, 0)) == (guest.account(), guest.promotional())
    guest.check()


@pytest.mark.parametrize("how", ["released", "void", "not staked"])
def test_what_is_not_wagered_goes_back_as_what_it_was(guest: House, how: str) -> None:
    """By the player, with the round, or where the result staked another wager."""
    hold = guest.authorize(1_500).json()["hold"]
    if how == "released":
        guest.release(hold)
    elif how == "void":
        guest.take(guest.result("settlement.voided", "r-1"))
    else:
        guest.settle(0, 0)
    assert ((5_000, 0, 0), (1_000, 0, 0)) == (guest.account(), guest.promotional())
    guest.check()


def test_a_correction_takes_what_was_spent_meanwhile_as_a_shortage(guest: House) -> None:
    """A push that becomes a loss: the promotional money that went back is gone; other money does not pay for it."""
    guest.authorize(1_000)
    guest.settle(1_000, 1_000)
    guest.authorize(1_000, round_id="r-2")
    guest.settle(1_000, 0, round_id="r-2")
    guest.take(
        guest.result("settlement.reversed", "r-1", credit(1_000, 1_000)),
        guest.result("settlement.posted", "r-1", credit(1_000, 0), revision=2),
    )
    assert ((5_000, 0, 0), (0, 0, 0)) == (guest.account(), guest.promotional())
    assert [(1_000, 0, 1_000)] == guest.uncovered()
    guest.check()
    guest.take(guest.result("settlement.reversed", "r-1", credit(1_000, 0), revision=2))
    assert ([], (0, 0, 0)) == (guest.uncovered(), guest.promotional())
    guest.check()


def test_it_is_never_paid_out(guest: House) -> None:
    """Not by amount, not with all that is available, and an account that has some is not closed."""
    assert_problem(guest.cash_out(5_001), 409, "5001 exceeds the 5000 cents that are available")
    assert_problem(guest.cash_out(close=True), 409, "GA-1 would keep 1000 cents")
    assert 0 == guest.cash_out().json()["available_cents"]
    assert (1_000, 0, 0) == guest.promotional()
    written_off = guest.send(f"{PATH}/write-offs", WHY | {"cents": 1_000}, person="host.mo")
    assert (200, 0) == (written_off.status_code, written_off.json()["promotional_cents"])
    assert "closed" == guest.cash_out(close=True).json()["status"]
    guest.check()


def test_it_moves_between_the_wallet_of_a_patron_and_a_table(house: House) -> None:
    """To the table and back; not from an account of nobody, not more than there is, and with no other money."""
    house.register()
    house.open(patron="p-1")
    house.open("GA-2")
    assert 200 == house.promote(1_000, "W-1").status_code
    moves = f"{PATH}/moves"
    assert 600 == house.send(moves, WHY | {"cents": 600}).json()["promotional_cents"]
    assert ((600, 0, 0), (400, 0, 0)) == (house.promotional(), house.promotional("W-1"))
    assert 500 == house.send(moves, WHY | {"cents": -100}).json()["promotional_cents"]
    assert_problem(house.send(moves, WHY | {"cents": 501}), 409, "501 exceeds the 500 cents of promotional money")
    assert 422 == house.send(moves, WHY | {"cents": 0}).status_code
    other = house.send(f"/accounts/{PROPERTY}/GA-2/promotional-money/moves", WHY | {"cents": 1})
    assert_problem(other, 409, "GA-2 is not a game account of a patron")
    assert_problem(house.cash_out(1, "W-1", access_code=CODE), 409, "1 exceeds the 0 cents")
    house.check()


def _expire(house: House, at: datetime) -> int:
    return house.desk.client.run(expire_due(replace(house.desk.context, clock=lambda: at)))


def _overdue(house: House, at: datetime) -> float | None:
    """Return the figure of what should have been written off at a moment."""
    context = replace(house.desk.context, clock=lambda: at)
    house.desk.client.run(observe(context))
    return context.metrics.registry.get_sample_value("pitledger_promotions_overdue")


def test_what_is_left_of_a_grant_goes_by_itself_on_its_day(house: House) -> None:
    """Over the wallet and the tables of a patron, the earliest grant spent first; what is on hold goes after its round.

    Not before the gaming day begins, and once, whichever process looks first.
    """
    house.register()
    house.open(patron="p-1")
    today = house.desk.context.clock()
    tomorrow = (today + timedelta(days=1)).date().isoformat()
    for cents, more in ((1_000, {"expires_on": tomorrow}), (500, {"expires_on": "2199-01-01"}), (300, {})):
        assert 200 == house.promote(cents, "W-1", **more).status_code
    assert 1_400 == house.send(f"{PATH}/moves", WHY | {"cents": 1_400}).json()["promotional_cents"]
    house.authorize(600)
    house.settle(600, 0)  # lost: of the first grant, 400 are left
    hold = house.authorize(700, round_id="r-2").json()["hold"]
    assert (100, 400) == (house.promotional()[0], house.promotional("W-1")[0])
    assert 0 == _expire(house, today)
    later = today + timedelta(days=2)
    assert [1, 1, 0, 0] == [
        _overdue(house, later),
        _expire(house, later),
        _overdue(house, later),
        _expire(house, later),
    ]
    assert ((100, 700, 0), (0, 0, 0)) == (house.promotional(), house.promotional("W-1"))
    house.release(hold)
    assert 0 == _expire(house, later)
    assert 800 == house.promotional()[0]
    house.check()


def test_what_is_on_hold_on_its_day_goes_when_it_comes_back(house: House) -> None:
    """The hold may still be wagered; what goes back of it is gone the next time."""
    house.funded(cents=5_000)
    now = house.desk.context.clock()
    assert 200 == house.promote(1_000, expires_on=(now + timedelta(days=1)).date().isoformat()).status_code
    hold = house.authorize(600).json()["hold"]
    later = now + timedelta(days=2)
    assert (1, (0, 600, 0)) == (_expire(house, later), house.promotional())
    house.release(hold)
    assert (1, (0, 0, 0)) == (_expire(house, later), house.promotional())
    last = house.read(f"/accounts/{PROPERTY}/GA-1/statement").json()["items"][-1]
    assert ("promotion.expired", -600) == (last["kind"], last["promotional_change_cents"])
    house.check()


def test_a_grant_above_the_limit_of_the_property_takes_two_people(house: House) -> None:
    """One enters it, another approves or rejects it; an expired one is not granted."""
    house.funded(cents=5_000)
    house.desk.feed("properties", property_event(sequence=2, version=2, promotional_grant_cents_max=1_000))
    assert_problem(house.promote(1_001), 409, "1001 exceeds the 1000 cents that one person grants at riverside")
    assert 200 == house.promote(1_000).status_code
    path = f"/accounts/{PROPERTY}/GA-1/promotions"
    wanted = {"cents": 5_000, "reason": "welcome", "expires_on": "2199-01-01"}
    entered = house.send(path, wanted, person="host.mo").json()
    assert ("entered", 5_000) == (entered["status"], entered["cents"])
    one = f"{path}/{entered['promotion']}"
    assert (1_000, 0, 0) == house.promotional()
    assert_problem(house.send(f"{one}/approve", {}, person="host.mo"), 403, "role 'accounts.adjust.approve'")
    approved = house.send(f"{one}/approve", {}, person="audit.lee")
    assert (200, "granted") == (approved.status_code, approved.json()["status"]), approved.text
    assert (6_000, 0, 0) == house.promotional()
    assert_problem(house.send(f"{one}/approve", {}, person="audit.lee"), 409, "was approved already")
    other = house.send(path, wanted, person="host.mo").json()["promotion"]
    rejected = house.send(f"{path}/{other}/reject", WHY, person="audit.lee").json()
    assert ("rejected", (6_000, 0, 0)) == (rejected["status"], house.promotional())
    assert_problem(house.promote(1, expires_on="2020-01-01"), 409, "it would expire on 2020-01-01")
    house.check()


def test_who_may_grant_it(guest: House) -> None:
    """A role of its own; nothing for a patron who is excluded, nor to a closed account."""
    wanted: dict[str, Any] = WHY | {"cents": 100}
    assert_problem(guest.send(PATH, wanted), 403, "role 'accounts.promote'")
    assert_problem(guest.send(f"{PATH}/write-offs", wanted), 403, "role 'accounts.promote'")
    more = guest.send(f"{PATH}/write-offs", wanted | {"cents": 1_001}, person="host.mo")
    assert_problem(more, 409, "1001 exceeds the 1000 cents of promotional money")
    guest.register()
    guest.open("GA-2", patron="p-1")
    exclusion = f"/patrons/{PROPERTY}/p-1/exclusion"
    assert 200 == guest.send(exclusion, {"excluded": True, "reason": "asked"}, person="care.joy").status_code
    assert_problem(guest.promote(100, "GA-2"), 403, "p-1 is excluded")
