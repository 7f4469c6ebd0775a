"""The count under seal, the gaming day closed in stages, clocks, metrics, commands and roles."""

from datetime import timedelta
from hashlib import sha256

from services.table_inventory.domain.boxes import commitment_of
from services.table_inventory.watch import observe, observe_days
from shared.contracts.counts import CountConcluded, CountSealed
from shared.contracts.envelope import canonical
from tests.integration.table_inventory.day import BOX, FOUND, OPENER, PAPER, play_a_day
from tests.support.asgi import assert_problem
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Rounds, Table, at, chips
from tests.support.properties import property_event


def test_nothing_of_a_count_is_seen_before_it_is_concluded(desk: InventoryDesk) -> None:
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
    assert (409, "2 people have not found the same yet in the boxes BJ-01/7") == (
        early.status_code,
        early.json()["detail"],
    )
    other = FOUND | {"currency": [{"cents": 10000, "count": 79}]}
    assert not desk.done(boxes, body | {"figures": other}, person="count.tom")["agreed"]
    seen = [
        desk.get(path).text
        for path in (
            f"/drop-counts/{PROPERTY}/{count}",
            f"/gaming-days/{PROPERTY}/{DAY}/win",
            f"/variances?property={PROPERTY}&gaming_day={DAY}",
            f"/gaming-days/{PROPERTY}/{DAY}/follow-ups",
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


def test_the_figures_that_were_sealed_are_those_that_are_opened(desk: InventoryDesk) -> None:
    """The journal had the commitment of each turn before anybody could see it."""
    play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    facts = desk.desk.facts()
    sealed = [fact for fact in facts if isinstance(fact, CountSealed)]
    [concluded] = [fact for fact in facts if isinstance(fact, CountConcluded)]
    opened = [commitment_of(turn.figures, turn.salt) for turn in concluded.boxes[0].turns]
    assert [turn.commitment for turn in sealed] == opened


def test_a_box_that_has_not_come_names_the_event_that_is_missing(desk: InventoryDesk) -> None:
    """It came off its table, and nothing says that it reached the count room."""
    table = Table("BJ-01")
    desk.pit(table.opened(at(0), OPENER), table.box_off(at(1))[0])
    count = desk.done("/drop-counts", {"property": PROPERTY, "gaming_day": DAY}, person="count.sue")["count"]
    body = {"table": "BJ-01", "exchange": 2, "figures": FOUND}
    early = desk.send(f"/drop-counts/{PROPERTY}/{count}/boxes", body, person="count.sue")
    why = "box A1 of BJ-01 has not come to the count room: its event 'box.transported' is missing at BJ-01"
    assert_problem(early, 409, why)


def test_a_sum_is_no_denomination(desk: InventoryDesk) -> None:
    """Currency is counted by note and coin: a sum in place of a denomination is refused, and seals nothing."""
    play_a_day(desk)
    count = desk.done("/drop-counts", {"property": PROPERTY, "gaming_day": DAY}, person="count.sue")["count"]
    body = {"table": "BJ-01", "exchange": BOX, "figures": {"currency": [{"cents": 2_345_00, "count": 1}]}}
    refused = desk.send(f"/drop-counts/{PROPERTY}/{count}/boxes", body, person="count.sue")
    assert_problem(refused, 422, "there is no note or coin of 234500 cents")
    assert not [fact for fact in desk.desk.facts() if isinstance(fact, CountSealed)]


def test_a_box_with_more_than_was_recorded_is_a_variance_by_instrument(desk: InventoryDesk) -> None:
    """Recorded sales are not drop; the difference is followed up, and resolving it empties the box account."""
    play_a_day(desk)
    figures = FOUND | {"currency": [{"cents": 10000, "count": 81}], "counter_checks": []}
    desk.count_boxes(("BJ-01", BOX, figures))
    [variance] = desk.variances()
    assert {"currency": 100_00, "counter_check": -1_000_00} == variance["by_instrument"]
    assert ["CC-1"] == [item["subject"] for item in desk.follow_ups("check_not_dropped")]
    path = f"/variances/{PROPERTY}/{DAY}/drop/BJ-01/{BOX}"
    desk.done(f"{path}/own", {"owner": "audit.kim"}, person="audit.kim")
    desk.done(f"{path}/resolve", {"conclusion": "check at the cage"}, person="audit.kim")
    balances = desk.balances()
    assert not [account for account in balances if account[2] == "box"]
    assert (-100_00, 1_000_00) == (
        balances["BJ-01", "currency", "drop_variance"],
        balances["BJ-01", "counter_check", "drop_variance"],
    )


def test_a_day_is_closed_step_by_step_by_different_people(desk: InventoryDesk) -> None:
    """Complete, then audited once reportable variances are resolved, then sealed; no step is left out."""
    desk.has_only("BJ-01")
    table = play_a_day(desk, missing=1_000_00)
    path = f"/gaming-days/{PROPERTY}/{DAY}"
    assert 409 == desk.send(f"{path}/audited", person="audit.lou").status_code
    uncounted = desk.send(f"{path}/preliminary", {}, person="audit.kim")
    missing = "box A1 of BJ-01, off since 2026-11-20 12:54:00, is not counted"
    assert f"2026-11-20 is not complete: {missing}" == uncounted.json()["detail"]
    desk.count_boxes(("BJ-01", BOX, FOUND))
    desk.done(f"{path}/preliminary", {}, person="audit.kim")
    assert 403 == desk.send(f"{path}/audited", person="audit.kim").status_code
    assert 403 == desk.send(f"{path}/audited", person="count.sue as audit").status_code
    left = desk.send(f"{path}/audited", person="audit.lou")
    assert 409 == left.status_code
    assert f"/variances/{PROPERTY}/{DAY}/inventory/BJ-01/{table.sequence}" in left.json()["detail"]
    variance = f"/variances/{PROPERTY}/{DAY}/inventory/BJ-01/{table.sequence}"
    desk.done(f"{variance}/own", {"owner": "audit.kim"}, person="audit.kim")
    desk.done(f"{variance}/resolve", {"conclusion": "overpaid"}, person="audit.kim")
    desk.done(f"{path}/audited", person="control.eve")
    assert 403 == desk.send(f"{path}/final", person="control.eve").status_code
    assert 403 == desk.send(f"{path}/final", person="audit.lou").status_code  # not a controller
    audited = desk.read(path)
    assert ("preliminary", "control.eve") == (audited["status"], audited["audited_by"])


def test_after_the_seal_only_adjusting_entries_of_two_people_change_the_win(desk: InventoryDesk) -> None:
    """The sealed report stays as it was; the adjustment is dated, has its reason, and shows the day as restated."""
    desk.has_only("BJ-01")
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
    assert ("entered", "final") == (entered["status"], entered["day_status"])
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
    assert ["control.eve"] == [item["by"] for item in desk.follow_ups("adjustment")]


def test_what_comes_after_the_seal_is_an_exception(desk: InventoryDesk) -> None:
    """A box or round that arrives after the day is final is recorded, restates the day, and stays listed."""
    desk.has_only("BJ-01")
    table = play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    path = f"/gaming-days/{PROPERTY}/{DAY}"
    desk.done(f"{path}/preliminary", {}, person="audit.kim")
    desk.done(f"{path}/audited", person="audit.lou")
    desk.done(f"{path}/final", person="control.eve")
    assert [] == desk.follow_ups("changed_after_seal")
    desk.done("/manual-slips", PAPER, person="cage.bob")
    [item] = desk.follow_ups("changed_after_seal")
    assert (-50_00, table.name) == (item["cents"], item["table"])
    assert item["reason"].endswith("restates the win: an adjusting entry would count it twice")
    assert 3_950_00 == desk.win()["total"]["final_win_cents"]
    assert ("restated", "control.eve") == (desk.read(path)["status"], desk.read(path)["final_by"])

    async def watch() -> None:
        async with desk.context.pools.background.connect() as connection:
            await observe(desk.context, connection)

    desk.client.run(watch())
    registry = desk.context.metrics.registry
    open_variances = [
        registry.get_sample_value(name, {"level": level})
        for name in ("pitledger_variances_open", "pitledger_variances_open_sealed")
        for level in ("noted", "report", "authority")
    ]
    assert [0, 0, 0, 0, 1, 0] == open_variances


def test_equipment_clocks_run_while_a_table_is_open(desk: InventoryDesk) -> None:
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
        items = desk.read(f"/equipment?property={PROPERTY}")["items"]
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
    assert {"BJ-01/cards", "BJ-01/dice"} == {item["subject"] for item in desk.follow_ups("equipment")}
    assert set() == overdue(12.9)
    assert {"cards"} == overdue(13.1)
    desk.pit(table.closed(at(13.5), OPENER))
    assert set() == overdue(14)


def test_a_counted_table_without_cards_has_none_to_change(desk: InventoryDesk) -> None:
    """Nobody changes the cards of a wheel; a counted table that was given cards changes them in time."""
    tables = {name: {"game": "roulette", "play": "counted"} for name in ("RL-01", "MB-01")} | {"BJ-01": {}}
    desk.desk.feed("properties", property_event(PROPERTY, tables, sequence=2, version=2))
    mini = Table("MB-01")
    cards = {"regulation": "pa-647a", "dealing": "shoe", "decks": 8, "counting_shuffler": True, "changed_by": "d.dan"}
    desk.pit(*(Table(name).opened(at(0), OPENER) for name in ("RL-01", "BJ-01")))
    desk.pit(mini.opened(at(0), OPENER), mini.event("cards.changed", at(0), **cards))
    desk.clock.now = at(30)
    items = desk.read(f"/equipment?property={PROPERTY}")["items"]
    assert [("BJ-01", "cards"), ("MB-01", "cards")] == [(one["table"], one["check"]) for one in items]


def test_the_metrics_say_what_is_overdue_open_and_on_its_way(desk: InventoryDesk) -> None:
    """The watch sets the figures that no event brings up to date."""
    play_a_day(desk, missing=1_000_00)
    table = Table("BJ-02")
    desk.pit(table.opened(at(0), OPENER))
    number = desk.slip("fill", "BJ-02", chips(c500=10))
    desk.pit(table.event("fill.carried", at(1), number=number, carried_by="sec.gus"))

    async def watch() -> None:
        async with desk.context.pools.background.connect() as connection:
            await observe(desk.context, connection)

    desk.client.run(watch())
    registry = desk.context.metrics.registry
    assert 1 == registry.get_sample_value("pitledger_equipment_overdue", {"check": "cards"})
    assert 1 == registry.get_sample_value("pitledger_variances_open", {"level": "authority"})
    assert 0 == registry.get_sample_value("pitledger_variances_open_sealed", {"level": "authority"})
    assert 1 == registry.get_sample_value("pitledger_slips_in_transit", {"slip": "fill"})
    assert 0 == registry.get_sample_value("pitledger_slips_in_transit", {"slip": "credit"})


def test_the_metrics_say_what_nobody_settled_in_time(desk: InventoryDesk) -> None:
    """A fill that never arrived, a number that is skipped, a day that is not sealed, and its variance."""
    play_a_day(desk, missing=1_000_00)
    table = Table("BJ-02")
    desk.pit(table.opened(at(0), OPENER))
    desk.slip("fill", "BJ-02", chips(c500=10))
    number = desk.slip("fill", "BJ-02", chips(c500=10))
    desk.pit(table.event("fill.carried", at(1), number=number, carried_by="sec.gus"))
    for paper in (PAPER, PAPER | {"number": 5004}):
        desk.done("/manual-slips", paper, person="cage.bob")

    def figures() -> dict[str, float]:
        async def watch() -> None:
            async with desk.context.pools.background.connect() as connection:
                await observe(desk.context, connection)
                await observe_days(desk.context, connection)

        desk.client.run(watch())
        sample = desk.context.metrics.registry.get_sample_value
        asked: dict[str, dict[str, str]] = {
            "slips_in_transit_age_seconds": {"slip": "fill"},
            "slips_not_received": {"slip": "fill"},
            "slip_numbers_missing": {"series": "paper", "slip": "fill"},
            "days_unsealed": {},
            "variances_open_old": {"level": "authority"},
        }
        found = {name: sample(f"pitledger_{name}", labels) for name, labels in asked.items()}
        assert 0 == sample("pitledger_slip_numbers_missing", {"series": "system", "slip": "fill"})
        return {name: value for name, value in found.items() if value is not None}

    desk.clock.now = at(1.5)
    of_the_day = {"slips_in_transit_age_seconds": 1800, "slips_not_received": 0, "slip_numbers_missing": 2}
    assert of_the_day | {"days_unsealed": 0, "variances_open_old": 0} == figures()
    desk.clock.now = at(33)
    day_later = {"slips_in_transit_age_seconds": 32 * 3600, "slips_not_received": 2, "slip_numbers_missing": 2}
    assert day_later | {"days_unsealed": 1, "variances_open_old": 1} == figures()


def test_who_has_no_role_gets_nothing(desk: InventoryDesk) -> None:
    """Each desk has its role, and reads what it works on."""
    place = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
    body = {"slip": "fill", "contents": chips(c500=10), **place}
    assert 403 == desk.send("/requests", body, person="count.tom").status_code
    assert 403 == desk.send("/drop-counts", {"property": PROPERTY, "gaming_day": DAY}, person="pit.ray").status_code
    assert 403 == desk.get(f"/inventories?property={PROPERTY}", person="count.tom").status_code
    assert 200 == desk.get(f"/slips?property={PROPERTY}", person="cage.bob").status_code
    assert 401 == desk.client.get(f"/inventories?property={PROPERTY}").status_code


def test_lists_come_in_pages_and_documents_with_etags(desk: InventoryDesk) -> None:
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
    win = f"/gaming-days/{PROPERTY}/{DAY}/win"
    etag = desk.get(win).headers["etag"]
    desk.clock.now += timedelta(minutes=1)
    assert 304 == desk.get(win, **{"If-None-Match": etag}).status_code


def test_every_table_of_the_property_has_a_record_of_the_day(desk: InventoryDesk) -> None:
    """Also one that nobody ever counted; not one that is retired, opens later, or has no chips to be counted."""
    desk.has_only("BJ-01", "BJ-02")
    play_a_day(desk)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    path = f"/gaming-days/{PROPERTY}/{DAY}/preliminary"
    incomplete = desk.send(path, {}, person="audit.kim")
    assert (409, f"{DAY} is not complete: table BJ-02 has no record of the day") == (
        incomplete.status_code,
        incomplete.json()["detail"],
    )
    others = {"BJ-02": {"retired_on": DAY}, "BJ-03": {"opened_on": "2026-11-21"}, "BJ-04": {"fully_automated": True}}
    desk.desk.feed("properties", property_event(PROPERTY, {"BJ-01": {}, **others}, sequence=3, version=3))
    assert "preliminary" == desk.done(path, {}, person="audit.kim")["status"]
