"""What lies at the locations of the cage: transfers by two people, and counts with what is over and short."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.asgi import assert_problem
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Table, at, chips, inventory_desk
from tests.support.properties import property_event

AT_CAGE = f"/cage/{PROPERTY}"
LOCATIONS: list[dict[str, Any]] = [
    {"location": "vault", "kind": "vault", "opened_on": "2020-01-01"},
    {"location": "drawer-1", "kind": "drawer", "imprest_cents": 20_000_00, "opened_on": "2020-01-01"},
    {"location": "old", "kind": "chip_bank", "opened_on": "2020-01-01", "retired_on": "2021-01-01"},
]
SETS = [
    {"chip_set": "house", "denominations_cents": [500, 2500], "in_use_from": "2020-01-01"},
    {"chip_set": "first", "denominations_cents": [500], "in_use_from": "2019-01-01", "retired_on": DAY},
    {"chip_set": "last", "denominations_cents": [500], "in_use_from": "2020-01-01", "retired_on": "2026-11-21"},
]


def currency(count: int, cents: int = 100_00) -> list[dict[str, Any]]:
    """Notes of one denomination."""
    return [{"kind": "currency", "cents": cents, "count": count}]


def house(cents: int, count: int) -> dict[str, Any]:
    """Chips of the property."""
    return {"kind": "chips", "chip_set": "house", "cents": cents, "count": count}


@pytest.fixture
def cage(desk: InventoryDesk) -> InventoryDesk:
    """A property whose cage has a vault and a drawer."""
    desk.has_only("BJ-01", cage_locations=LOCATIONS, chip_sets=SETS)
    desk.clock.now = at(4)
    return desk


def _passes(cage: InventoryDesk, giver: str, receiver: str, contents: list[dict[str, Any]]) -> dict[str, Any]:
    """Something passes from one to the other: issued by one person, received by another."""
    wanted = {"giver": giver, "receiver": receiver, "contents": contents}
    number = cage.done(f"{AT_CAGE}/transfers", wanted, person="cage.ann")["transfer"]
    return cage.done(f"{AT_CAGE}/transfers/{number}/receive", person="cage.bob")


def _counts(cage: InventoryDesk, location: str, contents: list[dict[str, Any]], reason: str | None = None) -> Any:
    """A location is counted by one person and verified by another; the answer."""
    counted = {"location": location, "contents": contents, "cashier": "cage.ann"}
    number = cage.done(f"{AT_CAGE}/counts", counted, person="cage.ann")["count"]
    why = {} if reason is None else {"reason": reason}
    return cage.done(f"{AT_CAGE}/counts/{number}/verify", why, person="cage.bob")


def _books(cage: InventoryDesk) -> dict[str, int]:
    return {one["location"]: one["cents"] for one in cage.read(f"{AT_CAGE}/books")["items"]}


def test_a_transfer_is_in_transit_until_another_person_receives_it(cage: InventoryDesk) -> None:
    """By denomination and chip set; between, it is neither here nor there."""
    contents = [house(500, 1000), *currency(50)]
    _counts(cage, "vault", contents)
    wanted = {"giver": "vault", "receiver": "drawer-1", "contents": contents}
    issued = cage.done(f"{AT_CAGE}/transfers", wanted, person="cage.ann")
    assert (1, "issued", DAY) == tuple(issued[name] for name in ("transfer", "status", "gaming_day"))
    balances = cage.balances()
    assert (0, 10_000_00) == (balances.get(("", "vault", "location"), 0), balances["", "", "cage_transit"])
    own = cage.send(f"{AT_CAGE}/transfers/1/receive", person="cage.ann")
    assert_problem(own, 403, "cage.ann issued transfer 1 at the cage of riverbend: somebody else must receive it")
    received = cage.done(f"{AT_CAGE}/transfers/1/receive", person="cage.bob")
    assert ("received", "cage.bob") == (received["status"], received["received_by"])
    assert {"vault": 0, "drawer-1": 10_000_00} == _books(cage)
    again = cage.send(f"{AT_CAGE}/transfers/1/return", {"reason": "short"}, person="cage.ann")
    assert_problem(again, 409, "transfer 1 at the cage of riverbend was received already")
    listed = cage.get(f"{AT_CAGE}/transfers?status=received&gaming_day={DAY}", person="cage.ann").json()["items"]
    assert [1] == [one["transfer"] for one in listed]


def test_what_is_returned_is_where_it_was(cage: InventoryDesk) -> None:
    """With a reason, and by another person than who issued it."""
    wanted = {"giver": "bank", "receiver": "cage", "contents": currency(3)}
    cage.done(f"{AT_CAGE}/transfers", wanted, person="cage.ann")
    own = cage.send(f"{AT_CAGE}/transfers/1/return", {"reason": "a strap is short"}, person="cage.ann")
    assert_problem(own, 403, "cage.ann issued transfer 1: somebody else must receive or return it")
    returned = cage.done(f"{AT_CAGE}/transfers/1/return", {"reason": "a strap is short"}, person="cage.bob")
    assert ("returned", "a strap is short") == (returned["status"], returned["return_reason"])
    assert {} == {key: cents for key, cents in cage.balances().items() if cents}


REFUSED: dict[str, tuple[dict[str, Any], int]] = {
    "'safe' is no location at the cage of riverbend": ({"giver": "safe"}, 404),
    "old at the cage of riverbend (version 2) was retired on 2021-01-01 and takes nothing in": (
        {"receiver": "old"},
        422,
    ),
    "old was retired on 2021-01-01 and was never counted, and its books have nothing": ({"giver": "old"}, 422),
    f"on {DAY} it has cage, drawer-1, vault": ({"receiver": "Drawer-1"}, 404),
    "vault gives nothing to itself": ({"receiver": "vault"}, 422),
    "bank and destruction are both outside": ({"giver": "bank", "receiver": "destruction"}, 422),
    "manufacturer gives no currency; it gives chips": ({"giver": "manufacturer"}, 422),
    "destruction takes no currency": ({"receiver": "destruction"}, 422),
    "a chip of $7.00 of the chip set 'house'": ({"contents": [house(700, 1)]}, 404),
    "a chip of $5.00 without a 'chip_set'": ({"contents": [{"kind": "chips", "cents": 500, "count": 1}]}, 404),
    "foreign_chips have an 'issuer'": ({"contents": [{"kind": "foreign_chips", "cents": 500, "count": 1}]}, 422),
    "foreign_chips of Riverbend, which is the property itself": (
        {"contents": [{"kind": "foreign_chips", "issuer": "Riverbend", "cents": 500, "count": 1}]},
        404,
    ),
    "1 x 100.00 in currency: vault does not hold that by its books": ({"contents": currency(1)}, 409),
    "cage does not hold that by its books: count it": ({"giver": "cage", "receiver": "vault"}, 409),
    "there is no note or coin of 234500 cents": ({"contents": currency(1, 234500)}, 422),
    "currency have no 'piece': only chips are chips": ({"contents": [currency(1)[0] | {"piece": "chip"}]}, 422),
    "coupons have no 'piece'": ({"contents": [{"kind": "coupons", "cents": 1, "count": 1, "piece": "coin"}]}, 422),
    "are listed twice": ({"contents": [*currency(1), *currency(2)]}, 422),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_is_refused(cage: InventoryDesk, why: str) -> None:
    """Locations that are not there on the day, what nobody outside gives or takes, chips of no set."""
    change, status = REFUSED[why]
    wanted = {"giver": "vault", "receiver": "cage", "contents": currency(3)} | change
    assert_problem(cage.send(f"{AT_CAGE}/transfers", wanted, person="cage.ann"), status, why)


def test_a_retired_chip_set_is_not_put_into_service_again(cage: InventoryDesk) -> None:
    """From its day on it comes from the count room and from other properties, and is destroyed; before, it is new."""

    def issues(giver: str, receiver: str, chip_set: str) -> Any:
        wanted = {"giver": giver, "receiver": receiver, "contents": [house(500, 10) | {"chip_set": chip_set}]}
        return cage.send(f"{AT_CAGE}/transfers", wanted, person="cage.ann")

    why = f"the chip set 'first' was retired on {DAY} ('chip_sets' of version 2): it is not put into service again"
    assert_problem(issues("manufacturer", "vault", "first"), 422, why)
    for giver in ("count_room", "other_property"):
        number = issues(giver, "vault", "first").json()["transfer"]
        cage.done(f"{AT_CAGE}/transfers/{number}/receive", person="cage.bob")
    assert 201 == issues("vault", "destruction", "first").status_code
    number = issues("manufacturer", "vault", "last").json()["transfer"]
    cage.clock.now = at(24)
    late = cage.send(f"{AT_CAGE}/transfers/{number}/receive", person="cage.bob")
    assert_problem(late, 422, "the chip set 'last' was retired on 2026-11-21")
    cage.done(f"{AT_CAGE}/transfers/{number}/return", {"reason": "retired"}, person="cage.bob")


def test_the_first_count_begins_the_books_and_the_next_is_over_or_short(cage: InventoryDesk) -> None:
    """Nobody who counts sees what is expected; what differs needs a reason, and its cashier answers for it."""
    _counts(cage, "vault", currency(100))
    first = _counts(cage, "drawer-1", currency(200))
    assert (0, 20_000_00) == (first["over_short_cents"], first["imprest_cents"])
    assert "before_cents" not in first
    _passes(cage, "vault", "drawer-1", currency(50))
    _passes(cage, "drawer-1", "vault", currency(20))
    counted = {"location": "drawer-1", "contents": currency(229), "cashier": "cage.ann"}
    entered = cage.done(f"{AT_CAGE}/counts", counted, person="cage.ann")
    assert not {"book", "before_cents", "over_short_cents"} & entered.keys()
    waiting = cage.send(f"{AT_CAGE}/counts", counted, person="cage.bob")
    assert_problem(waiting, 409, "count 3 of drawer-1 waits to be verified")
    assert_problem(cage.send(f"{AT_CAGE}/counts/3/verify", person="cage.ann"), 403, "cage.ann counted count 3")
    _passes(cage, "vault", "drawer-1", currency(1))  # after it was counted: it is of the next count
    short = cage.send(f"{AT_CAGE}/counts/3/verify", person="cage.bob")
    assert_problem(short, 409, "count 3 of drawer-1 is not what the ledger expects: count it again")
    assert "10000" not in short.text
    verified = cage.done(f"{AT_CAGE}/counts/3/verify", {"reason": "overpaid a patron"}, person="cage.bob")
    figures = ("before_cents", "flows", "counted_cents", "over_short_cents", "cashier", "over_short_reason")
    flows = {"received": 5_000_00, "issued": -2_000_00}
    assert (20_000_00, flows, 22_900_00, -100_00, "cage.ann", "overpaid a patron") == tuple(
        verified[name] for name in figures
    )
    balances = cage.balances()
    assert 100_00 == balances["", "drawer-1", "cage_over_short"]
    assert -20_000_00 == balances["", "drawer-1", "cage_brought_forward"]
    assert 23_000_00 == _books(cage)["drawer-1"]
    third = _counts(cage, "drawer-1", currency(230))
    assert (22_900_00, {"received": 100_00}, 0) == tuple(
        third[name] for name in ("before_cents", "flows", "over_short_cents")
    )


def test_a_drawer_is_counted_for_the_cashier_who_has_it(cage: InventoryDesk) -> None:
    """Who opened it by its first count has it until a count names who takes it over; nobody else is made to answer."""

    def counts(location: str, count: int, cashier: str, next_cashier: str | None = None) -> Any:
        contents = currency(count)
        counted = {"location": location, "contents": contents, "cashier": cashier, "next_cashier": next_cashier}
        return cage.send(f"{AT_CAGE}/counts", counted, person="cage.ann")

    def verified(answer: Any) -> Any:
        path = f"{AT_CAGE}/counts/{answer.json()['count']}/verify"
        return cage.done(path, {"reason": "a strap was short"}, person="cage.bob")

    verified(counts("drawer-1", 200, "cage.cy"))
    other = counts("drawer-1", 199, "cage.dee")
    assert_problem(other, 409, f"drawer-1 is with cage.cy since count 1 of {DAY} 09:00:00, who answers for what")
    assert_problem(other, 409, "and not cage.dee: whoever takes it over is named as 'next_cashier' of a count")
    taken_over = verified(counts("drawer-1", 199, "Cage.Cy", "cage.dee"))
    assert ("Cage.Cy", "cage.dee", -100_00) == tuple(
        taken_over[name] for name in ("cashier", "next_cashier", "over_short_cents")
    )
    assert_problem(counts("drawer-1", 199, "cage.cy"), 409, "drawer-1 is with cage.dee since count 2")
    rejected = counts("drawer-1", 199, "cage.dee", "cage.eli").json()["count"]
    cage.done(f"{AT_CAGE}/counts/{rejected}/reject", {"reason": "who is Eli?"}, person="cage.bob")
    assert 0 == verified(counts("drawer-1", 199, "cage.dee"))["over_short_cents"]
    for cashier in ("cage.dee", "CAGE.Dee"):
        to_oneself = counts("drawer-1", 199, "cage.dee", cashier)
        assert_problem(to_oneself, 422, f"{cashier} has drawer-1 already: 'next_cashier' is another person, who takes")
    for location in ("vault", "cage"):  # of which several people take and give
        assert_problem(counts(location, 3, "cage.cy", "cage.dee"), 422, f"{location} is no drawer")
        verified(counts(location, 3, "cage.cy"))
        verified(counts(location, 3, "cage.dee"))


def test_who_counted_does_not_reject_the_count(cage: InventoryDesk) -> None:
    """Else they would count until it fits, and nobody saw what they counted before."""
    counted = {"location": "vault", "contents": currency(3), "cashier": "cage.ann"}
    cage.done(f"{AT_CAGE}/counts", counted, person="cage.ann")
    own = cage.send(f"{AT_CAGE}/counts/1/reject", {"reason": "a strap is closed"}, person="cage.ann")
    assert_problem(own, 403, "cage.ann counted count 1 of vault: somebody else must verify or reject it")
    cage.done(f"{AT_CAGE}/counts/1/reject", {"reason": "a strap is closed"}, person="cage.bob")


def test_a_rejected_count_posts_nothing(cage: InventoryDesk) -> None:
    """The location is counted again."""
    counted = {"location": "vault", "contents": currency(3), "cashier": "cage.ann"}
    cage.done(f"{AT_CAGE}/counts", counted, person="cage.ann")
    rejected = cage.done(f"{AT_CAGE}/counts/1/reject", {"reason": "a strap is closed"}, person="cage.bob")
    assert ("rejected", {}) == (rejected["status"], cage.balances())
    assert_problem(cage.send(f"{AT_CAGE}/counts/1/verify", person="cage.bob"), 409, "was rejected already")
    unknown = cage.send(f"{AT_CAGE}/counts", counted | {"location": "safe"}, person="cage.ann")
    assert_problem(unknown, 404, f"on {DAY} it has cage, drawer-1, vault")


def test_what_has_no_value_is_counted_and_is_no_money(cage: InventoryDesk) -> None:
    """Promotional and non-negotiable chips, and coupons; foreign chips are worth what was paid for them."""
    paper = [
        {"kind": "promotional_chips", "cents": 500, "count": 40},
        {"kind": "non_negotiable_chips", "cents": 500, "count": 40},
        {"kind": "coupons", "cents": 1000, "count": 9},
    ]
    _passes(cage, "promotions", "cage", paper)
    assert {} == cage.balances()
    foreign = [{"kind": "foreign_chips", "issuer": "harbor", "cents": 2500, "count": 4}]
    assert 100_00 == _counts(cage, "cage", [*paper, *foreign])["counted_cents"]
    _passes(cage, "cage", "other_property", foreign)
    _passes(cage, "other_property", "cage", currency(1))
    assert ({"cage": 100_00}, 0) == (_books(cage), cage.balances().get(("", "other_property", "outside"), 0))


def test_what_tables_and_patrons_move_is_of_the_cage_or_of_the_window_that_is_a_location(cage: InventoryDesk) -> None:
    """A fill and a credit; chips bought and redeemed change nothing in sum; front money does."""
    _counts(cage, "cage", [house(500, 2000), *currency(300)])
    _counts(cage, "drawer-1", currency(200))
    table, people = Table("BJ-01"), {"surrendered_by": "dealer.dan", "observed_by": "floor.fay"}
    cage.pit(table.opened(at(0), chips(c500=1000)))
    fill = cage.slip("fill", "BJ-01", chips(c500=40))
    cage.pit(table.event("fill.carried", at(1), number=fill, carried_by="sec.gus"))
    credit = cage.slip("credit", "BJ-01", chips(c500=10))
    cage.pit(table.event("credit.carried", at(2), number=credit, carried_by="sec.gus", **people))
    cage.done(f"/slips/{PROPERTY}/credit/{credit}/receive", {"contents": chips(c500=10)}, person="cage.ann")
    moved = {"property": PROPERTY, "window": "drawer-1", "patron": "p-1", "kind": "front_money_deposit"}
    cage.done("/cage-movements", moved | {"cents": 5_000_00}, person="cage.ann")
    cage.done("/cage-movements", moved | {"cents": 700_00, "kind": "chip_redemption"}, person="cage.ann")
    cage.done("/cage-movements", moved | {"cents": 30_00, "window": "cage"}, person="cage.ann")
    assert {"cage": 40_000_00 - 200_00 + 50_00 + 30_00, "drawer-1": 25_000_00} == _books(cage)
    chips_and_money = _counts(cage, "drawer-1", [house(500, 140), *currency(243)])
    assert ({"from_patrons": 5_000_00}, 0) == (chips_and_money["flows"], chips_and_money["over_short_cents"])
    assert {"to_tables": -200_00, "from_tables": 50_00, "from_patrons": 30_00} == (
        _counts(cage, "cage", [house(500, 1970), *currency(300), *currency(6, 5_00)])["flows"]
    )
    cage.done(f"/cage-movements/{PROPERTY}/1/void", {"reason": "another patron"}, person="cage.bob")
    assert 20_000_00 == _books(cage)["drawer-1"]


def test_a_window_is_a_location_at_which_patrons_are_served(cage: InventoryDesk) -> None:
    """Spelled as the property has it: else the money would be booked to `cage`, and nobody would know."""
    moved = {"property": PROPERTY, "patron": "p-1", "kind": "front_money_deposit", "cents": 100}
    for window in ("Drawer-1", "drawer-9"):
        refused = cage.send("/cage-movements", moved | {"window": window}, person="cage.ann")
        why = f"'{window}' is no location at the cage of riverbend (version 2); on {DAY} it has cage, drawer-1, vault"
        assert_problem(refused, 404, why)
    old = cage.send("/cage-movements", moved | {"window": "old"}, person="cage.ann")
    assert_problem(old, 422, f"was retired on 2021-01-01 and takes nothing in; on {DAY} it has cage, drawer-1, vault")
    vault = cage.send("/cage-movements", moved | {"window": "vault"}, person="cage.ann")
    assert_problem(vault, 422, "vault is a vault: patrons are served at cage, drawers and main banks")
    assert {} == _books(cage)


def test_a_vault_gives_no_more_of_a_denomination_than_it_has_by_its_books(cage: InventoryDesk) -> None:
    """As counted last, with what came and went since; what is in transit is not there, what came back is."""
    _counts(cage, "vault", [house(500, 100), *currency(10), {"kind": "coupons", "cents": 1000, "count": 5}])

    def gives(*contents: dict[str, Any]) -> Any:
        wanted = {"giver": "vault", "receiver": "drawer-1", "contents": contents}
        return cage.send(f"{AT_CAGE}/transfers", wanted, person="cage.ann")

    assert_problem(gives(house(500, 101)), 409, "101 chips of 5.00: vault does not hold that by its books")
    assert_problem(gives(*currency(1, 50_00)), 409, "1 x 50.00 in currency: vault does not hold that")
    coupons = {"kind": "coupons", "cents": 1000, "count": 6}
    assert_problem(gives(coupons), 409, "6 coupons of 10.00: vault does not hold that by its books")
    assert 201 == gives(house(500, 60)).status_code
    assert 409 == gives(house(500, 41)).status_code
    counted = {"location": "vault", "contents": [house(500, 30), *currency(10)], "cashier": "cage.ann"}
    cage.done(f"{AT_CAGE}/counts", counted, person="cage.ann")  # ten chips less than the books have
    cage.done(f"{AT_CAGE}/transfers/1/return", {"reason": "a rack is short"}, person="cage.bob")
    assert 201 == gives(house(500, 5)).status_code
    cage.done(f"{AT_CAGE}/counts/2/verify", {"reason": "dropped behind the safe"}, person="cage.bob")
    assert 409 == gives(house(500, 86)).status_code  # 30 were counted; 60 came back since, and 5 left
    assert 201 == gives(house(500, 85)).status_code


def test_where_patrons_are_served_a_location_gives_no_more_money_than_it_has(cage: InventoryDesk) -> None:
    """Chips for which a drawer gave currency to patrons may leave it: nobody records what they exchange by piece."""
    _counts(cage, "drawer-1", currency(200))
    wanted = {"giver": "drawer-1", "receiver": "vault", "contents": [house(500, 4001)]}
    above = cage.send(f"{AT_CAGE}/transfers", wanted, person="cage.ann")
    assert_problem(above, 409, "drawer-1 does not hold that by its books: count it, if it does")
    assert "20000" not in above.text
    _passes(cage, "drawer-1", "vault", [house(500, 4000)])
    assert {"drawer-1": 0, "vault": 20_000_00} == _books(cage)


def test_what_is_asked_of_a_location_twice_at_once_is_given_once(cage: InventoryDesk, url: str) -> None:
    """Of twenty transfers of 10 chips that four threads ask of two processes, the vault has 100: ten are issued."""
    _counts(cage, "vault", [house(500, 100)])
    wanted = {"giver": "vault", "receiver": "drawer-1", "contents": [house(500, 10)]}
    with inventory_desk(url) as other, ThreadPoolExecutor(4) as pool:
        other.clock.now = cage.clock.now

        def ask(number: int) -> int:
            desk = (cage, other)[number % 2].desk
            return desk.post(f"{AT_CAGE}/transfers", wanted, person="cage.ann", key=f"k-{number}").status_code

        answers = list(pool.map(ask, range(20)))
    assert {201: 10, 409: 10} == {status: answers.count(status) for status in set(answers)}
    assert {"vault": 0} == _books(cage)


def test_the_list_of_locations_shows_who_has_each_drawer(cage: InventoryDesk) -> None:
    """Since which count; of other locations nobody, of which several people take and give."""

    def listed() -> list[tuple[Any, ...]]:
        found = cage.get(f"{AT_CAGE}/locations", person="cage.ann").json()["items"]
        names = ("location", "kind", "imprest_cents", "cashier", "since_count", "since")
        return [tuple(one.get(name) for name in names) for one in found]

    vault, none = ("vault", "vault", None, None, None, None), (None, None, None)
    at_cage = ("cage", "cage", None, *none)
    assert [at_cage, ("drawer-1", "drawer", 20_000_00, *none), vault] == listed()
    _counts(cage, "vault", currency(100))
    _counts(cage, "drawer-1", currency(200))
    began = at(4).isoformat().replace("+00:00", "Z")
    assert [at_cage, ("drawer-1", "drawer", 20_000_00, "cage.ann", 2, began), vault] == listed()
    counted = {"location": "drawer-1", "contents": currency(200), "cashier": "cage.ann", "next_cashier": "cage.dee"}
    cage.done(f"{AT_CAGE}/counts", counted, person="cage.ann")
    assert "cage.ann" == listed()[1][3]
    cage.clock.now = at(5)
    cage.done(f"{AT_CAGE}/counts/3/verify", person="cage.bob")
    assert ("drawer-1", "drawer", 20_000_00, "cage.dee", 3, began) == listed()[1]
    assert_problem(cage.get("/cage/nowhere/locations", person="cage.ann"), 404, "nowhere")


def test_a_count_of_nothing_is_said_to_be_one(cage: InventoryDesk) -> None:
    """An empty list alone may be a form or a file that nobody filled in; nor is a count of something one of nothing."""
    counted = {"location": "vault", "contents": [], "cashier": "cage.ann"}
    for body in (counted, counted | {"is_empty": False}):
        refused = cage.send(f"{AT_CAGE}/counts", body, person="cage.ann")
        assert_problem(refused, 422, "")
        [mistake] = refused.json()["errors"]
        assert "body.is_empty" == mistake["at"]
        assert "'contents' lists nothing: list what is there, or say 'is_empty' if that is nothing" in mistake["what"]
    both = cage.send(f"{AT_CAGE}/counts", counted | {"contents": currency(1), "is_empty": True}, person="cage.ann")
    [mistake] = both.json()["errors"]
    assert "'is_empty' says that nothing is there, and 'contents' lists something" in mistake["what"]
    _counts(cage, "vault", currency(3))
    emptied = cage.done(f"{AT_CAGE}/counts", counted | {"is_empty": True}, person="cage.ann")
    assert [] == emptied["contents"]
    short = cage.done(f"{AT_CAGE}/counts/2/verify", {"reason": "stolen"}, person="cage.bob")
    assert -300_00 == short["over_short_cents"]


RETIRED_ON = "2026-11-21"
EMPTY: dict[str, Any] = {"contents": [], "is_empty": True}


@pytest.fixture
def retiring(desk: InventoryDesk) -> InventoryDesk:
    """A cage whose drawer-2 and chip bank are in use on `DAY` for the last time; each was counted with 1,000.00."""
    last = {"opened_on": "2020-01-01", "retired_on": RETIRED_ON}
    both = [{"location": "drawer-2", "kind": "drawer", **last}, {"location": "chip-bank", "kind": "chip_bank", **last}]
    desk.has_only("BJ-01", cage_locations=[*LOCATIONS, *both], chip_sets=SETS)
    desk.clock.now = at(4)
    _counts(desk, "drawer-2", currency(10))
    _counts(desk, "chip-bank", [house(500, 200)])
    return desk


def _retired(cage: InventoryDesk) -> list[tuple[Any, ...]]:
    """The retired locations that are listed: name, since when they are, and who has the drawer."""
    found = cage.get(f"{AT_CAGE}/locations", person="cage.ann").json()["items"]
    names = ("location", "retired_on", "cashier")
    return [tuple(one.get(name) for name in names) for one in found if "retired_on" in one]


def _issues(cage: InventoryDesk, giver: str, receiver: str, contents: list[dict[str, Any]]) -> Any:
    wanted = {"giver": giver, "receiver": receiver, "contents": contents}
    return cage.send(f"{AT_CAGE}/transfers", wanted, person="cage.ann")


def test_a_retired_location_takes_nothing_in_but_what_belonged_to_it(retiring: InventoryDesk) -> None:
    """No transfer, also none that was issued before, and no patron; what left it comes back, and a void reaches it."""
    moved = {"property": PROPERTY, "patron": "p-1", "kind": "front_money_deposit", "cents": 50_00, "window": "drawer-2"}
    retiring.done("/cage-movements", moved, person="cage.ann")
    assert 201 == _issues(retiring, "drawer-2", "vault", currency(3)).status_code
    assert 201 == _issues(retiring, "bank", "drawer-2", currency(1)).status_code
    assert [] == _retired(retiring)
    retiring.clock.now = at(24)
    why = f"drawer-2 at the cage of riverbend (version 2) was retired on {RETIRED_ON} and takes nothing in"
    assert_problem(_issues(retiring, "bank", "drawer-2", currency(1)), 422, why)
    assert_problem(retiring.send("/cage-movements", moved, person="cage.ann"), 422, why)
    received = retiring.send(f"{AT_CAGE}/transfers/2/receive", person="cage.bob")
    assert_problem(received, 422, f"{why}: return transfer 2")
    for number in (1, 2):
        retiring.done(f"{AT_CAGE}/transfers/{number}/return", {"reason": "retired"}, person="cage.bob")
    retiring.done(f"/cage-movements/{PROPERTY}/1/void", {"reason": "another patron"}, person="cage.bob")
    assert 1_000_00 == _books(retiring)["drawer-2"]


def test_a_retired_location_is_listed_and_counted_until_a_count_has_found_it_empty(retiring: InventoryDesk) -> None:
    """What it holds is transferred out; the last count relieves its cashier. What reaches it later opens it again."""
    moved = {"property": PROPERTY, "patron": "p-1", "kind": "front_money_deposit", "cents": 100_00}
    retiring.done("/cage-movements", moved | {"window": "drawer-2"}, person="cage.ann")
    retiring.clock.now = at(24)
    bank, drawer = ("chip-bank", RETIRED_ON, None), ("drawer-2", RETIRED_ON, "cage.ann")
    assert [bank, drawer] == _retired(retiring)
    assert 0 == _counts(retiring, "drawer-2", currency(11))["over_short_cents"]
    other = {"location": "drawer-2", "contents": currency(11), "cashier": "cage.dee"}
    assert_problem(retiring.send(f"{AT_CAGE}/counts", other, person="cage.ann"), 409, "drawer-2 is with cage.ann")
    more = _issues(retiring, "chip-bank", "vault", [house(2500, 40)])
    assert_problem(more, 409, "40 chips of 25.00: chip-bank does not hold that by its books")
    _passes(retiring, "chip-bank", "vault", [house(500, 200)])
    assert 201 == _issues(retiring, "drawer-2", "vault", currency(11)).status_code
    assert [bank, drawer] == _retired(retiring)
    retiring.done(f"{AT_CAGE}/transfers/2/receive", person="cage.bob")
    assert [bank, drawer] == _retired(retiring)
    for number, location in ((4, "chip-bank"), (5, "drawer-2")):
        empty = {"location": location, "contents": [], "is_empty": True, "cashier": "cage.ann"}
        assert number == retiring.done(f"{AT_CAGE}/counts", empty, person="cage.ann")["count"]
        assert 0 == retiring.done(f"{AT_CAGE}/counts/{number}/verify", person="cage.bob")["over_short_cents"]
    assert [] == _retired(retiring)
    why = f"drawer-2 was retired on {RETIRED_ON} and is empty by its books and its last count: count what is found"
    assert_problem(retiring.send(f"{AT_CAGE}/counts", empty, person="cage.ann"), 422, why)
    assert_problem(_issues(retiring, "drawer-2", "vault", currency(1)), 422, why)
    retiring.done(f"/cage-movements/{PROPERTY}/1/void", {"reason": "another patron"}, person="cage.bob")
    assert [drawer] == _retired(retiring)
    assert 201 == retiring.send(f"{AT_CAGE}/counts", empty, person="cage.ann").status_code


def test_coupons_in_a_retired_location_keep_it_listed(retiring: InventoryDesk) -> None:
    """They are no money, and in no book; a transfer after the last count says that something may be there."""
    empty = {"location": "drawer-1", "contents": [], "is_empty": True, "cashier": "cage.ann"}
    number = retiring.done(f"{AT_CAGE}/counts", empty, person="cage.ann")["count"]
    retiring.done(f"{AT_CAGE}/counts/{number}/verify", person="cage.bob")
    _passes(retiring, "promotions", "drawer-1", [{"kind": "coupons", "cents": 1000, "count": 9}])
    _passes(retiring, "drawer-2", "bank", currency(10))
    _passes(retiring, "chip-bank", "vault", [house(500, 200)])
    retired = [one | {"retired_on": RETIRED_ON} for one in LOCATIONS if one["location"] != "old"]
    retiring.desk.feed("properties", property_event(PROPERTY, ["BJ-01"], sequence=3, version=3, cage_locations=retired))
    retiring.clock.now = at(24)
    assert ["chip-bank", "drawer-1", "drawer-2", "vault"] == [name for name, *_ in _retired(retiring)]


def test_a_location_that_a_version_leaves_out_is_retired_by_it(retiring: InventoryDesk) -> None:
    """What it holds is listed, counted and transferred out; it takes nothing in, until a version names it again."""

    def now_has(version: int, *locations: dict[str, Any], hours: float) -> None:
        changes = {"cage_locations": locations, "chip_sets": SETS, "effective_from": at(hours)}
        event = property_event(PROPERTY, ["BJ-01"], sequence=version, version=version, **changes)
        retiring.desk.feed("properties", event)

    vault = next(one for one in LOCATIONS if one["location"] == "vault")
    _counts(retiring, "drawer-1", currency(3))
    now_has(3, vault, hours=5)
    assert [] == _retired(retiring)
    retiring.clock.now = at(6)
    listed = [("chip-bank", DAY, None), ("drawer-1", DAY, "cage.ann"), ("drawer-2", DAY, "cage.ann")]
    assert listed == _retired(retiring)
    why = f"drawer-1 at the cage of riverbend (version 3) was retired on {DAY} and takes nothing in"
    assert_problem(_issues(retiring, "bank", "drawer-1", currency(1)), 422, why)
    never = retiring.send(f"{AT_CAGE}/counts", {"location": "old", "cashier": "cage.ann", **EMPTY}, person="cage.ann")
    assert_problem(never, 422, "old was retired on 2021-01-01 and was never counted, and its books have nothing")
    assert 0 == _counts(retiring, "drawer-1", currency(3))["over_short_cents"]
    _passes(retiring, "drawer-1", "vault", currency(3))
    number = retiring.done(
        f"{AT_CAGE}/counts", {"location": "drawer-1", "cashier": "cage.ann", **EMPTY}, person="cage.ann"
    )["count"]
    retiring.done(f"{AT_CAGE}/counts/{number}/verify", person="cage.bob")
    now_has(4, vault, hours=7)
    retiring.clock.now = at(8)
    assert [one for one in listed if one[0] != "drawer-1"] == _retired(retiring)
    now_has(5, *LOCATIONS, hours=9)
    retiring.clock.now = at(10)
    assert ["chip-bank", "drawer-2"] == [name for name, *_ in _retired(retiring)]
    _passes(retiring, "vault", "drawer-1", currency(1))
