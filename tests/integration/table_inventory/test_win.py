"""What a table holds and wins: movements, expected inventory, variances, shifts."""

from tests.integration.table_inventory.day import BOX, FOUND, OPENER, play_a_day
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Rounds, Table, at, chips
from tests.support.services import query


def test_the_win_is_that_of_the_published_example(desk: InventoryDesk) -> None:
    """Closer + credits + drop - opener - fills, and the settled rounds say the same; coupons are no drop."""
    play_a_day(desk)
    before = desk.win()["tables"][0]
    assert (None, ["count"]) == (before.get("win_cents"), before["missing"])
    desk.count_boxes(("BJ-01", BOX, FOUND))
    [row] = desk.win()["tables"]
    expected = {
        "opener_cents": 20_000_00,
        "fills_cents": 5_000_00,
        "credits_cents": 2_000_00,
        "closer_cents": 18_000_00,
        "drop_cents": 9_000_00,
        "win_cents": 4_000_00,
        "hold_percent": "44.44",
        "rounds": 2,
        "rounds_win_cents": 4_000_00,
        "difference_cents": 0,
        "coupons_cents": 100_00,
        "inventory_variance_cents": 0,
        "drop_variance_cents": 0,
    }
    assert expected == {name: row[name] for name in expected}
    assert [] == desk.variances()
    assert 4_000_00 == desk.win()["total"]["win_cents"]
    assert [("BJ-01", "day", 4_000_00)] == [(r["table"], r["shift"], r["win_cents"]) for r in desk.win()["shifts"]]


def test_every_movement_balances_and_the_accounts_explain_the_inventory(desk: InventoryDesk) -> None:
    """The trial balance is zero; nothing is left in transit; the book inventory is what was counted."""
    play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    balances = desk.balances()
    assert 0 == sum(balances.values())
    assert 18_000_00 == balances["BJ-01", "", "inventory"]
    assert -3_000_00 == balances["", "", "cage"]
    assert -4_000_00 == balances["BJ-01", "", "rounds"]
    assert 8_000_00 == balances["BJ-01", "currency", "drop"]
    assert 1_000_00 == balances["BJ-01", "counter_check", "drop"]
    assert not [account for account in balances if account[2] in ("transit", "box")]
    assert desk.entries()


def test_the_expected_inventory_follows_every_movement(desk: InventoryDesk) -> None:
    """At any moment a table should hold what was counted last and what has moved since."""
    play_a_day(desk)

    def expected(hours: float) -> int:
        moment = at(hours).isoformat().replace("+", "%2B")
        [row] = desk.read(f"/inventories?property={PROPERTY}&at={moment}")["tables"]
        cents: int = row["expected_cents"]
        return cents

    steps = [20_000, 25_000, 17_000, 16_000, 19_500, 17_500, 18_000]
    assert [step * 100 for step in steps] == [expected(hours) for hours in (0.5, 1.15, 1.5, 2.1, 2.6, 3.5, 5)]


def test_a_planted_variance_is_found_owned_and_resolved(desk: InventoryDesk) -> None:
    """Chips that are missing at the close differ from both measures by the same sum; the books follow the count."""
    table = play_a_day(desk, missing=1_000_00)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    [variance] = desk.variances()
    assert (-1_000_00, "authority", "open") == (variance["cents"], variance["level"], variance["status"])
    [row] = desk.win()["tables"]
    assert (3_000_00, 4_000_00, -1_000_00) == (
        row["win_cents"],
        row["rounds_win_cents"],
        row["inventory_variance_cents"],
    )
    path = f"/variances/{PROPERTY}/{DAY}/inventory/BJ-01/{table.sequence}"
    nobody = desk.send(f"{path}/resolve", {"conclusion": "?"}, person="audit.kim")
    assert (409, "the variance has no owner yet: name one first") == (nobody.status_code, nobody.json()["detail"])
    desk.done(f"{path}/own", {"owner": "audit.kim"}, person="audit.lou")
    assert 422 == desk.send(f"{path}/resolve", {"conclusion": "mine"}, person="audit.lou").status_code
    resolved = desk.done(f"{path}/resolve", {"conclusion": "overpaid at seat 3"}, person="audit.kim")
    assert ("resolved", "audit.kim") == (resolved["status"], resolved["owner"])
    balances = desk.balances()
    assert (17_000_00, 1_000_00) == (
        balances["BJ-01", "", "inventory"],
        balances["BJ-01", "", "inventory_variance"],
    )


def test_a_round_that_comes_late_changes_what_was_expected(desk: InventoryDesk) -> None:
    """The expectation is by the moment of the round, whenever it is settled; a resolved variance shows as changed."""
    table = play_a_day(desk, missing=1_000_00)
    path = f"/variances/{PROPERTY}/{DAY}/inventory/BJ-01/{table.sequence}"
    desk.done(f"{path}/own", {"owner": "audit.kim"}, person="audit.kim")
    desk.done(f"{path}/resolve", {"conclusion": "unknown"}, person="audit.kim")
    desk.settle(Rounds(2).posted(table, at(7), "r-3", handle=0, payout=1_000_00))
    [variance] = desk.variances()
    assert (0, "changed", -1_000_00) == (variance["cents"], variance["status"], variance["resolved_cents"])
    desk.done(f"{path}/resolve", {"conclusion": "round r-3 came late"}, person="audit.kim")
    balances = desk.balances()
    assert 17_000_00 == balances["BJ-01", "", "inventory"]
    assert ("BJ-01", "", "inventory_variance") not in balances


def test_a_round_taken_back_is_taken_back_when_it_was_played(desk: InventoryDesk) -> None:
    """A correction after the close changes the window of the round, not the night."""
    table, rounds = Table("BJ-01"), Rounds()
    desk.pit(table.opened(at(0), OPENER), table.closed(at(8), OPENER))
    desk.settle(
        rounds.posted(table, at(4), "r-1", handle=700_00, payout=0),
        rounds.voided(table, at(4.5), "r-0"),
        rounds.reversed(table, at(10), "r-1", handle=700_00, payout=0),
        rounds.posted(table, at(4), "r-1", revision=2, handle=700_00, payout=700_00),
    )
    assert [] == desk.variances()
    assert 1 == desk.win()["tables"][0]["rounds"]


def test_coupons_tips_changes_and_waived_vigorish_do_what_they_should(desk: InventoryDesk, url: str) -> None:
    """Tips never touch the inventory; a change moves denominations only; chips paid for a coupon leave it."""
    table = Table("BJ-01")
    desk.pit(
        table.opened(at(0), OPENER),
        table.event("tips.collected", at(1), cents=77_00, collected_by="tips.jo", observed_by="floor.fay"),
        table.event("chips.changed", at(1), taken=chips(c2500=1), given=chips(c500=5), dealer="dealer.dan"),
        table.event("coupon.dropped", at(1), coupon="match_play", cents=25_00, paid_cents=25_00, dealer="dealer.dan"),
        table.event(
            "vigorish.waived", at(1), round_id="r-1", seat=1, cents=5_00, by="floor.fay", reason="quarter rule"
        ),
        table.event("vigorish.collected", at(1), round_id="r-2", seat=1, cents=5_00, by="dealer.dan"),
    )
    [row] = desk.read(f"/inventories?property={PROPERTY}")["tables"]
    assert 20_000_00 - 25_00 - 5_00 == row["expected_cents"]
    balances = desk.balances()
    assert (77_00, -77_00) == (balances["BJ-01", "", "tip_box"], balances["BJ-01", "", "tips_payable"])
    movements = query(url, "SELECT DISTINCT movement FROM table_inventory.movements ORDER BY 1")
    assert [("change",), ("vigorish",), ("wager",)] == movements
    assert 0 == sum(balances.values())


def test_denominations_are_compared_where_all_are_known(desk: InventoryDesk) -> None:
    """Between a closer and the next opener every movement is known: five chips short of one denomination show there."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER), table.closed(at(1), OPENER))
    table.day = "2026-11-21"
    desk.pit(table.opened(at(24), chips(c500=995, c2500=600)))
    [variance] = desk.variances("2026-11-21")
    assert (-25_00, "opener", "noted") == (variance["cents"], variance["what"], variance["level"])
    assert {"chip:500": 1000, "chip:2500": 600} == variance["expected_by_denomination"]
    assert (20_000_00, 19_975_00) == (variance["expected_cents"], variance["counted_cents"])
    [running] = desk.read(f"/inventories?property={PROPERTY}")["tables"]
    assert ({"chip:500": 995, "chip:2500": 600}, 0) == (running["expected_by_denomination"], running["moves"]["cents"])
    assert {"chip:500": 995, "chip:2500": 600} == variance["counted_by_denomination"]
    assert [] == desk.variances()


def test_a_shift_change_and_a_drop_count_split_the_win(desk: InventoryDesk) -> None:
    """The count that ends a shift begins the next; the day's closer at the drop is the next day's opener."""
    table, rounds = Table("BJ-01"), Rounds()
    people = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
    desk.pit(table.opened(at(0), OPENER))
    desk.pit(
        table.event(
            "table.counted",
            at(8),
            purpose="shift",
            begins={"gaming_day": DAY, "shift": "swing"},
            contents=chips(c500=1200, c2500=600),
            **people,
        ),
        table.box_off(at(8)),
    )
    table.shift = "swing"
    desk.pit(
        table.event(
            "table.counted",
            at(22),
            purpose="drop",
            begins={"gaming_day": "2026-11-21", "shift": "grave"},
            contents=chips(c500=1100, c2500=600),
            **people,
        ),
        table.box_off(at(22), "B1"),
    )
    desk.settle(
        rounds.posted(table, at(4), "r-1", handle=1_000_00, payout=0),
        rounds.posted(table, at(12), "r-2", handle=0, payout=500_00),
    )
    desk.count_boxes(("BJ-01", 3, {}), ("BJ-01", 6, {}))
    shifts = {row["shift"]: row for row in desk.win()["shifts"]}
    assert {"day": 1_000_00, "swing": -500_00} == {name: row["win_cents"] for name, row in shifts.items()}
    assert (21_000_00, 20_500_00) == (shifts["swing"]["opener_cents"], shifts["swing"]["closer_cents"])
    [day] = desk.win()["tables"]
    assert (20_000_00, 20_500_00, 500_00, 500_00) == tuple(
        day[name] for name in ("opener_cents", "closer_cents", "win_cents", "rounds_win_cents")
    )
    [next_day] = desk.win("2026-11-21")["tables"]
    assert (20_500_00, ["closer", "drop"]) == (next_day["opener_cents"], next_day["missing"])


def test_a_table_that_did_not_open_has_a_record_of_the_day(desk: InventoryDesk) -> None:
    """Its inventory is carried; without the record the day cannot be closed."""
    desk.has_only("BJ-02")
    table = Table("BJ-02")
    table.day = "2026-11-19"
    desk.pit(table.event("table.carried", at(-20), contents=OPENER, recorded_by="floor.fay", checked_by="cage.ann"))
    table.day = DAY
    open_day = desk.send(f"/gaming-days/{PROPERTY}/{DAY}/preliminary", {}, person="audit.kim")
    assert (409, "2026-11-20 is not complete: table BJ-02 has no record of the day") == (
        open_day.status_code,
        open_day.json()["detail"],
    )
    desk.pit(table.event("table.carried", at(0), contents=OPENER, recorded_by="floor.fay", checked_by="cage.ann"))
    [row] = desk.win()["tables"]
    assert (False, 0, 20_000_00) == (row["opened"], row["win_cents"], row["closer_cents"])
    assert "preliminary" == desk.done(f"/gaming-days/{PROPERTY}/{DAY}/preliminary", {}, person="audit.kim")["status"]
