"""What known patrons move at the cage, and what is void of it."""

from tests.support.asgi import assert_problem
from tests.support.pit import DAY, PROPERTY, InventoryDesk, at

PAID = {"property": PROPERTY, "window": "cage-1", "patron": "p-1", "kind": "chip_redemption", "cents": 12_000_00}


def test_what_a_patron_moves_is_numbered_and_posted_by_kind_and_medium(desk: InventoryDesk) -> None:
    """The direction follows from the kind; the gaming day and shift are those of the moment."""
    desk.clock.now = at(20)
    first = desk.done("/cage-movements", PAID, person="cage.ann")
    assert (1, "out", DAY, "grave") == tuple(first[name] for name in ("number", "direction", "gaming_day", "shift"))
    front = PAID | {"kind": "front_money_deposit", "cents": 5_000_00, "medium": "instrument"}
    second = desk.done("/cage-movements", front, person="cage.bob")
    assert (2, "in") == (second["number"], second["direction"])
    balances = desk.balances()
    assert (-12_000_00, 12_000_00, 5_000_00, -5_000_00) == (
        balances["", "currency", "cage_money"],
        balances["", "chip_redemption", "patrons_money"],
        balances["", "instrument", "cage_money"],
        balances["", "front_money_deposit", "patrons_money"],
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


def test_a_win_may_be_paid_later_than_its_round_but_not_before_it_or_in_days_to_come(desk: InventoryDesk) -> None:
    """The date is one of the property's clock: after midnight it is a new one, whatever the gaming day."""
    won = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "round_id": "r-1", "seat": 3, "wager": "exact"}
    who = won | {"patron": "p-1", "tax_number": "given"}
    desk.clock.now = at(20)  # 01:00 in New York, on gaming day 20
    assert "2026-11-21" == desk.done("/winners", who | {"paid_on": "2026-11-21"}, person="cage.ann")["paid_on"]
    assert_problem(
        desk.send("/winners", who | {"paid_on": "2026-11-19"}, person="cage.ann"), 409, "is before the round"
    )
    late = desk.send("/winners", who | {"paid_on": "2026-11-22"}, person="cage.ann")
    assert_problem(late, 409, "'paid_on' 2026-11-22 has not come yet: today is 2026-11-21")
