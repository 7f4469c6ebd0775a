"""What known patrons move at the cage, and what is void of it."""

from datetime import timedelta, timezone
from typing import Any

import pytest

from tests.support.asgi import assert_problem
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Rounds, Table, at, chips
from tests.support.properties import property_event

PAID = {"property": PROPERTY, "window": "cage-1", "patron": "p-1", "kind": "chip_redemption", "cents": 12_000_00}


def test_what_a_patron_moves_is_numbered_and_posted_by_kind_and_medium(desk: InventoryDesk) -> None:
    """The direction follows from the kind; the gaming day and shift are those of the moment."""
    desk.clock.now = at(20)
    first = desk.done("/cage-movements", PAID, person="cage.ann")
    assert (1, "out", DAY, "grave") == tuple(first[name] for name in ("number", "direction", "gaming_day", "shift"))
    front = PAID | {"kind": "front_money_deposit", "cents": 2_000_00, "medium": "instrument"}
    second = desk.done("/cage-movements", front, person="cage.bob")
    assert (2, "in") == (second["number"], second["direction"])
    balances = desk.balances()
    assert (-12_000_00, 12_000_00, 2_000_00, -2_000_00) == (
        balances["", "currency", "cage_money"],
        balances["", "chip_redemption", "patrons_exchange"],
        balances["", "instrument", "cage_money"],
        balances["", "front_money_deposit", "patrons_deposits"],
    )
    path = f"/cage-movements?property={PROPERTY}&gaming_day={DAY}&limit=1"
    page = desk.get(path, person="cage.ann").json()
    assert ([1], 403) == ([one["number"] for one in page["items"]], desk.get(path).status_code)
    more = desk.get(f"{path}&cursor={page['next']}", person="cage.ann").json()
    assert [(2, "instrument")] == [(one["number"], one["medium"]) for one in more["items"]]


def test_a_movement_is_void_by_somebody_else_once(desk: InventoryDesk) -> None:
    """The money goes back; a void cannot be void itself."""
    desk.done("/cage-movements", PAID, person="cage.ann")
    path, why = f"/cage-movements/{PROPERTY}/1/void", {"reason": "another patron"}
    assert_problem(desk.send(path, why, person="cage.ann"), 403, "cage.ann entered number 1 at the cage")
    voided = desk.done(path, why, person="cage.bob")
    assert (2, 1, "cage.ann") == tuple(voided[name] for name in ("number", "voids", "moved_by"))
    assert {} == desk.balances()
    assert_problem(desk.send(path, why, person="cage.bob"), 409, "is void already")
    again = desk.send(f"/cage-movements/{PROPERTY}/2/void", why, person="cage.ann")
    assert_problem(again, 422, "number 2 at the cage of riverbend voids number 1")
    assert_problem(desk.send("/cage-movements", PAID | {"property": "nowhere"}, person="cage.ann"), 404, "nowhere")


MOVED: dict[tuple[str, str], tuple[int, int]] = {
    ("chip_purchase", "currency"): (0, 0),  # currency for chips
    ("chip_purchase", "instrument"): (0, 0),  # the patron's check for chips
    ("front_money_deposit", "currency"): (100, 0),
    ("front_money_deposit", "instrument"): (100, 0),  # the check lies in the drawer
    ("safekeeping_deposit", "currency"): (100, 0),
    ("safekeeping_deposit", "instrument"): (100, 0),
    ("chip_redemption", "currency"): (0, 0),
    ("chip_redemption", "instrument"): (100, -100),  # chips come in, and a check on the casino's account goes out
    ("front_money_withdrawal", "currency"): (-100, 0),
    ("front_money_withdrawal", "instrument"): (0, -100),
    ("safekeeping_withdrawal", "currency"): (-100, 0),
    ("safekeeping_withdrawal", "instrument"): (0, -100),
    ("check_cashed", "currency"): (0, 0),  # the patron's check for currency
    ("check_cashed", "instrument"): (100, -100),  # the patron's check for one on the casino's account
    ("winnings_paid", "currency"): (-100, 0),
    ("winnings_paid", "instrument"): (0, -100),
}
"""By kind and medium what a movement of 100 cents changes: the money of its location, and the bank's side outside."""


@pytest.mark.parametrize("window", ["cage", "drawer-1"])
def test_a_movement_changes_the_money_of_its_location_by_what_comes_into_it_and_leaves_it(
    desk: InventoryDesk, window: str
) -> None:
    """By kind and medium: the casino's own check is paid by its bank, not out of the drawer. A void takes it back."""
    drawer = {"location": "drawer-1", "kind": "drawer", "opened_on": "2020-01-01"}
    desk.has_only("BJ-01", cage_locations=[drawer])
    desk.clock.now = at(4)

    def found() -> tuple[int, int]:
        books = {one["location"]: one["cents"] for one in desk.read(f"/cage/{PROPERTY}/books")["items"]}
        assert not any(cents for location, cents in books.items() if location != window)
        return books.get(window, 0), desk.balances().get(("", "bank", "outside"), 0)

    before = found()
    for (kind, medium), changes in MOVED.items():
        moved = PAID | {"window": window, "kind": kind, "medium": medium, "cents": 100}
        number = desk.done("/cage-movements", moved, person="cage.ann")["number"]
        after = found()
        assert changes == tuple(now - then for now, then in zip(after, before, strict=True)), (kind, medium)
        desk.done(f"/cage-movements/{PROPERTY}/{number}/void", {"reason": "another patron"}, person="cage.bob")
        assert before == found(), (kind, medium)
        before = found()
    assert {} == desk.balances()


def test_a_winner_is_identified_and_what_is_withheld_is_posted_once(desk: InventoryDesk) -> None:
    """What is said again takes the place of what was said before: the difference alone is posted."""
    won = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "round_id": "r-1", "seat": 3, "wager": "exact"}
    who = won | {"patron": "p-1", "tax_number": "not_given", "withheld_cents": 600_00}
    assert 0 == desk.done("/winners", who, person="cage.ann")["before_cents"]
    numbered = {"tax_number": "given", "withheld_cents": 500_00, "form_number": "17", "filed_on": "2027-01-31"}
    assert 600_00 == desk.done("/winners", who | numbered, person="cage.bob")["before_cents"]
    balances = desk.balances()
    assert (500_00, -500_00) == (balances["BJ-01", "", "withheld_money"], balances["BJ-01", "", "withheld_tax"])
    assert_problem(desk.send("/winners", who | {"table": "XX-99"}, person="cage.ann"), 404, "XX-99")


def test_tax_that_is_left_out_is_not_recorded_as_none(desk: InventoryDesk) -> None:
    """0 is; a tax that a further record leaves out is not known any more, and is posted back."""
    won = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "round_id": "r-1", "seat": 3, "wager": "exact"}
    who, taxes = won | {"patron": "p-1", "tax_number": "given"}, ("withheld_cents", "state_withheld_cents")
    for said, kept in (({}, (None, None)), (dict.fromkeys(taxes, 0), (0, 0)), ({taxes[0]: 600_00}, (600_00, None))):
        recorded = desk.done("/winners", who | said, person="cage.ann")
        assert kept == tuple(recorded.get(name) for name in taxes)
    assert 600_00 == desk.done("/winners", who, person="cage.bob")["before_cents"]
    assert not any(leg.startswith("withheld") for _, _, leg in desk.balances())


def test_what_is_withheld_for_a_state_is_a_liability_of_its_own(desk: InventoryDesk) -> None:
    """Beside the federal tax, and that of a locality; said again, the difference alone is posted."""
    won = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "round_id": "r-1", "seat": 3, "wager": "exact"}
    who = won | {"patron": "p-1", "tax_number": "given", "withheld_cents": 600_00}
    taxes = {"state_withheld_cents": 36_00, "local_withheld_cents": 10_00}
    assert 0 == desk.done("/winners", who | taxes, person="cage.ann")["state_before_cents"]
    again = desk.done("/winners", who | taxes | {"state_withheld_cents": 40_00}, person="cage.bob")
    assert (600_00, 36_00, 10_00) == tuple(again[f"{name}before_cents"] for name in ("", "state_", "local_"))
    balances = desk.balances()
    legs = ("withheld_money", "withheld_tax", "withheld_state_tax", "withheld_local_tax")
    assert [650_00, -600_00, -40_00, -10_00] == [balances["BJ-01", "", leg] for leg in legs]
    desk.done("/winners", who | {"withheld_cents": 0}, person="cage.ann")
    assert not any(leg in legs for _, _, leg in desk.balances())


def test_a_win_may_be_paid_later_than_its_round_but_not_before_it_or_in_days_to_come(desk: InventoryDesk) -> None:
    """The date is one of the property's clock: after midnight it is a new one, whatever the gaming day."""
    won = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "round_id": "r-1", "seat": 3, "wager": "exact"}
    who = won | {"patron": "p-1", "tax_number": "given"}
    desk.clock.now = at(20)  # 01:00 in New York, on gaming day 20
    assert "2026-11-21" == desk.done("/winners", who | {"paid_on": "2026-11-21"}, person="cage.ann")["paid_on"]
    assert_problem(desk.send("/winners", who | {"paid_on": "2026-11-19"}, person="cage.ann"), 409, "is before the win")
    late = desk.send("/winners", who | {"paid_on": "2026-11-22"}, person="cage.ann")
    assert_problem(late, 409, "'paid_on' 2026-11-22 has not come yet: today is 2026-11-21")


def test_a_win_after_midnight_is_not_paid_on_the_day_before(desk: InventoryDesk) -> None:
    """The gaming day began on that day; of a corrected round, the last closing time says when it was won."""
    table, rounds = Table("BJ-01"), Rounds()
    desk.settle(rounds.posted(table, at(19.5), "r-1", handle=10_00, payout=0))  # 00:30 in New York
    desk.clock.now = at(20)
    won = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "round_id": "r-1", "seat": 3, "wager": "exact"}
    who = won | {"patron": "p-1", "tax_number": "given"}
    early = desk.send("/winners", who | {"paid_on": DAY}, person="cage.ann")
    assert_problem(early, 409, f"'paid_on' {DAY} is before the win, of 2026-11-21")
    assert "2026-11-21" == desk.done("/winners", who | {"paid_on": "2026-11-21"}, person="cage.ann")["paid_on"]
    desk.settle(
        rounds.reversed(table, at(20), "r-1", at(19.5), handle=10_00, payout=0),
        rounds.posted(table, at(18.5), "r-1", revision=2, handle=10_00, payout=0),  # 23:30
    )
    assert DAY == desk.done("/winners", who | {"paid_on": DAY}, person="cage.ann")["paid_on"]


COUNTED = {"BJ-01": {}, "CR-01": {"game": "craps", "play": "counted", "sales": "none", "positions": 16}}
HARD_8: dict[str, Any] = {
    "property": PROPERTY,
    "table": "CR-01",
    "gaming_day": DAY,
    "won_at": at(3.5).isoformat(),
    "seat": 14,
    "wager": "Hop-hard-8",
    "wager_words": "Hop the hard 8, one roll",
    "patron": "p-1",
    "tax_number": "given",
    "paid": {"stake_cents": 100_00, "winnings_cents": 3_000_00, "odds": "30 to 1"},
}


def _with_craps(desk: InventoryDesk) -> InventoryDesk:
    games = [{"game": "craps", "kind": "craps"}]
    desk.desk.feed("properties", property_event(PROPERTY, COUNTED, sequence=2, version=2, games=games))
    desk.clock.now = at(4)
    return desk


def test_a_win_at_a_counted_table_is_named_by_its_minute_and_recorded_once(desk: InventoryDesk) -> None:
    """Whose case, seconds and offset differ says the same win; something else of it is said expressly."""
    _with_craps(desk)
    first = desk.done("/winners", HARD_8, person="cage.ann")
    assert ("hop-hard-8", "30 to 1") == (first["wager"], first["paid"]["odds"])
    later = at(3.5) + timedelta(seconds=40)
    again = HARD_8 | {"wager": "hop-hard-8", "won_at": later.astimezone(timezone(timedelta(hours=-5))).isoformat()}
    assert_problem(desk.send("/winners", again, person="cage.bob"), 409, "is on record")
    filed = again | {"replaces": True, "withheld_cents": 720_00, "form_number": "17"}
    assert (0, "17") == _of(desk.done("/winners", filed, person="cage.bob"), "before_cents", "form_number")
    assert 720_00 == desk.done("/winners", filed, person="cage.bob")["before_cents"]
    other = HARD_8 | {"replaces": True, "seat": 3}
    assert_problem(desk.send("/winners", other, person="cage.ann"), 404, "is not on record")
    for more in ({"seat": 3}, {"wager": "hard-8"}, {"won_at": at(3.6).isoformat()}):
        assert desk.done("/winners", HARD_8 | more, person="cage.ann")


def test_what_a_win_at_a_counted_table_lacks_or_contradicts_is_refused(desk: InventoryDesk) -> None:
    """It has no round, was on its gaming day, was paid as the odds say, and has odds where a form asks for them."""
    _with_craps(desk)

    def refused(status: int, why: str, **more: Any) -> None:
        assert_problem(desk.send("/winners", HARD_8 | more, person="cage.ann"), status, why)

    refused(409, "reports no rounds", round_id="r-1")
    refused(409, "reports no rounds", paid=None)
    refused(409, "'won_at' 2026-11-20 10:00:00 has not come yet", won_at=at(5).isoformat())
    refused(409, "is in gaming day 2026-11-19", won_at=at(-20).isoformat())
    paid = HARD_8["paid"]
    refused(422, "there is no seat 17 at CR-01: it has 16 'positions' (version 2 of riverbend)", seat=17)
    refused(422, "asks for the 'odds'", paid=paid | {"odds": None})
    desk.clock.now = at(20)
    refused(409, "is before the win, of 2026-11-21", won_at=at(19.5).isoformat(), paid_on=DAY)  # 00:30 in New York
    desk.clock.now = at(4)
    refused(422, "30 to 1 on 10000 cents wins 300000", paid=paid | {"winnings_cents": 2_999_00})
    assert desk.done("/winners", HARD_8 | {"paid": {"stake_cents": 10_00, "winnings_cents": 300_00}}, person="cage.ann")
    round_won = {"round_id": "r-1", "won_at": None, "table": "BJ-01"}
    refused(409, "reports its rounds", **round_won | {"won_at": at(3).isoformat()})
    refused(409, "names its 'regulation'", **round_won)


def test_a_win_that_a_payout_limit_capped_is_recorded_below_its_odds_never_above(desk: InventoryDesk) -> None:
    """$25,000 of $49,950, with the limit that capped it; what the odds pay in full was not capped."""
    _with_craps(desk)
    limit = {"capped": "aggregate payout limit of $25,000"}
    fire: dict[str, Any] = {"stake_cents": 50_00, "winnings_cents": 25_000_00, "odds": "999 to 1", "side_bet": True}

    def refused(why: str, **more: Any) -> None:
        assert_problem(desk.send("/winners", HARD_8 | {"paid": fire | more}, person="cage.ann"), 422, why)

    refused("999 to 1 on 5000 cents wins 4995000; 'winnings_cents' says 2500000; if a payout limit paid less, 'capped'")
    refused("'winnings_cents' says 4995001", winnings_cents=49_950_01, **limit)
    refused("wins 4995000, which was paid in full: nothing was 'capped'", winnings_cents=49_950_00, **limit)
    refused("say the odds, too", odds=None, **limit)
    recorded = desk.done("/winners", HARD_8 | {"paid": fire | limit}, person="cage.ann")
    assert fire | limit == recorded["paid"]


def test_a_win_at_a_table_that_was_certainly_closed_is_refused(desk: InventoryDesk) -> None:
    """Between a closer and the next opener, or before the first one, if nothing of the pit is missing between them."""
    _with_craps(desk)
    table = Table("CR-01")
    opened = {"game": "craps"}
    desk.pit(
        table.opened(at(1), chips(c500=10), **opened),
        table.closed(at(2) + timedelta(seconds=20), chips(c500=10)),
        table.event("tips.collected", at(2.1), cents=500, collected_by="f", observed_by="s"),
    )

    def sends(hours: float, **more: Any) -> Any:
        desk.clock.now = at(10)
        return desk.send("/winners", HARD_8 | {"won_at": at(hours).isoformat()} | more, person="cage.ann")

    first = "the table was never open before and opened at 2026-11-20 06:00:00; if that is wrong, have the pit event"
    assert_problem(sends(0.95), 409, first)
    for hours in (1, 1.5, 2):  # the minutes in which it opened and closed are among them
        assert 201 == sends(hours).status_code, hours
    assert 201 == sends(3).status_code  # nobody reported yet whether it opened again
    desk.pit(table.opened(at(4), chips(c500=10), **opened))
    again = sends(3.5)
    assert_problem(again, 409, "the table closed at 2026-11-20 07:00:20 and opened at 2026-11-20 09:00:00")
    assert 201 == sends(3, replaces=True, form_number="17").status_code  # what is on record is still filed
    assert 201 == sends(4.5).status_code
    closed, missing = table.closed(at(5), chips(c500=10)), table.opened(at(6), chips(c500=10), **opened)
    desk.pit(closed)
    table.closed(at(6.5), chips(c500=10))
    desk.pit(table.opened(at(7), chips(c500=10), **opened))
    assert 201 == sends(6.2).status_code  # two events have not come: it may have been open
    assert missing["sequence"] == closed["sequence"] + 1


def _of(document: dict[str, Any], *wanted: str) -> tuple[Any, ...]:
    return tuple(document[name] for name in wanted)


def test_a_movement_says_for_whom_it_is(desk: InventoryDesk) -> None:
    """Whoever is at the window acts for others; the void says the same; nobody acts for himself, or twice for one."""
    desk.clock.now, others = at(20), {"on_behalf_of": ["p-2", "p-3"]}
    assert ["p-2", "p-3"] == desk.done("/cage-movements", PAID | others, person="cage.ann")["on_behalf_of"]
    voided = desk.done(f"/cage-movements/{PROPERTY}/1/void", {"reason": "another patron"}, person="cage.bob")
    assert ["p-2", "p-3"] == voided["on_behalf_of"]
    page = desk.get(f"/cage-movements?property={PROPERTY}&gaming_day={DAY}", person="cage.ann").json()
    assert [["p-2", "p-3"]] * 2 == [one["on_behalf_of"] for one in page["items"]]
    assert "on_behalf_of" not in desk.done("/cage-movements", PAID, person="cage.ann")
    for wrong, why in ((["p-1"], "p-1, who conducts it"), (["p-2", "p-2"], "p-2 twice"), ([], "at least 1")):
        refused = desk.send("/cage-movements", PAID | {"on_behalf_of": wrong}, person="cage.ann")
        assert_problem(refused, 422, why)


def test_a_claim_under_a_treaty_holds_on_the_day_of_payment_or_is_refused(desk: InventoryDesk) -> None:
    """By the country of the winner, with a taxpayer number; the list of countries is the pack's."""
    won = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "round_id": "r-1", "seat": 3, "wager": "exact"}
    claim = {"country": "DE", "article": "21(1)", "signed_on": DAY, "valid_until": "2029-12-31"}
    who = won | {"patron": "p-1", "tax_number": "given", "tax_residence": "DE", "paid_on": DAY, "treaty": claim}
    desk.clock.now = at(20)
    for changes, status, why in (
        ({"treaty": claim | {"country": "CA"}, "tax_residence": "CA"}, 422, "no treaty with CA gives relief"),
        ({"tax_residence": "FR"}, 422, "a resident of FR, not of DE"),
        ({"tax_number": "applied_for"}, 422, "without a taxpayer number"),
        ({"treaty": claim | {"signed_on": "2026-11-21"}}, 422, "the claim holds from 2026-11-21"),
        ({"treaty": claim | {"valid_until": "2020-01-01"}}, 422, "is before 'signed_on'"),
        ({"paid_on": None}, 409, "say when the win was 'paid_on'"),
    ):
        assert_problem(desk.send("/winners", who | changes, person="cage.ann"), status, why)
    assert claim == desk.done("/winners", who, person="cage.ann")["treaty"]
