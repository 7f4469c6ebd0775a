"""The table-inventory ledger on a real database: what tables report, what people do at a desk, and what follows."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from shared.journal.entry import Entry
from tests.support import Databases
from tests.support.pit import DAY, MORNING, PROPERTY, Ledgerdesk, Rounds, Table, at, chips, ledgerdesk
from tests.support.services import query, settled_database


@pytest.fixture
def desk(databases: Databases) -> Iterator[Ledgerdesk]:
    """A ledger with an empty journal."""
    url = settled_database(databases, "table-inventory")
    with ledgerdesk(url) as found:
        found.url = url  # type: ignore[attr-defined]
        yield found
    databases.drop(url)


OPENER = chips(c500=1000, c2500=600)  # 20,000.00


def play_a_day(desk: Ledgerdesk, *, missing: int = 0) -> Table:
    """The published example: opener 20,000, fills 5,000, credits 2,000, closer 18,000, drop 9,000: win 4,000.

    The settled rounds imply the same win; `missing` cents are not there when the table closes.
    """
    table, rounds = Table("BJ-01"), Rounds()
    desk.pit(table.opened(at(0), OPENER))
    fill = desk.slip("fill", "BJ-01", chips(c2500=200))
    credit = desk.slip("credit", "BJ-01", chips(c500=400))
    desk.pit(
        table.event("fill.carried", at(1), number=fill, carried_by="sec.gus"),
        table.event(
            "fill.received",
            at(1.1),
            number=fill,
            contents=chips(c2500=200),
            received_by="dealer.dan",
            observed_by="floor.fay",
        ),
        table.sold(at(1.2), 8_000_00),
        table.event(
            "counter_check.issued",
            at(2),
            serial="CC-1",
            cents=1_000_00,
            dealer="dealer.dan",
            floorperson="floor.fay",
        ),
        table.event(
            "credit.carried",
            at(3),
            number=credit,
            surrendered_by="dealer.dan",
            observed_by="floor.fay",
            carried_by="sec.gus",
        ),
    )
    desk.done(f"/slips/{PROPERTY}/credit/{credit}/receive", {"contents": chips(c500=400)}, person="cage.ann")
    desk.settle(
        rounds.posted(table, at(2.5), "r-1", handle=10_000_00, payout=6_500_00),
        rounds.posted(table, at(4), "r-2", handle=900_00, payout=1_400_00, vigorish=1_000_00),
    )
    closer = chips(c500=600, c2500=600) if not missing else [*chips(c500=600 - missing // 500, c2500=600)]
    desk.pit(*table.box_off(at(7.9)), table.closed(at(8), closer))
    return table


FOUND = {
    "currency": [{"cents": 10000, "count": 80}],
    "counter_checks": [{"serial": "CC-1", "cents": 1_000_00}],
    "coupons": [{"coupon": "match_play", "cents": 2500, "count": 4}],
}
BOX = 7  # the sequence of box.exchanged in the stream of that table


def test_the_win_is_that_of_the_published_example(desk: Ledgerdesk) -> None:
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


def test_every_movement_balances_and_the_accounts_explain_the_inventory(desk: Ledgerdesk) -> None:
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
    assert [] == desk.problems()


def test_the_expected_inventory_follows_every_movement(desk: Ledgerdesk) -> None:
    """At any moment a table should hold what was counted last and what has moved since."""
    play_a_day(desk)

    def expected(hours: float) -> int:
        moment = at(hours).isoformat().replace("+", "%2B")
        [row] = desk.read(f"/reports/inventories?property={PROPERTY}&at={moment}")["tables"]
        cents: int = row["expected_cents"]
        return cents

    steps = [20_000, 25_000, 17_000, 16_000, 19_500, 17_500, 18_000]
    assert [step * 100 for step in steps] == [expected(hours) for hours in (0.5, 1.15, 1.5, 2.1, 2.6, 3.5, 5)]


def test_a_planted_variance_is_found_owned_and_resolved(desk: Ledgerdesk) -> None:
    """Chips that are missing at the close differ from both measures by the same sum; the books follow the count."""
    table = play_a_day(desk, missing=1_000_00)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    [variance] = desk.variances()
    assert (-1_000_00, "authority", "open") == (variance["cents"], variance["level"], variance["state"])
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
    assert 403 == desk.send(f"{path}/resolve", {"conclusion": "mine"}, person="audit.lou").status_code
    resolved = desk.done(f"{path}/resolve", {"conclusion": "overpaid at seat 3"}, person="audit.kim")
    assert ("resolved", "audit.kim") == (resolved["state"], resolved["owner"])
    balances = desk.balances()
    assert (17_000_00, 1_000_00) == (
        balances["BJ-01", "", "inventory"],
        balances["BJ-01", "", "inventory_variance"],
    )


def test_a_round_that_comes_late_changes_what_was_expected(desk: Ledgerdesk) -> None:
    """The expectation is by the moment of the round, whenever it is settled; a resolved variance shows as changed."""
    table = play_a_day(desk, missing=1_000_00)
    path = f"/variances/{PROPERTY}/{DAY}/inventory/BJ-01/{table.sequence}"
    desk.done(f"{path}/own", {"owner": "audit.kim"}, person="audit.kim")
    desk.done(f"{path}/resolve", {"conclusion": "unknown"}, person="audit.kim")
    desk.settle(Rounds(2).posted(table, at(7), "r-3", handle=0, payout=1_000_00))
    [variance] = desk.variances()
    assert (0, "changed", -1_000_00) == (variance["cents"], variance["state"], variance["resolved_cents"])
    desk.done(f"{path}/resolve", {"conclusion": "round r-3 came late"}, person="audit.kim")
    balances = desk.balances()
    assert 17_000_00 == balances["BJ-01", "", "inventory"]
    assert ("BJ-01", "", "inventory_variance") not in balances


def test_a_round_taken_back_is_taken_back_when_it_was_played(desk: Ledgerdesk) -> None:
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


def test_the_same_person_twice_on_one_slip_is_refused(desk: Ledgerdesk) -> None:
    """At the cage and at the table alike, and the refusals are recorded."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER))
    place = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
    wanted = desk.done("/requests", {"slip": "fill", "contents": chips(c500=10), **place}, person="cage.ann")
    prepare = {"property": PROPERTY, "request": wanted["request"]}
    refused = desk.send("/slips", prepare, person="cage.ann", key="mine")
    assert (403, "cage.ann made request 1: somebody else must prepare the slip") == (
        refused.status_code,
        refused.json()["detail"],
    )
    assert refused.json() == desk.send("/slips", prepare, person="cage.ann", key="mine").json()
    number = desk.done("/slips", prepare, person="cage.bob")["number"]
    desk.pit(table.event("fill.carried", at(1), number=number, carried_by="cage.bob"))
    [(reason,)] = query(_url(desk), "SELECT reason FROM table_inventory.quarantine")
    assert "cage.bob is 'prepared_by' of fill slip 1 of riverbend and cannot be 'carried_by' too (§ 465a.38)" == reason
    [item] = desk.exceptions(kind="refused")
    assert ("cage.ann", "POST /slips") == (item["by"], item["subject"])
    assert 1 == [entry.draft.kind for entry in desk.entries()].count("inventory.refused")


def _url(desk: Ledgerdesk) -> str:
    url: str = desk.url  # type: ignore[attr-defined]
    return url


def test_slip_numbers_have_no_gap_however_many_prepare_at_once(desk: Ledgerdesk) -> None:
    """Numbers come from one place, in one transaction with the slip: dense from the first, one for each request."""
    place = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
    for _ in range(12):
        desk.done("/requests", {"slip": "fill", "contents": chips(c500=10), **place}, person="pit.ray")

    def prepare(request: int) -> int:
        body = {"property": PROPERTY, "request": request}
        answer = desk.send("/slips", body, person="cage.bob", key=f"prepare-{request}-{request % 7}")
        status: int = answer.status_code
        return status

    with ThreadPoolExecutor(6) as pool:
        statuses = list(pool.map(prepare, [*range(1, 13), 3, 3, 5]))
    assert 12 <= statuses.count(201)
    numbers = query(_url(desk), "SELECT number FROM table_inventory.slips ORDER BY 1")
    assert [(number,) for number in range(1, 13)] == numbers
    [series] = desk.read(f"/reports/slip-series?property={PROPERTY}")["items"]
    assert (1, 12, 12, []) == (series["first"], series["last"], series["used"], series["missing"])


def test_what_arrives_otherwise_than_it_left_stays_in_transit_as_a_variance(desk: Ledgerdesk) -> None:
    """A fill of $50 of which $45 arrive leaves $5 in transit, owned and resolved like any other difference."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER))
    number = desk.slip("fill", "BJ-01", chips(c500=10))
    desk.pit(
        table.event("fill.carried", at(1), number=number, carried_by="sec.gus"),
        table.event(
            "fill.received",
            at(1.1),
            number=number,
            contents=chips(c500=9),
            received_by="dealer.dan",
            observed_by="floor.fay",
        ),
    )
    assert 500 == desk.balances()["BJ-01", "fill", "transit"]
    [variance] = desk.variances()
    assert ("fill", number, -500, "noted") == tuple(variance[name] for name in ("variance", "number", "cents", "level"))
    path = f"/variances/{PROPERTY}/{DAY}/fill/BJ-01/{number}"
    desk.done(f"{path}/own", {"owner": "audit.kim"}, person="audit.kim")
    desk.done(f"{path}/resolve", {"conclusion": "chip found in the rack"}, person="audit.kim")
    assert ("BJ-01", "fill", "transit") not in desk.balances()


def test_a_void_slip_keeps_its_number_and_sends_back_what_was_on_its_way(desk: Ledgerdesk) -> None:
    """A void has a reason; a received slip cannot be void."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER))
    number = desk.slip("credit", "BJ-01", chips(c500=10))
    desk.pit(
        table.event(
            "credit.carried",
            at(1),
            number=number,
            surrendered_by="dealer.dan",
            observed_by="floor.fay",
            carried_by="sec.gus",
        )
    )
    assert 50_00 == desk.balances()["BJ-01", "credit", "transit"]
    void = desk.done(f"/slips/{PROPERTY}/credit/{number}/void", {"reason": "wrong table"}, person="cage.bob")
    assert ("void", "wrong table") == (void["status"], void["void_reason"])
    assert 20_000_00 == desk.balances()["BJ-01", "", "inventory"]
    assert ("BJ-01", "credit", "transit") not in desk.balances()
    late = desk.send(f"/slips/{PROPERTY}/credit/{number}/receive", {"contents": []}, person="cage.ann")
    assert 409 == late.status_code
    assert number + 1 == desk.slip("credit", "BJ-01", chips(c500=10))
    assert ["wrong table"] == [item["reason"] for item in desk.exceptions(kind="slip_void")]


PAPER: dict[str, Any] = {
    "slip": "fill",
    "property": PROPERTY,
    "table": "BJ-01",
    "gaming_day": DAY,
    "shift": "day",
    "number": 5001,
    "contents": chips(c500=10),
    "occurred_at": at(2).isoformat(),
    "requested_by": "pit.ray",
    "prepared_by": "cage.ann",
    "carried_by": "sec.gus",
    "received_by": "dealer.dan",
    "observed_by": "floor.fay",
    "reason": "network outage",
}


def test_paper_slips_come_in_late_and_their_gaps_show(desk: Ledgerdesk) -> None:
    """A paper slip counts at the moment that it says, flagged as late; numbers in between are to be accounted for."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER), table.closed(at(8), [*chips(c500=1010, c2500=600)]))
    assert [50_00] == [variance["cents"] for variance in desk.variances()]
    entered = desk.done("/manual-slips", PAPER, person="cage.bob")
    assert (True, "cage.bob") == (entered["late"], entered["entered_by"])
    assert [] == desk.variances()
    twice = desk.send("/manual-slips", PAPER | {"number": 5002, "observed_by": "pit.ray"}, person="cage.bob")
    assert (403, "pit.ray signed as requested_by and observed_by: a slip takes five people (§ 465a.38)") == (
        twice.status_code,
        twice.json()["detail"],
    )
    desk.done("/manual-slips", PAPER | {"number": 5004}, person="cage.bob")
    assert 409 == desk.send("/manual-slips", PAPER, person="cage.bob").status_code
    form = {name: PAPER[name] for name in ("slip", "property", "gaming_day", "reason")}
    desk.done("/manual-slips/void", form | {"number": 5003, "reason": "spoilt"}, person="cage.bob")
    [series] = desk.read(f"/reports/slip-series?property={PROPERTY}")["items"]
    assert (True, 5001, 5004, [5002], 1) == tuple(
        series[name] for name in ("manual", "first", "last", "missing", "void")
    )
    assert ["/manual-slips/riverbend/fill/5002"] == [item["subject"] for item in desk.exceptions(kind="slip_gap")]
    assert 2 == len(desk.exceptions(kind="slip_late"))


def test_nothing_of_a_count_is_seen_before_it_is_concluded(desk: Ledgerdesk) -> None:
    """No answer, report or journal entry has a figure of it; the second count is blind; then all of it is opened."""
    play_a_day(desk)
    count = desk.done("/drop-counts", {"property": PROPERTY, "gaming_day": DAY}, person="count.sue")["count"]
    boxes = f"/drop-counts/{PROPERTY}/{count}/boxes"
    body = {"table": "BJ-01", "exchange": BOX, "figures": FOUND}
    first = desk.done(boxes, body, person="count.sue", key="first")
    assert {
        "table": "BJ-01",
        "exchange": BOX,
        "box": "A1",
        "shift": "day",
        "turns": 1,
        "counted_by": ["count.sue"],
        "agreed": False,
    } == first
    again = desk.send(boxes, body, person="count.sue")
    assert 403 == again.status_code
    early = desk.send(f"/drop-counts/{PROPERTY}/{count}/conclude", person="count.sue")
    assert (409, "no two people found the same yet in the boxes BJ-01/7") == (early.status_code, early.json()["detail"])
    other = FOUND | {"currency": [{"cents": 10000, "count": 79}]}
    assert not desk.done(boxes, body | {"figures": other}, person="count.tom")["agreed"]
    seen = [
        desk.get(path).text
        for path in (
            f"/drop-counts/{PROPERTY}/{count}",
            f"/reports/win?property={PROPERTY}&gaming_day={DAY}",
            f"/variances?property={PROPERTY}&gaming_day={DAY}",
            f"/reports/inventory-exceptions?property={PROPERTY}&gaming_day={DAY}",
        )
    ]
    seen += [entry.draft.data.decode() for entry in desk.entries() if entry.draft.kind.startswith("count.")]
    assert not [text for text in seen if ("CC-1" in text and '"counter_checks"' in text) or '"count":80' in text]
    assert not [text for text in seen if ":800000," in text or ":790000," in text]
    assert desk.done(boxes, body, person="count.zoe")["agreed"]
    concluded = desk.done(f"/drop-counts/{PROPERTY}/{count}/conclude", person="count.sue")
    [box] = concluded["boxes"]
    assert (8_000_00, 1_000_00, 100_00) == tuple(
        box[name] for name in ("currency_cents", "counter_checks_cents", "coupons_cents")
    )
    assert ["count.sue", "count.tom", "count.zoe"] == [turn["counted_by"] for turn in box["turns"]]
    assert concluded == desk.read(f"/drop-counts/{PROPERTY}/{count}")["concluded"]


def test_the_figures_that_were_sealed_are_those_that_are_opened(desk: Ledgerdesk) -> None:
    """The journal had the commitment of each turn before anybody could see it."""
    from services.table_inventory.drop_counts import commitment_of
    from shared.contracts.inventory_events import CountConcluded, CountSealed

    play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    drafts = [entry.draft for entry in desk.entries()]
    sealed = [CountSealed.model_validate_json(d.data) for d in drafts if d.kind == "count.sealed"]
    [concluded] = [CountConcluded.model_validate_json(d.data) for d in drafts if d.kind == "count.concluded"]
    opened = [commitment_of(turn.figures, turn.salt) for turn in concluded.boxes[0].turns]
    assert [turn.commitment for turn in sealed] == opened


def test_a_box_with_more_than_was_recorded_is_a_variance_by_instrument(desk: Ledgerdesk) -> None:
    """Recorded sales are not drop; the difference is followed up, and resolving it empties the box account."""
    play_a_day(desk)
    figures = FOUND | {"currency": [{"cents": 10000, "count": 81}], "counter_checks": []}
    desk.count_boxes(("BJ-01", BOX, figures))
    [variance] = desk.variances()
    assert {"currency": 100_00, "counter_check": -1_000_00} == variance["by_instrument"]
    assert ["CC-1"] == [item["subject"] for item in desk.exceptions(kind="check_not_dropped")]
    path = f"/variances/{PROPERTY}/{DAY}/drop/BJ-01/{BOX}"
    desk.done(f"{path}/own", {"owner": "audit.kim"}, person="audit.kim")
    desk.done(f"{path}/resolve", {"conclusion": "check at the cage"}, person="audit.kim")
    balances = desk.balances()
    assert not [account for account in balances if account[2] == "box"]
    assert (-100_00, 1_000_00) == (
        balances["BJ-01", "currency", "drop_variance"],
        balances["BJ-01", "counter_check", "drop_variance"],
    )


def test_coupons_tips_changes_and_waived_vigorish_do_what_they_should(desk: Ledgerdesk) -> None:
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
    [row] = desk.read(f"/reports/inventories?property={PROPERTY}")["tables"]
    assert 20_000_00 - 25_00 - 5_00 == row["expected_cents"]
    balances = desk.balances()
    assert (77_00, -77_00) == (balances["BJ-01", "", "tip_box"], balances["BJ-01", "", "tips_payable"])
    movements = query(_url(desk), "SELECT DISTINCT movement FROM table_inventory.movements ORDER BY 1")
    assert [("change",), ("vigorish",), ("wager",)] == movements
    assert 0 == sum(balances.values())


def test_denominations_are_compared_where_all_are_known(desk: Ledgerdesk) -> None:
    """Between a closer and the next opener every movement is known: five chips short of one denomination show there."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER), table.closed(at(1), OPENER))
    table.day = "2026-11-21"
    desk.pit(table.opened(at(24), chips(c500=995, c2500=600)))
    [variance] = desk.variances("2026-11-21")
    assert (-25_00, "opener", "noted") == (variance["cents"], variance["what"], variance["level"])
    assert {"chip:500": 1000, "chip:2500": 600} == variance["expected_by_denomination"]
    assert {"chip:500": 995, "chip:2500": 600} == variance["counted_by_denomination"]
    assert [] == desk.variances()


def test_a_shift_change_and_a_drop_count_split_the_win(desk: Ledgerdesk) -> None:
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
            at(16),
            purpose="drop",
            begins={"gaming_day": "2026-11-21", "shift": "grave"},
            contents=chips(c500=1100, c2500=600),
            **people,
        ),
        table.box_off(at(16), "B1"),
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


def test_a_table_that_did_not_open_has_a_record_of_the_day(desk: Ledgerdesk) -> None:
    """Its inventory is carried; without the record the day cannot be closed."""
    table = Table("BJ-02")
    table.day = "2026-11-19"
    desk.pit(table.event("table.carried", at(-20), contents=OPENER, recorded_by="floor.fay", checked_by="cage.ann"))
    table.day = DAY
    open_day = desk.send(f"/gaming-days/{PROPERTY}/{DAY}/preliminary", {}, person="audit.kim")
    assert (409, "2026-11-20 is not complete: table BJ-02 has no closer") == (
        open_day.status_code,
        open_day.json()["detail"],
    )
    desk.pit(table.event("table.carried", at(0), contents=OPENER, recorded_by="floor.fay", checked_by="cage.ann"))
    [row] = desk.win()["tables"]
    assert (False, 0, 20_000_00) == (row["opened"], row["win_cents"], row["closer_cents"])
    assert "preliminary" == desk.done(f"/gaming-days/{PROPERTY}/{DAY}/preliminary", {}, person="audit.kim")["stage"]


def test_a_day_is_closed_in_stages_by_different_people(desk: Ledgerdesk) -> None:
    """Complete, then audited once reportable variances are resolved, then sealed; no stage is skipped."""

    table = play_a_day(desk, missing=1_000_00)
    path = f"/gaming-days/{PROPERTY}/{DAY}"
    assert 409 == desk.send(f"{path}/audited", person="audit.lou").status_code
    uncounted = desk.send(f"{path}/preliminary", {}, person="audit.kim")
    assert "2026-11-20 is not complete: box A1 of BJ-01 is not counted" == uncounted.json()["detail"]
    desk.count_boxes(("BJ-01", BOX, FOUND))
    desk.done(f"{path}/preliminary", {}, person="audit.kim")
    assert 403 == desk.send(f"{path}/audited", person="audit.kim").status_code
    assert 403 == desk.send(f"{path}/audited", person="count.sue").status_code
    left = desk.send(f"{path}/audited", person="audit.lou")
    assert 409 == left.status_code
    assert f"/variances/{PROPERTY}/{DAY}/inventory/BJ-01/{table.sequence}" in left.json()["detail"]
    variance = f"/variances/{PROPERTY}/{DAY}/inventory/BJ-01/{table.sequence}"
    desk.done(f"{variance}/own", {"owner": "audit.kim"}, person="audit.kim")
    desk.done(f"{variance}/resolve", {"conclusion": "overpaid"}, person="audit.kim")
    desk.done(f"{path}/audited", person="control.eve")
    assert 403 == desk.send(f"{path}/final", person="control.eve").status_code
    assert 403 == desk.send(f"{path}/final", person="audit.lou").status_code  # not a controller
    assert "audited" == desk.read(path)["stage"]


def test_after_the_seal_only_adjusting_entries_of_two_people_change_the_win(desk: Ledgerdesk) -> None:
    """The sealed report stays as it was; the adjustment is dated, has its reason, and shows the day as restated."""
    from hashlib import sha256

    from shared.contracts.envelope import canonical

    play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    path = f"/gaming-days/{PROPERTY}/{DAY}"
    desk.done(f"{path}/preliminary", {}, person="audit.kim")
    desk.done(f"{path}/audited", person="audit.lou")
    sealed = desk.done(f"{path}/final", person="control.eve")
    assert sealed["hash"] == sha256(canonical(sealed["report"])).hexdigest()
    assert ("final", sealed["hash"]) == (desk.win()["status"], desk.win()["hash"])
    wanted = {
        "table": "BJ-01",
        "shift": "day",
        "figure": "currency",
        "cents": 100_00,
        "reason": "note behind the liner",
    }
    entered = desk.done(f"{path}/adjustments", wanted, person="control.eve")
    assert ("entered", "final") == (entered["status"], entered["stage"])
    assert 4_000_00 == desk.win()["tables"][0]["final_win_cents"]
    own = desk.send(f"{path}/adjustments/1/approve", person="control.eve")
    assert (403, "control.eve entered adjustment 1: somebody else must approve it") == (
        own.status_code,
        own.json()["detail"],
    )
    desk.done(f"{path}/adjustments", wanted, person="audit.kim")
    approved = desk.done(f"{path}/adjustments/2/approve", person="control.eve")
    assert ("audit.kim", "control.eve") == (approved["entered_by"], approved["approved_by"])
    report = desk.win()
    assert ("restated", 4_100_00, 4_000_00) == (
        report["status"],
        report["tables"][0]["final_win_cents"],
        report["tables"][0]["win_cents"],
    )
    assert sealed["report"] == desk.read(path)["report"]
    assert 8_100_00 == desk.balances()["BJ-01", "currency", "drop"]
    assert ["noted"] == [item["state"] for item in desk.exceptions(kind="adjustment") if item["by"] == "audit.kim"]


def test_what_comes_after_the_seal_is_an_exception(desk: Ledgerdesk) -> None:
    """A box or round that arrives after the day is final is recorded, and flagged for an adjusting entry."""
    table = play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    path = f"/gaming-days/{PROPERTY}/{DAY}"
    desk.done(f"{path}/preliminary", {}, person="audit.kim")
    desk.done(f"{path}/audited", person="audit.lou")
    desk.done(f"{path}/final", person="control.eve")
    assert [] == desk.exceptions(kind="changed_after_seal")
    desk.done("/manual-slips", PAPER, person="cage.bob")
    [item] = desk.exceptions(kind="changed_after_seal")
    assert (-50_00, table.name) == (item["cents"], item["table"])


def test_equipment_clocks_run_while_a_table_is_open(desk: Ledgerdesk) -> None:
    """Cards after 4, 8 or 24 hours, dice after 24, the card reader each gaming day, the stub every five rounds."""
    table, rounds = Table("BJ-01"), Rounds()
    cards = {"regulation": "pa-647a", "decks": 1, "changed_by": "dealer.dan"}
    desk.pit(
        table.opened(at(0), OPENER, card_reader=True, dice=True),
        table.event("cards.changed", at(0), dealing="shoe", **cards),
    )
    desk.settle(*(rounds.posted(table, at(1), f"r-{n}", handle=0, payout=0) for n in range(6)))

    def overdue(hours: float) -> set[str]:
        desk.clock.now = at(hours)
        items = desk.read(f"/reports/equipment?property={PROPERTY}")["items"]
        return {item["check"] for item in items if item["overdue"]}

    assert {"card_reader", "stub"} == overdue(7.9)
    desk.pit(
        table.event("card_reader.inspected", at(2), passed=True, inspected_by="floor.fay"),
        table.event("stub.counted", at(2), cards=52, expected=52, dealer="dealer.dan"),
    )
    assert set() == overdue(7.9)
    assert {"cards"} == overdue(8.1)
    assert {"cards", "dice"} == overdue(24.1)
    desk.pit(table.event("cards.changed", at(9), dealing="hand", **cards))
    late = desk.exceptions(kind="equipment", state="noted")
    assert [f"cards were due at {at(8).isoformat()}"] == [item["reason"] for item in late]
    assert set() == overdue(12.9)
    assert {"cards"} == overdue(13.1)
    desk.pit(table.closed(at(13.5), OPENER))
    assert set() == overdue(14)


def test_the_metrics_say_what_is_overdue_open_and_on_its_way(desk: Ledgerdesk) -> None:
    """The watch sets the figures that no event brings up to date."""
    from services.table_inventory.watch import observe

    play_a_day(desk, missing=1_000_00)
    table = Table("BJ-02")
    desk.pit(table.opened(at(0), OPENER))
    number = desk.slip("fill", "BJ-02", chips(c500=10))
    desk.pit(table.event("fill.carried", at(1), number=number, carried_by="sec.gus"))

    async def watch() -> None:
        async with desk.parts.engine.connect() as connection:
            await observe(desk.parts, connection)

    desk.client.run(watch())
    registry = desk.parts.metrics.registry
    assert 1 == registry.get_sample_value("pitledger_equipment_overdue", {"check": "cards"})
    assert 1 == registry.get_sample_value("pitledger_variances_open", {"level": "authority"})
    assert 1 == registry.get_sample_value("pitledger_slips_in_transit", {"slip": "fill"})
    assert 0 == registry.get_sample_value("pitledger_slips_in_transit", {"slip": "credit"})


def test_a_command_is_done_once_and_a_key_stands_for_one_content(desk: Ledgerdesk) -> None:
    """The same key gives the same answer for ever; with other content it is a conflict."""
    place = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
    body = {"slip": "fill", "contents": chips(c500=10), **place}
    first = desk.send("/requests", body, person="pit.ray", key="k")
    assert first.text == desk.send("/requests", body, person="pit.ray", key="k").text
    other = desk.send("/requests", body | {"slip": "credit"}, person="pit.ray", key="k")
    assert (409, "application/problem+json") == (other.status_code, other.headers["content-type"])
    assert 2 == desk.done("/requests", body, person="pit.ivy", key="k")["request"]


def test_who_has_no_role_gets_nothing(desk: Ledgerdesk) -> None:
    """Each desk has its role; a report needs one too."""
    place = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
    body = {"slip": "fill", "contents": chips(c500=10), **place}
    assert 403 == desk.send("/requests", body, person="count.tom").status_code
    assert 403 == desk.send("/drop-counts", {"property": PROPERTY, "gaming_day": DAY}, person="pit.ray").status_code
    assert 403 == desk.get(f"/reports/slip-series?property={PROPERTY}", person="count.tom").status_code
    assert 401 == desk.client.get(f"/reports/slip-series?property={PROPERTY}").status_code


def test_lists_come_in_pages_and_documents_with_etags(desk: Ledgerdesk) -> None:
    """Cursors go through all of a list once; what is unchanged is answered with 304."""
    numbers = [desk.slip("fill", "BJ-01", chips(c500=10)) for _ in range(5)]
    found: list[int] = []
    cursor = ""
    while True:
        page = desk.read(f"/slips?property={PROPERTY}&limit=2{cursor}")
        found += [slip["number"] for slip in page["items"]]
        if "next" not in page:
            break
        cursor = f"&cursor={page['next']}"
    assert numbers == found
    assert 400 == desk.get(f"/slips?property={PROPERTY}&cursor=bm9wZQ==").status_code
    path = f"/slips/{PROPERTY}/fill/1"
    etag = desk.get(path).headers["etag"]
    assert 304 == desk.get(path, **{"If-None-Match": etag}).status_code
    desk.done(f"{path}/void", {"reason": "error"}, person="cage.bob")
    assert 200 == desk.get(path, **{"If-None-Match": etag}).status_code
    win = f"/reports/win?property={PROPERTY}&gaming_day={DAY}"
    etag = desk.get(win).headers["etag"]
    desk.clock.now += timedelta(minutes=1)
    assert 304 == desk.get(win, **{"If-None-Match": etag}).status_code


def test_a_slip_voided_while_its_fill_arrives_is_one_or_the_other(desk: Ledgerdesk) -> None:
    """A table event between the decision and the commit of a void makes the void be decided again, and refused."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER))
    number = desk.slip("fill", "BJ-01", chips(c500=10))
    people = {"received_by": "dealer.dan", "observed_by": "floor.fay"}
    received = table.event("fill.received", at(1), number=number, contents=chips(c500=10), **people)
    statement = (
        "UPDATE table_inventory.slips SET received_by = 'dealer.dan', received_at = now(), observed_by = 'floor.fay', "
        "received_cents = 5000 WHERE number = 1 RETURNING 1"
    )
    del received
    desk.clock.disturb = lambda: query(_url(desk), statement)
    answer = desk.send(f"/slips/{PROPERTY}/fill/{number}/void", {"reason": "late"}, person="cage.bob")
    assert 409 == answer.status_code
    assert "fill slip 1 of riverbend was received: adjust the gaming day instead" == answer.json()["detail"]


def test_the_projections_can_be_made_anew_from_the_journal(desk: Ledgerdesk) -> None:
    """In whatever order of the shards: the same rows."""
    from services.table_inventory import projection
    from services.table_inventory.tables import PROJECTIONS

    play_a_day(desk, missing=500_00)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    desk.done("/manual-slips", PAPER, person="cage.bob")
    desk.done(f"/gaming-days/{PROPERTY}/{DAY}/preliminary", {}, person="audit.kim")

    def rows() -> dict[str, list[tuple[Any, ...]]]:
        return {
            table.name: query(_url(desk), f"SELECT t::text FROM table_inventory.{table.name} t ORDER BY 1")
            for table in PROJECTIONS
        }

    before, entries = rows(), desk.entries()

    async def rebuild(ordered: list[Entry]) -> None:
        async with desk.parts.engine.begin() as connection:
            for table in PROJECTIONS:
                await connection.execute(table.delete())
            await projection.add_rows(connection, ordered)
            await projection.change_rows(connection, ordered)

    shards = sorted({entry.shard for entry in entries})
    for order in (shards, shards[::-1]):
        desk.client.run(rebuild([entry for shard in order for entry in entries if entry.shard == shard]))
        assert before == rows()
    assert MORNING.date().isoformat() == DAY
