"""What two people do in the table-inventory ledger: how each thing comes to be approved, twice over."""

from datetime import timedelta

from tests.integration.approvals.case import Case, Proposed
from tests.integration.table_inventory.day import BOX, FOUND, play_a_day
from tests.integration.table_inventory.test_cage import PAID
from tests.integration.table_inventory.test_credit_lines import CREDIT, RULES, asked, granted, prepared
from tests.integration.table_inventory.test_investigations import WANTED
from tests.integration.table_inventory.test_other_revenue import CONTESTS, RESULT
from tests.integration.table_inventory.test_tax_invoices import INVOICE, TAX_INVOICES
from tests.integration.table_inventory.test_tips import TIP_HOURS
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Table, at, chips
from tests.support.pit_changes import propose
from tests.support.properties import property_event

_PATH = f"/gaming-days/{PROPERTY}/{DAY}"
_FIGURE = {"table": "BJ-01", "shift": "day", "figure": "currency", "reason": "a note behind the liner"}


def pit_change(desk: InventoryDesk, n: int) -> Proposed:
    """A sale is to be void; that is rejected, and proposed again."""
    table = Table("BJ-01")
    sale = table.sold(at(1), 900_00)
    if n == 1:
        desk.pit(sale)
    else:
        desk.done(f"/pit-changes/{PROPERTY}/{n - 1}/reject", {"reason": "look again"}, person="audit.ned")
    assert 201 == propose(desk, sale).status_code
    return Proposed(f"/pit-changes/{PROPERTY}/{n}/approve", "audit.ned")


def contest(desk: InventoryDesk, n: int) -> Proposed:
    """Enter a result, and another once that was rejected."""
    if n > 1:
        desk.done(f"{CONTESTS}/friday-250/{n - 1}/reject", {"reason": "whose list?"}, person="control.eve")
    desk.done(CONTESTS, RESULT | {"prizes_cents": n * 200_00}, person="audit.kim")
    return Proposed(f"{CONTESTS}/friday-250/{n}/approve", "control.eve")


def tip_hours(desk: InventoryDesk, n: int) -> Proposed:
    """Enter the hours of a pool, and others once those were rejected."""
    if n == 1:
        desk.desk.feed("properties", property_event(PROPERTY, sequence=2, version=2, tips_pool={"period": "day"}))
    else:
        desk.done(f"{TIP_HOURS}/{n - 1}/reject", {"reason": "whose clock?"}, person="control.eve")
    hours = [{"dealer": "dealer.dan", "minutes": n * 60}]
    desk.done(TIP_HOURS, {"hours": hours, "reason": "the time clock"}, person="audit.kim")
    return Proposed(f"{TIP_HOURS}/{n}/approve", "control.eve")


def tax_invoice(desk: InventoryDesk, n: int) -> Proposed:
    """Enter an invoice, and another amount of it once that was rejected."""
    if n > 1:
        desk.done(f"{TAX_INVOICES}/2026-47/{n - 1}/reject", {"reason": "whose casino?"}, person="control.eve")
    desk.done(TAX_INVOICES, INVOICE | {"cents": n * 100}, person="audit.kim")
    return Proposed(f"{TAX_INVOICES}/2026-47/{n}/approve", "control.eve")


def _counted(desk: InventoryDesk, *, missing: int = 0) -> Table:
    desk.has_only("BJ-01")
    table = play_a_day(desk, missing=missing)
    desk.count_boxes(("BJ-01", BOX, FOUND))
    return table


def _enter(desk: InventoryDesk, cents: int) -> int:
    number: int = desk.done(f"{_PATH}/adjustments", _FIGURE | {"cents": cents}, person="audit.kim")["adjustment"]
    return number


def _entered_and_rejected(desk: InventoryDesk) -> None:
    desk.done(f"{_PATH}/adjustments/{_enter(desk, 5_00)}/reject", {"reason": "seen"}, person="control.eve")


def adjustment(desk: InventoryDesk, n: int) -> Proposed:
    """Close a day, and enter adjustments of it."""
    if n == 1:
        _counted(desk)
        desk.done(f"{_PATH}/preliminary", {}, person="audit.kim")
    return Proposed(f"{_PATH}/adjustments/{_enter(desk, n * 100_00)}/approve", "control.eve")


def audit(desk: InventoryDesk, n: int) -> Proposed:
    """Close a day; then something about it is entered and rejected."""
    if n == 1:
        _counted(desk)
        desk.done(f"{_PATH}/preliminary", {}, person="audit.kim")
    else:
        _entered_and_rejected(desk)
    return Proposed(f"{_PATH}/audited", "audit.lou")


def seal(desk: InventoryDesk, n: int) -> Proposed:
    """Close and audit a day; then something about it is entered and rejected."""
    if n == 1:
        _counted(desk)
        desk.done(f"{_PATH}/preliminary", {}, person="audit.kim")
        desk.done(f"{_PATH}/audited", person="audit.lou")
    else:
        _entered_and_rejected(desk)
    return Proposed(f"{_PATH}/final", "control.eve")


def variance(desk: InventoryDesk, n: int) -> Proposed:
    """Chips are missing; somebody is named to explain it, twice."""
    if n == 1:
        _counted(desk, missing=1_000_00)
    [found] = desk.variances()
    path = f"/variances/{PROPERTY}/{DAY}/inventory/BJ-01/{found['number']}"
    desk.clock.now += timedelta(minutes=1)
    desk.done(f"{path}/own", {"owner": "audit.kim"}, person="audit.lou")
    return Proposed(f"{path}/resolve", "audit.kim", {"conclusion": "overpaid at seat 3"})


def alarm(desk: InventoryDesk, n: int) -> Proposed:
    """Somebody is named to look into an alarm, twice."""
    desk.clock.now += timedelta(minutes=n)
    desk.done(f"/alarms/{PROPERTY}/counts/own", {"owner": "watch.max"}, person="watch.ida")
    return Proposed(f"/alarms/{PROPERTY}/counts/resolve", "watch.max", {"conclusion": "one player's luck"})


def investigation(desk: InventoryDesk, n: int) -> Proposed:
    """Investigations of two months are opened."""
    found = desk.done("/investigations", WANTED | {"month": f"2026-{9 + n:02d}"}, person="audit.lou")
    path = f"/investigations/{PROPERTY}/{found['investigation']}/conclude"
    return Proposed(path, "audit.kim", {"conclusion": "one player's luck"})


def slip(desk: InventoryDesk, n: int) -> Proposed:
    """The pit asks for fills."""
    place = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY, "shift": "day"}
    wanted = {"slip": "fill", "contents": chips(c500=n), **place}
    request = desk.done("/requests", wanted, person="pit.ray")["request"]
    return Proposed("/slips", "cage.bob", {"property": PROPERTY, "request": request})


def credit(desk: InventoryDesk, n: int) -> Proposed:
    """Credits leave a table."""
    table = Table("BJ-01")
    if n == 1:
        desk.pit(table.opened(at(0), chips(c500=1000)))
    number = desk.slip("credit", "BJ-01", chips(c500=n))
    table.sequence = n
    people = {"surrendered_by": "dealer.dan", "observed_by": "floor.fay", "carried_by": "sec.gus"}
    desk.pit(table.event("credit.carried", at(n), number=number, **people))
    return Proposed(f"/slips/{PROPERTY}/credit/{number}/receive", "cage.ann", {"contents": chips(c500=n)})


def redemption(desk: InventoryDesk, n: int) -> Proposed:
    """A counter check is paid in parts."""
    if n == 1:
        table = Table("BJ-01")
        people = {"dealer": "dealer.dan", "floorperson": "floor.fay", "drawer": "p-1"}
        issued = table.event("counter_check.issued", at(1), serial="CC1", cents=1_000_00, **people)
        desk.pit(table.opened(at(0), chips(c500=1000)), issued)
    checks = f"/counter-checks/{PROPERTY}"
    desk.done(f"{checks}/CC1/redeem", {"cents": n * 100_00, "paid_in": "currency"}, person="cage.ann")
    return Proposed(f"{checks}/redemptions/{n}/void", "cage.bob", {"reason": "another patron's"})


def movement(desk: InventoryDesk, n: int) -> Proposed:
    """A patron is paid at the cage."""
    desk.done("/cage-movements", PAID | {"cents": n * 1_000_00}, person="cage.ann")
    return Proposed(f"/cage-movements/{PROPERTY}/{n}/void", "cage.bob", {"reason": "another patron"})


def write_off(desk: InventoryDesk, n: int) -> Proposed:
    """A drop box came off a table and cannot be counted, and the one that took its place never came back."""
    if n == 1:
        table = Table("BJ-01")
        desk.pit(table.opened(at(0), chips(c500=1000)), *table.box_off(at(1), "B1", "B2"))
    box = {"gaming_day": DAY, "table": "BJ-01", "exchange": 2, "which": ("removed", "placed")[n - 1], "reason": "burnt"}
    number = desk.done(f"/write-offs/{PROPERTY}", box, person="audit.kim")["write_off"]
    return Proposed(f"/write-offs/{PROPERTY}/{number}/approve", "control.eve")


def transfer(desk: InventoryDesk, n: int) -> Proposed:
    """Currency comes from the bank."""
    contents = [{"kind": "currency", "cents": 100_00, "count": n}]
    wanted = {"giver": "bank", "receiver": "cage", "contents": contents}
    desk.done(f"/cage/{PROPERTY}/transfers", wanted, person="cage.ann")
    return Proposed(f"/cage/{PROPERTY}/transfers/{n}/receive", "cage.bob")


def cage_count(desk: InventoryDesk, n: int) -> Proposed:
    """The cage is counted; that is rejected, and it is counted again."""
    if n > 1:
        desk.done(f"/cage/{PROPERTY}/counts/{n - 1}/reject", {"reason": "count again"}, person="cage.bob")
    contents = [{"kind": "currency", "cents": 100_00, "count": n}]
    counted = {"location": "cage", "contents": contents, "cashier": "cage.ann"}
    desk.done(f"/cage/{PROPERTY}/counts", counted, person="cage.ann")
    return Proposed(f"/cage/{PROPERTY}/counts/{n}/verify", "cage.bob")


def chips_in_service(desk: InventoryDesk, n: int) -> Proposed:
    """Chips were in service before the books began; that is rejected, and entered again."""
    path = f"/chips-in-service/{PROPERTY}"
    if n > 1:
        desk.done(f"{path}/{n - 1}/reject", {"reason": "whose ledger?"}, person="control.eve")
    contents = [{"kind": "chips", "cents": 500, "count": n * 1000}]
    entered = {"gaming_day": DAY, "contents": contents, "source": "chip inventory ledger"}
    desk.done(path, entered, person="audit.kim")
    return Proposed(f"{path}/{n}/approve", "control.eve")


def credit_line(desk: InventoryDesk, n: int) -> Proposed:
    """A limit is requested and verified for two patrons."""
    if n == 1:
        desk.has_only("BJ-01", **RULES)
    number = asked(desk, 1_000_00, f"p-{n}")
    return Proposed(f"{CREDIT}/requests/{number}/approve", "boss.cal")


def check_write_off(desk: InventoryDesk, n: int) -> Proposed:
    """A counter check is to be written off in parts."""
    if n == 1:
        table = Table("BJ-01")
        people = {"dealer": "dealer.dan", "floorperson": "floor.fay", "drawer": "p-1"}
        issued = table.event("counter_check.issued", at(1), serial="CC1", cents=1_000_00, **people)
        desk.pit(table.opened(at(0), chips(c500=1000)), issued)
    else:
        desk.done(f"/check-write-offs/{PROPERTY}/{n - 1}/reject", {"reason": "ask again"}, person="boss.cal")
    body = {"serial": "CC1", "write_off_kind": "uncollectible", "cents": n * 100_00, "reason": "bankrupt"}
    number = desk.done(f"/check-write-offs/{PROPERTY}", body, person="credit.una")["check_write_off"]
    return Proposed(f"/check-write-offs/{PROPERTY}/{number}/approve", "boss.cal")


def preparation(desk: InventoryDesk, n: int) -> Proposed:
    """Counter checks are prepared against a credit line."""
    if n == 1:
        desk.has_only("BJ-01", **RULES)
        granted(desk, 1_000_00)
    desk.done(f"{CREDIT}/checks", prepared(f"K-{n}", 100_00), person="pit.kai")
    return Proposed(f"{CREDIT}/checks/K-{n}/void", "pit.lea", {"reason": "the patron left"})


CASES = (
    Case("approve-credit-line", credit_line),
    Case("approve-check-write-off", check_write_off),
    Case("void-preparation", preparation),
    Case("approve-pit-change", pit_change),
    Case("approve-contest", contest),
    Case("approve-tip-hours", tip_hours),
    Case("approve-tax-invoice", tax_invoice),
    Case("approve-adjustment", adjustment),
    Case("audit-day", audit),
    Case("seal-day", seal),
    Case("approve-write-off", write_off),
    Case("resolve-variance", variance),
    Case("resolve-alarm", alarm),
    Case("conclude-investigation", investigation),
    Case("prepare-slip", slip),
    Case("receive-credit", credit),
    Case("void-redemption", redemption),
    Case("void-at-cage", movement),
    Case("receive-cage-transfer", transfer),
    Case("verify-cage-count", cage_count),
    Case("approve-chips-in-service", chips_in_service),
)
