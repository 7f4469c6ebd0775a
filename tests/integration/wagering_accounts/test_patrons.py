"""Patrons: wallets, access codes, limits, exclusion; and adjustments, which take two people."""

import json
from datetime import UTC, datetime, timedelta

import httpx

from services.wagering_accounts.domain.access_codes import fingerprint
from shared.contracts.accounts import AccountBoughtIn, PatronSeen
from tests.support.accounts import CODE, DAY, NOON, PROPERTY, House
from tests.support.asgi import assert_problem
from tests.support.services import query

ENDS = NOON + timedelta(hours=16)
"""When the gaming day ends: at four in the morning."""


def test_money_moves_between_wallet_and_game_account(house: House) -> None:
    """With the access code, and back without; the liability stays the same."""
    house.register()
    house.buy_in(5_000, "W-1")
    house.open(patron="p-1")
    assert_problem(house.buy_in(2_000, instrument="wallet"), 403, "access code of patron p-1 is needed")
    moved = house.buy_in(2_000, instrument="wallet", access_code=CODE)
    assert (200, 2_000) == (moved.status_code, moved.json()["available_cents"])
    assert (3_000, 0, 0) == house.account("W-1")
    assert_problem(house.buy_in(3_001, instrument="wallet", access_code=CODE), 409, "3000 cents in the wallet")
    house.cash_out(instrument="wallet")
    assert (5_000, 0, 0) == house.account("W-1")
    assert_problem(house.authorize(1, "W-1"), 409, "is a wallet")
    house.open("GA-2")
    assert_problem(house.buy_in(1, "GA-2", "wallet", access_code=CODE), 409, "for nobody by name")


def test_one_wallet_a_person(house: House) -> None:
    """A second registration is refused."""
    assert 201 == house.register().status_code
    assert_problem(house.register(wallet="W-2"), 409, "one wallet a person")


def test_nothing_from_which_an_access_code_could_be_guessed_is_recorded(house: House) -> None:
    """A refusal says what was asked for, but not the hash by which the same code is known when it is sent again."""
    house.register()
    house.open(patron="p-1")
    assert 409 == house.buy_in(1, instrument="wallet", access_code=CODE, key="k-1").status_code
    assert 409 == house.cash_out(1, access_code=CODE, key="k-2").status_code
    refused = query(house.url, "SELECT data::text FROM wagering_accounts.entries WHERE kind = 'command.refused'")
    assert 2 == len(refused)
    for [data] in refused:
        assert '"cents":1' in data
        assert not [key for key in ("k-1", "k-2") if fingerprint(CODE, "cage.ann", key) in data]


def test_wrong_access_codes_lock(house: House) -> None:
    """After three in a row, the right one is not accepted either, until the time is over or the code is changed."""
    house.register()
    house.buy_in(5_000, "W-1")

    def withdraw(code: str) -> httpx.Response:
        return house.cash_out(100, "W-1", access_code=code)

    assert_problem(withdraw("wrong"), 403, "is wrong")
    assert_problem(withdraw("wrong"), 403, "is wrong")
    assert 200 == withdraw(CODE).status_code
    for _ in range(3):
        locked = withdraw("wrong")
    assert_problem(locked, 403, "it is locked until 2026-11-20 12:30:00")
    assert_problem(withdraw(CODE), 423, "is locked until 2026-11-20 12:30:00")
    assert NOON + timedelta(minutes=30) == _moment(house.read(f"/patrons/{PROPERTY}/p-1").json()["locked_until"])
    house.clock.now += timedelta(minutes=30)
    assert 200 == withdraw(CODE).status_code
    for _ in range(3):
        withdraw("wrong")
    body = {"access_code": "another code", "reason": "forgotten, shown two documents"}
    assert 200 == house.send(f"/patrons/{PROPERTY}/p-1/access-code", body).status_code
    assert 200 == withdraw("another code").status_code
    assert 8 == house.kinds().count("access.failed")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_limits_tighten_at_once_and_loosen_after_a_day(house: House) -> None:
    """A wager and a gaming day's buy-ins."""
    house.register()
    house.open(patron="p-1")

    def limit(kind: str, cents: int | None) -> httpx.Response:
        return house.send(f"/patrons/{PROPERTY}/p-1/limits", {"limit": kind, "cents": cents})

    limit("wager", 1_000)
    limit("buy_in_day", 5_000)
    assert 200 == house.buy_in(4_000).status_code
    assert_problem(house.buy_in(1_001), 409, "exceeds the patron's limit of 5000")
    assert_problem(house.authorize(1_001), 409, "limit of 1000 cents a wager")
    assert 201 == house.authorize(1_000).status_code
    looser = limit("wager", None).json()["limits"]["wager"]
    tomorrow = (house.clock.now + timedelta(hours=24)).isoformat().replace("+00:00", "Z")
    assert {"cents": 1_000, "next_at": tomorrow} == looser  # and no `next_cents`: from then on there is none
    house.clock.now += timedelta(hours=24) - timedelta(seconds=1)
    assert 409 == house.authorize(1_001).status_code
    assert 200 == house.buy_in(5_000).status_code  # another gaming day
    house.clock.now += timedelta(seconds=1)
    assert 201 == house.authorize(1_001).status_code
    limit("wager", 10)
    assert_problem(house.authorize(11), 409, "limit of 10 cents a wager")


def test_excluded_patrons_are_paid_out(house: House) -> None:
    """They wager nothing and bring nothing; what they have, and still win, is paid out without their code."""
    house.register()
    house.buy_in(5_000, "W-1")
    house.open(patron="p-1")
    house.buy_in(2_000)
    house.authorize(1_000)
    path, why = f"/patrons/{PROPERTY}/p-1/exclusion", "asked for it"
    assert 200 == house.send(path, {"excluded": True, "reason": why}, person="care.joy").status_code
    for refused in (house.authorize(1), house.buy_in(1), house.buy_in(1, "W-1"), house.open("GA-2", patron="p-1")):
        assert_problem(refused, 403, "is excluded since")
    house.settle(1_000, 2_000)
    assert 3_000 == house.account()[0]
    assert 200 == house.cash_out().status_code
    assert 200 == house.cash_out(account="W-1").status_code
    assert 200 == house.send(path, {"excluded": False, "reason": why}, person="care.joy").status_code
    assert 200 == house.buy_in(100).status_code


def test_an_adjustment_takes_two_people(house: House) -> None:
    """Entered by one, approved by another, with what was there before and after; the first cannot approve it."""
    house.funded(cents=1_000)
    path = f"/accounts/{PROPERTY}/GA-1/adjustments"
    entered = house.send(path, {"cents": -300, "reason": "credited twice"}, person="audit.kim")
    number = entered.json()["adjustment"]
    assert (201, "entered") == (entered.status_code, entered.json()["status"])
    assert (1_000, 0, 0) == house.account()
    assert_problem(house.send(f"{path}/{number}/approve", person="audit.kim"), 403, "somebody else must approve it")
    approved = house.send(f"{path}/{number}/approve", person="audit.lee").json()
    assert ("approved", 1_000, 700, "audit.lee") == tuple(
        approved[name] for name in ("status", "before_cents", "after_cents", "decided_by")
    )
    assert (700, 0, 0) == house.account()
    assert_problem(house.send(f"{path}/{number}/approve", person="audit.lee"), 409, "was approved already")
    assert [approved] == house.read(path).json()["items"]


def test_an_adjustment_cannot_take_what_is_not_there(house: House) -> None:
    """Refused, and it can be rejected; nothing moves."""
    house.funded(cents=100)
    path = f"/accounts/{PROPERTY}/GA-1/adjustments"
    number = house.send(path, {"cents": -101, "reason": "?"}, person="audit.kim").json()["adjustment"]
    assert_problem(house.send(f"{path}/{number}/approve", person="audit.lee"), 409, "exceeds the 100 cents")
    rejected = house.send(f"{path}/{number}/reject", {"reason": "wrong account"}, person="audit.lee")
    assert (200, "rejected") == (rejected.status_code, rejected.json()["status"])
    assert 422 == house.send(path, {"cents": 0, "reason": "?"}, person="audit.kim").status_code


def test_a_patron_has_a_tax_residence(house: House) -> None:
    """A country alone, with what the cashier looked at; the last that was set stands."""
    house.register()
    for country in ("CA", "US"):
        said = house.send("/patrons/riverside/p-1/tax-residence", {"country": country, "reason": "passport"})
        assert (200, country) == (said.status_code, said.json()["tax_residence"])
    wrong = house.send("/patrons/riverside/p-1/tax-residence", {"country": "Canada", "reason": "passport"})
    assert 422 == wrong.status_code


def test_every_look_at_a_patron_is_on_record(house: House) -> None:
    """Who looked, at whom and at what, before the answer; an account that is nobody's is no look, nor is a refusal."""
    house.register()
    house.open(patron="p-1")
    house.open("GA-2")
    for path in (
        f"/patrons/{PROPERTY}/p-1",
        f"/accounts/{PROPERTY}/GA-1",
        f"/accounts/{PROPERTY}/GA-1/statement",
        f"/accounts/{PROPERTY}/W-1/adjustments",
        f"/accounts?property={PROPERTY}&patron=p-1",
        f"/accounts/{PROPERTY}/GA-2",
    ):
        assert 200 == house.read(path).status_code
    assert 403 == house.read(f"/patrons/{PROPERTY}/p-1", person="host.mo").status_code
    assert 404 == house.read(f"/patrons/{PROPERTY}/p-9").status_code
    looks = [fact for fact in house.desk.facts() if isinstance(fact, PatronSeen)]
    assert {("p-1", "cage.ann")} == {(fact.patron, fact.by) for fact in looks}
    assert ["patron", "account", "statement", "adjustments", "accounts"] == [fact.what for fact in looks]


def test_money_that_is_entered_late_is_of_the_gaming_day_on_which_it_moved(house: House) -> None:
    """In and out, with its reason; not before the account was opened, nor earlier than the margin of the property."""
    house.clock.now = ENDS - timedelta(minutes=30)
    house.open()
    house.clock.now = ENDS + timedelta(hours=3)
    occurred = ENDS - timedelta(minutes=1)
    late = {"occurred_at": occurred.isoformat(), "late_reason": "the terminal was away"}
    assert 200 == house.buy_in(2_000, **late).status_code
    assert 200 == house.cash_out(500, **late).status_code
    assert 200 == house.buy_in(1).status_code
    for moved in house.desk.facts("account.bought_in", "account.cashed_out")[:2]:
        assert isinstance(moved, AccountBoughtIn)
        assert (house.clock.now, "the terminal was away") == (moved.entered_at, moved.late_reason)
    days = "SELECT DISTINCT gaming_day::text, occurred_at FROM wagering_accounts.entries WHERE kind LIKE 'account._o%'"
    assert {(DAY, occurred), ("2026-11-21", house.clock.now)} == {
        (day, at.astimezone(UTC)) for day, at in query(house.url, days + " AND kind <> 'account.opened'")
    }
    for moment, why in (
        (house.clock.now + timedelta(seconds=1), "2026-11-21 07:00:01 has not come yet"),
        (house.clock.now - timedelta(hours=4, seconds=1), "2026-11-21 02:59:59 is more than 240 minutes ago"),
        (ENDS - timedelta(minutes=31), "was opened at 2026-11-21 03:"),
    ):
        said = {"occurred_at": moment.isoformat(), "late_reason": "forgotten"}
        assert_problem(house.buy_in(1, **said), 409, why)
        assert_problem(house.cash_out(1, **said), 409, why)
    assert_problem(house.buy_in(1, occurred_at=occurred.isoformat()), 422, "go together")


def test_what_is_bought_in_late_leaves_no_room_under_the_limit_of_a_day(house: House) -> None:
    """It counts on the gaming day on which the patron bought in last: nothing is forgotten of that day."""
    house.register()
    house.clock.now = ENDS - timedelta(hours=1)
    house.open(patron="p-1")
    house.send(f"/patrons/{PROPERTY}/p-1/limits", {"limit": "buy_in_day", "cents": 5_000})
    house.clock.now = ENDS + timedelta(hours=1)
    assert 200 == house.buy_in(3_000).status_code
    late = {"occurred_at": (ENDS - timedelta(minutes=1)).isoformat(), "late_reason": "the terminal was away"}
    assert_problem(house.buy_in(2_001, **late), 409, "exceeds the patron's limit of 5000")
    assert 200 == house.buy_in(2_000, **late).status_code
    assert_problem(house.buy_in(1), 409, "exceeds the patron's limit of 5000")


def test_money_is_moved_by_others_and_for_others(house: House) -> None:
    """The fact names the account's patron, whoever moved it, and the others for whom it was."""
    house.register()
    house.register("p-9", "W-9")
    assert 200 == house.buy_in(500, "W-1", conducted_by="p-2", on_behalf_of=["p-3"]).status_code
    assert 200 == house.buy_in(500, "W-1", on_behalf_of=["p-3"]).status_code
    assert 200 == house.cash_out(100, "W-1", conducted_by="p-2", access_code=CODE).status_code
    kinds = ("account.bought_in", "account.cashed_out")
    moved = [json.loads(one.draft.data) for one in house.desk.entries() if one.draft.kind in kinds]
    assert [("p-1", "p-2", ["p-3"]), ("p-1", None, ["p-3"]), ("p-1", "p-2", None)] == [
        tuple(one.get(name) for name in ("patron", "conducted_by", "on_behalf_of")) for one in moved
    ]
    house.open("GA-1")
    house.open("GA-2", patron="p-1")
    for refused, why in (
        (house.buy_in(100, "W-1", conducted_by="p-1"), "is that of p-1"),
        (house.buy_in(100, "W-1", conducted_by="p-2", on_behalf_of=["p-2"]), "p-2, who conducts it"),
        (house.buy_in(100, "W-1", conducted_by="p-2", on_behalf_of=["p-1"]), "is that of p-1"),
        (house.buy_in(100, "GA-1", conducted_by="p-2"), "is for nobody by name"),
        (house.buy_in(100, "GA-2", "wallet", conducted_by="p-2", access_code=CODE), "through nobody's hands"),
    ):
        assert_problem(refused, 409, why)
    excluded = {"excluded": True, "reason": "list"}
    assert house.send(f"/patrons/{PROPERTY}/p-9/exclusion", excluded, person="care.joy").is_success
    assert_problem(house.buy_in(100, "W-1", conducted_by="p-9"), 403, "is excluded since 2026-11-20 12:00:00")
