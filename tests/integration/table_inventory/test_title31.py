"""Currency that the CTR has lines for, and monetary instruments, at the cage and on counter checks."""

from typing import Any

import pytest

from shared.contracts.cage import DIRECTIONS, CageKind
from tests.integration.table_inventory.test_check_collection import WRITE_OFFS, written_off
from tests.support.asgi import assert_problem
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Table, at, chips
from tests.support.properties import property_event

MOVED: dict[str, Any] = {"property": PROPERTY, "window": "cage-1", "patron": "p-1", "cents": 12_000_00}
CHECK = {
    "instrument_type": "cashiers_check",
    "issuer": "First Bank of Oakhurst",
    "references": ["casino account GA-1", "check 4711"],
}
MORE: dict[CageKind, dict[str, Any]] = {
    "check_cashed": {"instrument": CHECK},
    "casino_check_purchase": {"instrument": CHECK | {"instrument_type": "business_check"}},
    "currency_wager": {"table": "BJ-01"},
    "foreign_currency_bought": {"foreign_country": "CA"},
    "foreign_currency_sold": {"foreign_country": "MX"},
    "other_in": {"purpose": "locker rental"},
    "other_out": {"purpose": "lost property"},
}
"""What a movement of each kind says besides its amount."""

DRAWER_CENTS: dict[CageKind, int] = {
    "currency_exchange": 0,
    "currency_wager": 0,
    "foreign_currency_bought": -12_000_00,
    "foreign_currency_sold": 12_000_00,
    "tournament_fee": 12_000_00,
    "tournament_prize": -12_000_00,
    "chip_purchase": 0,
    "chip_redemption": 0,
    "check_cashed": 0,
}
"""What $12,000 of a kind does to the money in a drawer, where that is not what its direction says."""


def _drawer_cents(kind: CageKind) -> int:
    return DRAWER_CENTS.get(kind, 12_000_00 if DIRECTIONS[kind] == "in" else -12_000_00)


@pytest.mark.parametrize("kind", DIRECTIONS)
def test_each_line_of_the_form_is_recorded_and_moves_what_is_in_the_drawer(desk: InventoryDesk, kind: CageKind) -> None:
    """An exchange is in and out and leaves the sum; foreign notes are in no book; a void takes it back."""
    drawer = {"location": "drawer-1", "kind": "drawer", "opened_on": "2020-01-01"}
    desk.desk.feed("properties", property_event(PROPERTY, sequence=2, version=2, cage_locations=[drawer]))
    desk.clock.now = at(20)
    said = MOVED | {"window": "drawer-1", "kind": kind} | MORE.get(kind, {})
    done = desk.done("/cage-movements", said, person="cage.ann")
    assert (DIRECTIONS[kind], DAY, "drawer-1") == (done["direction"], done["gaming_day"], done["location"])
    assert MORE.get(kind, {}).items() <= done.items()
    assert _drawer_cents(kind) == desk.balances().get(("", "drawer-1", "location"), 0)
    voided = desk.done(f"/cage-movements/{PROPERTY}/1/void", {"reason": "another patron"}, person="cage.bob")
    assert MORE.get(kind, {}).items() <= voided.items()
    assert {} == desk.balances()
    page = desk.get(f"/cage-movements?property={PROPERTY}&gaming_day={DAY}", person="cage.ann").json()
    assert all(MORE.get(kind, {}).items() <= one.items() for one in page["items"])


@pytest.mark.parametrize("kind", ["currency_exchange", "currency_wager", "tournament_fee", "tournament_prize"])
def test_what_moves_no_money_of_the_cage_posts_nothing_there(desk: InventoryDesk, kind: CageKind) -> None:
    """Another entry moves it, or nothing does; the movement is recorded all the same."""
    desk.clock.now = at(20)
    said = MOVED | {"kind": kind} | MORE.get(kind, {})
    assert 12_000_00 == desk.done("/cage-movements", said, person="cage.ann")["cents"]
    [entry] = [entry for entry in desk.entries() if entry.draft.kind == "cage.moved"]
    assert () == tuple(entry.draft.postings)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"kind": "other_in"}, "'other_in' says its 'purpose'"),
        ({"kind": "chip_purchase", "purpose": "chips"}, "'chip_purchase' has no 'purpose'"),
        ({"kind": "other_out", "purpose": "x" * 51}, "purpose"),
        ({"kind": "foreign_currency_bought"}, "'foreign_currency_bought' says its 'foreign_country'"),
        ({"kind": "foreign_currency_sold", "foreign_country": "US"}, "US is not foreign"),
        ({"kind": "foreign_currency_sold", "foreign_country": "EU"}, "no country has this code in ISO 3166-1"),
        ({"kind": "foreign_currency_sold", "foreign_country": "PR"}, "write US, with this code as the state"),
        ({"kind": "currency_exchange", "foreign_country": "CA"}, "'currency_exchange' has no 'foreign_country'"),
        ({"kind": "currency_wager"}, "'currency_wager' says its 'table'"),
        ({"kind": "winnings_paid", "table": "BJ-01"}, "'winnings_paid' has no 'table'"),
        ({"kind": "currency_exchange", "medium": "instrument"}, "'currency_exchange' is in currency"),
        ({"kind": "chip_purchase", "instrument": CHECK}, "by no instrument"),
    ],
)
def test_what_a_kind_does_not_say_or_has_nothing_to_say_of_is_refused(
    desk: InventoryDesk, said: dict[str, Any], why: str
) -> None:
    """The refusal names the member."""
    desk.clock.now = at(20)
    assert_problem(desk.send("/cage-movements", MOVED | said, person="cage.ann"), 422, why)


def test_a_wager_of_currency_is_at_a_table_that_the_property_has(desk: InventoryDesk) -> None:
    """Another one is refused."""
    desk.clock.now = at(20)
    wagered = MOVED | {"kind": "currency_wager", "table": "XX-99"}
    assert_problem(desk.send("/cage-movements", wagered, person="cage.ann"), 404, "XX-99")


@pytest.mark.parametrize(
    ("said", "cents"),
    [
        ({"kind": "front_money_deposit", "medium": "instrument"}, 2_999_99),
        ({"kind": "check_cashed"}, 2_999_99),
        ({"kind": "casino_check_purchase"}, 2_999_99),
    ],
)
def test_an_instrument_from_3000_dollars_on_is_described(desk: InventoryDesk, said: dict[str, Any], cents: int) -> None:
    """Type, drawee or issuer and reference numbers are named by the refusal; below, they may be left out."""
    desk.clock.now = at(20)
    assert desk.done("/cage-movements", MOVED | said | {"cents": cents}, person="cage.ann")
    refused = desk.send("/cage-movements", MOVED | said | {"cents": cents + 1}, person="cage.ann")
    assert_problem(refused, 422, "'instrument_type', 'issuer' and 'references'")
    described = MOVED | said | {"cents": cents + 1, "instrument": CHECK}
    assert CHECK == desk.done("/cage-movements", described, person="cage.ann")["instrument"]


@pytest.mark.parametrize("kind", ["check_cashed", "casino_check_purchase"])
def test_an_instrument_given_for_another_is_described_with_the_other(desk: InventoryDesk, kind: CageKind) -> None:
    """Each of the two is on the list; a void has both. For currency there is no other."""
    desk.clock.now = at(20)
    said = MOVED | {"kind": kind, "medium": "instrument"}
    one_alone = desk.send("/cage-movements", said | {"instrument": CHECK}, person="cage.ann")
    assert_problem(one_alone, 422, "'exchanged_for' those of the instrument that passed the other way")
    both = CHECK | {"exchanged_for": CHECK | {"instrument_type": "personal_check"}}
    for_currency = said | {"instrument": both, "medium": "currency"}
    assert_problem(desk.send("/cage-movements", for_currency, person="cage.ann"), 422, "no 'exchanged_for'")
    assert both == desk.done("/cage-movements", said | {"instrument": both}, person="cage.ann")["instrument"]
    voided = desk.done(f"/cage-movements/{PROPERTY}/1/void", {"reason": "another patron"}, person="cage.bob")
    assert both == voided["instrument"]


@pytest.fixture
def owing(desk: InventoryDesk) -> InventoryDesk:
    """Counter checks K-1 and K-2 of $9,000 each were issued, and K-2 was written off."""
    desk.has_only("BJ-01")
    desk.clock.now = at(1)
    table = Table("BJ-01")
    desk.pit(table.opened(at(0.5), chips(c500=4_000)))
    people = {"dealer": "dealer.dan", "floorperson": "floor.fay", "drawer": "p-1"}
    for serial in ("K-1", "K-2"):
        desk.pit(table.event("counter_check.issued", at(0.6), serial=serial, cents=9_000_00, **people))
    written_off(desk, "K-2", 9_000_00)
    return desk


@pytest.mark.parametrize("path", [f"/counter-checks/{PROPERTY}/K-1/redeem", f"{WRITE_OFFS}/1/recover"])
def test_the_check_that_pays_a_counter_check_is_described_and_its_deposit_is_not(
    owing: InventoryDesk, path: str
) -> None:
    """From $3,000 on, at redemption and recovery; the counter check itself is evidence of a debt."""
    by_check = {"cents": 3_000_00, "paid_in": "check"}
    refused = owing.send(path, by_check, person="cage.ann")
    assert_problem(refused, 422, "'instrument_type', 'issuer' and 'references'")
    assert CHECK == owing.done(path, by_check | {"instrument": CHECK}, person="cage.ann")["instrument"]
    for said in ({"cents": 2_999_99, "paid_in": "check"}, {"cents": 3_000_00, "paid_in": "deposit"}):
        assert "instrument" not in owing.done(path, said, person="cage.ann")
    in_chips = {"cents": 1_00, "paid_in": "chips", "instrument": CHECK}
    assert_problem(owing.send(path, in_chips, person="cage.ann"), 422, "this is paid in chips")


def test_a_money_play_is_in_the_box_as_a_sale_is(desk: InventoryDesk) -> None:
    """Tray, box and win are the same with it; one by prepaid access is none."""
    desk.has_only("BJ-01")
    desk.clock.now = at(1)
    table = Table("BJ-01")
    desk.pit(table.opened(at(0.5), chips(c500=4_000)))
    sold = {"cents": 500_00, "dealer": "dealer.dan", "instrument": "currency"}
    desk.pit(table.event("chips.sold", at(0.6), **sold, money_play=True))
    desk.pit(table.event("chips.sold", at(0.7), **sold))
    assert 1_000_00 == desk.balances()["BJ-01", "currency", "box"]
    wrong = sold | {"instrument": "prepaid_access", "money_play": True}
    desk.pit(table.event("chips.sold", at(0.8), **wrong))
    assert 1 == len(desk.quarantined())
    data = [entry.draft.data for entry in desk.entries() if b'"chips.sold"' in entry.draft.data]
    assert [True, False] == [b"money_play" in one for one in data][:2]  # a sale is recorded as before
