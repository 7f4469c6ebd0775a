"""A session at a table: money in, wagers held, captured, released and settled, money out."""

from tests.support.accounts import CODE, PROPERTY, TABLE, House, credit
from tests.support.asgi import assert_problem
from tests.support.services import query


def test_a_session_from_opening_to_cashing_out(house: House) -> None:
    """Money comes in, is held, is in play, is lost and won, and is paid out; the statement says each step."""
    opened = house.open()
    assert (201, f"/accounts/{PROPERTY}/GA-1") == (opened.status_code, opened.headers["location"])
    house.buy_in(10_000)
    house.buy_in(5_000, instrument="chips", reference="tray")
    held = house.authorize(2_000)
    assert (201, 2_000, "held", 13_000) == (
        held.status_code,
        *(held.json()[name] for name in ("cents", "status", "available_cents")),
    )
    assert (13_000, 2_000, 0) == house.account()
    assert [{"account": "GA-1", "hold": held.json()["hold"], "cents": 2_000}] == house.capture().json()["captured"]
    assert (13_000, 0, 2_000) == house.account()
    house.settle(2_000, 5_000)
    assert (18_000, 0, 0) == house.account()
    paid = house.cash_out(close=True)
    assert (200, "closed", 0) == (paid.status_code, paid.json()["status"], paid.json()["available_cents"])
    statement = house.read(f"/accounts/{PROPERTY}/GA-1/statement").json()
    assert [
        ("account.bought_in", 10_000, 0, 0),
        ("account.bought_in", 5_000, 0, 0),
        ("wager.authorized", -2_000, 2_000, 0),
        ("wagers.captured", 0, -2_000, 2_000),
        ("wagers.settled", 5_000, 0, -2_000),
        ("account.cashed_out", -18_000, 0, 0),
    ] == [
        (line["kind"], *(line[f"{name}_change_cents"] for name in ("available", "held", "staked")))
        for line in statement["items"]
    ]
    assert 0 == statement["items"][-1]["available_cents"]


def test_the_postings_of_a_session(house: House) -> None:
    """Control accounts: money in and out, and by wager the opposite of what settlement posts for electronic money."""
    house.funded()
    house.authorize(2_000)
    house.settle(2_000, 0)
    house.cash_out(3_000, instrument="voucher")
    assert {
        (TABLE, "", "cash"): 10_000,
        (TABLE, "", "voucher"): -3_000,
        (TABLE, "", "available"): -5_000,
        (TABLE, "blackjack", "account_funded"): -2_000,
    } == house.desk.balances()


def test_a_closed_account_is_only_paid_out(house: House) -> None:
    """It takes no money and no wager; what a correction brings to it is paid out."""
    house.funded(cents=1_000)
    house.authorize(1_000)
    assert_problem(house.cash_out(close=True), 409, "would keep 1000")
    house.settle(1_000, 0)
    assert 200 == house.cash_out(close=True).status_code
    assert_problem(house.buy_in(100), 409, "is closed")
    assert_problem(house.authorize(100, round_id="r-2"), 409, "is closed")
    house.take(house.result("settlement.reversed", "r-1", credit(1_000, 0)))
    assert 200 == house.cash_out().status_code
    assert (0, 0, 0) == house.account()


def test_a_wager_is_released_before_no_more_bets_only(house: House) -> None:
    """A hold goes back once; in play it stays."""
    house.funded()
    first, second = house.authorize(1_000).json()["hold"], house.authorize(2_000).json()["hold"]
    assert 200 == house.release(first).status_code
    assert_problem(house.release(first), 409, "was released already")
    house.capture()
    assert_problem(house.release(second), 409, "'no more bets'")
    assert_problem(house.release(99), 404, "has no hold 99")
    assert (8_000, 0, 2_000) == house.account()


def test_what_the_account_does_not_allow_is_refused_and_recorded(house: House) -> None:
    """More than there is, another table, an unknown account: a problem, an entry, and no money moves."""
    house.funded(cents=500)
    house.open("GA-2", table="BJ-02")
    house.buy_in(100, "GA-2")
    assert_problem(house.authorize(501), 409, "exceeds the 500 cents")
    assert_problem(house.authorize(100, "GA-2"), 409, "is for table BJ-02")
    assert_problem(house.authorize(100, "GA-9"), 404, "there is no account GA-9")
    assert_problem(house.cash_out(501), 409, "exceeds the 500 cents")
    assert_problem(house.capture("r-9"), 404, "no wager of round r-9")
    assert_problem(house.open(), 409, "exists already")
    assert 6 == house.kinds().count("command.refused")
    assert (500, 0, 0) == house.account()


def test_a_void_returns_the_wagers(house: House) -> None:
    """Before a result, the holds go back; after one, what it did is taken back."""
    house.funded()
    house.authorize(1_000)
    house.capture()
    house.take(house.result("settlement.voided"))
    assert (10_000, 0, 0) == house.account()
    house.authorize(2_000, round_id="r-2")
    house.take(
        house.result("settlement.posted", "r-2", credit(2_000, 5_000)),
        house.result("settlement.reversed", "r-2", credit(2_000, 5_000)),
    )
    assert (10_000, 0, 0) == house.account()
    assert_problem(house.authorize(1_000, round_id="r-2"), 409, "is void")


def test_a_correction_reverses_and_replaces(house: House) -> None:
    """The account ends as if the corrected record had come first."""
    house.funded()
    house.authorize(1_000)
    house.capture()
    house.settle(1_000, 2_000)
    house.take(
        house.result("settlement.reversed", "r-1", credit(1_000, 2_000)),
        house.result("settlement.posted", "r-1", credit(1_000, 0), revision=2),
    )
    assert (9_000, 0, 0) == house.account()
    assert [] == house.uncovered()


def test_a_result_before_no_more_bets(house: House) -> None:
    """The capture comes late: it finds nothing on hold, and the account is the same."""
    house.funded()
    house.authorize(1_000)
    house.settle(1_000, 2_500)
    late = house.capture()
    assert (200, "settled", []) == (late.status_code, late.json()["status"], late.json()["captured"])
    assert (11_500, 0, 0) == house.account()


def test_a_round_without_result_stays_open(house: House) -> None:
    """Its holds stay, and it shows as open, until its result is known."""
    house.funded()
    house.authorize(1_000)
    house.capture()
    house.authorize(500, round_id="r-2")
    shown = house.open_rounds()
    assert [("r-1", "captured", 1_000), ("r-2", "open", 500)] == [
        (each["round_id"], each["status"], each["holds"][0]["cents"]) for each in shown
    ]
    page = house.read(f"/open-rounds?property={PROPERTY}&limit=1").json()
    assert ["r-2"] == [
        each["round_id"]
        for each in house.read(f"/open-rounds?property={PROPERTY}&limit=1&cursor={page['next']}").json()["items"]
    ]
    house.settle(1_000, 0)
    house.release(house.open_rounds()[0]["holds"][0]["hold"])
    assert [] == house.open_rounds()


def test_more_was_staked_than_was_on_hold(house: House) -> None:
    """The rest comes from what is available, and it is remembered."""
    house.funded()
    house.authorize(1_000)
    house.settle(3_000, 0)
    assert (7_000, 0, 0) == house.account()
    assert [(1_000, 2_000, 0)] == house.uncovered()


def test_what_was_paid_out_cannot_be_taken_back(house: House) -> None:
    """The account does not go below zero: the rest is a shortage, which the next revision makes good first."""
    house.funded(cents=1_000)
    house.authorize(1_000)
    house.settle(1_000, 5_000)
    house.cash_out()
    house.take(house.result("settlement.reversed", "r-1", credit(1_000, 5_000)))
    assert (0, 0, 0) == house.account()
    assert [(1_000, 0, 4_000)] == house.uncovered()
    house.check()
    house.take(house.result("settlement.posted", "r-1", credit(1_000, 5_500), revision=2))
    assert (500, 0, 0) == house.account()
    assert [] == house.uncovered()


def test_a_revision_that_is_taken_back_before_it_comes(house: House) -> None:
    """Delivered in the wrong order, the pair does nothing, and the holds go back."""
    house.funded()
    house.authorize(1_000)
    posted = house.result("settlement.posted", "r-1", credit(1_000, 0))
    house.take(house.result("settlement.reversed", "r-1", credit(1_000, 0)))
    assert (9_000, 1_000, 0) == house.account()
    house.take(posted)
    assert (10_000, 0, 0) == house.account()


def test_a_result_of_an_unknown_account_is_quarantined(house: House) -> None:
    """Nothing of it counts, and the stream goes on."""
    house.funded()
    house.authorize(1_000)
    house.take(
        house.result("settlement.posted", "r-9", credit(1_000, 0), credit(1_000, 0, "GA-9")),
        house.result("settlement.posted", "r-1", credit(1_000, 0)),
    )
    assert [
        "seat 1: 'account_credits': there is no game account GA-9 at riverside; open it, then replay this record"
    ] == (house.desk.quarantined())
    assert (9_000, 0, 0) == house.account()


def test_rounds_played_with_chips_leave_nothing(house: House) -> None:
    """A settlement without electronic wagers leads to no entry."""
    house.take(house.result("settlement.posted", "r-1"), house.result("settlement.voided", "r-2"))
    assert [] == house.kinds()


def test_an_access_code_is_part_of_the_content(house: House) -> None:
    """The same key with another code is a conflict, and no code is kept in what is recorded."""
    house.register()
    house.buy_in(5_000, "W-1")
    paid = [house.cash_out(100, "W-1", access_code=code, key="k-1") for code in (CODE, CODE, "other")]
    assert [200, 200, 409] == [each.status_code for each in paid]
    assert [] == query(
        house.url,
        f"SELECT data FROM wagering_accounts.entries WHERE data::text LIKE '%{CODE}%'",
    )
