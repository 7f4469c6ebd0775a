"""Revenue that is no win of a banking table: the rake of non-banking tables, and contests."""

from typing import Any

from shared.contracts.inventory import PitRecorded
from tests.support.asgi import assert_problem
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Table, at, chips
from tests.support.properties import property_event

TABLES: dict[str, dict[str, Any]] = {"BJ-01": {}, "PK-01": {"game": "poker", "non_banking": True}}
DROP: dict[str, Any] = {"currency": [{"cents": 10000, "count": 2}]}
RAKED = DROP | {"rake": chips(c100=250, c500=40)}
CONTESTS = f"/contests/{PROPERTY}/{DAY}"
RESULT: dict[str, Any] = {"contest": "friday-250", "fees_cents": 5_000_00, "prizes_cents": 5_600_00, "reason": "list 7"}


def _play(desk: InventoryDesk) -> None:
    """A poker table and a blackjack table open, sell chips for currency, and close; both boxes come off."""
    desk.desk.feed("properties", property_event(PROPERTY, TABLES, sequence=2, version=2))
    for name in TABLES:
        table = Table(name)
        desk.pit(table.opened(at(0), chips(c500=200)), table.sold(at(1), 200_00), *table.box_off(at(2.9)))
        desk.pit(table.closed(at(3), chips(c500=160)))


def _sealed(desk: InventoryDesk) -> dict[str, Any]:
    """The day is closed by three people; returns the report that is sealed."""
    path = f"/gaming-days/{PROPERTY}/{DAY}"
    desk.done(f"{path}/preliminary", {}, person="audit.kim")
    desk.done(f"{path}/audited", person="audit.lou")
    report: dict[str, Any] = desk.done(f"{path}/final", person="control.eve")["report"]
    return report


def test_the_rake_of_a_non_banking_table_is_its_revenue(desk: InventoryDesk) -> None:
    """It is counted like drop and posted once; the table has no win, and its facts carry the mark."""
    _play(desk)
    concluded = desk.count_boxes(("PK-01", 3, RAKED), ("BJ-01", 3, DROP))
    assert {"BJ-01": None, "PK-01": 450_00} == {box["table"]: box.get("rake_cents") for box in concluded["boxes"]}
    balances = desk.balances()
    assert (450_00, -450_00) == (balances["PK-01", "", "rake_counted"], balances["PK-01", "", "rake"])
    marks = {fact.table: fact.non_banking for fact in desk.desk.facts() if isinstance(fact, PitRecorded)}
    assert {"PK-01": True, "BJ-01": None} == marks
    report = _sealed(desk)
    assert (["BJ-01"], 0) == ([row["table"] for row in report["tables"]], report["total"]["final_win_cents"])
    assert [("PK-01", 450_00, [3])] == [(row["table"], row["final_rake_cents"], row["boxes"]) for row in report["rake"]]


def test_a_banking_table_has_no_rake_and_a_non_banking_one_nothing_else(desk: InventoryDesk) -> None:
    """A box, and an adjustment of a figure that the table does not have, are refused; an adjusted rake is posted."""
    _play(desk)
    number = desk.done("/drop-counts", {"property": PROPERTY, "gaming_day": DAY}, person="count.sue")["count"]
    body = {"table": "BJ-01", "exchange": 3, "figures": RAKED}
    refused = desk.send(f"/drop-counts/{PROPERTY}/{number}/boxes", body, person="count.tom")
    assert_problem(refused, 422, "BJ-01 is no non-banking table and takes no rake")
    for table, figures in (("PK-01", RAKED), ("BJ-01", DROP)):
        for person in ("count.sue", "count.tom"):
            body = {"table": table, "exchange": 3, "figures": figures}
            desk.done(f"/drop-counts/{PROPERTY}/{number}/boxes", body, person=person)
    desk.done(f"/drop-counts/{PROPERTY}/{number}/conclude", person="count.sue")
    _sealed(desk)
    path = f"/gaming-days/{PROPERTY}/{DAY}/adjustments"
    wanted = {"table": "PK-01", "shift": "day", "figure": "rake", "cents": -50_00, "reason": "a chip of another house"}
    assert_problem(desk.send(path, wanted | {"table": "BJ-01"}, person="audit.kim"), 422, "it has no rake")
    assert_problem(desk.send(path, wanted | {"figure": "credits"}, person="audit.kim"), 422, "its revenue is its rake")
    desk.done(path, wanted, person="audit.kim")
    desk.done(f"{path}/1/approve", person="control.eve")
    assert (400_00, -400_00) == (
        desk.balances()["PK-01", "", "rake_counted"],
        desk.balances()["PK-01", "", "rake"],
    )
    assert "restated" == desk.read(f"/gaming-days/{PROPERTY}/{DAY}")["status"]


def test_a_contest_takes_two_people_and_a_revision_posts_the_difference(desk: InventoryDesk) -> None:
    """Fees less prizes, which may be below zero; who entered it cannot approve it."""
    entered = desk.done(CONTESTS, RESULT, person="control.eve")
    assert (1, "entered") == (entered["revision"], entered["status"])
    assert_problem(desk.send(CONTESTS, RESULT, person="audit.kim"), 409, "revision 1 of contest friday-250")
    own = desk.send(f"{CONTESTS}/friday-250/1/approve", person="control.eve")
    assert_problem(own, 403, "control.eve entered revision 1 of contest friday-250 of 2026-11-20")
    desk.done(f"{CONTESTS}/friday-250/1/reject", {"reason": "whose list?"}, person="control.eve")
    desk.done(CONTESTS, RESULT, person="audit.kim")
    assert {} == desk.balances()
    desk.done(f"{CONTESTS}/friday-250/2/approve", person="control.eve")
    legs = ("contest_fees", "contest_prizes", "contest_money")
    assert [-5_000_00, 5_600_00, -600_00] == [desk.balances()["", "friday-250", leg] for leg in legs]
    desk.done(CONTESTS, RESULT | {"prizes_cents": 5_500_00, "reason": "a void prize"}, person="audit.kim")
    approved = desk.done(f"{CONTESTS}/friday-250/3/approve", person="control.eve")
    assert {"fees_cents": 5_000_00, "prizes_cents": 5_600_00} == approved["before"]
    assert [-5_000_00, 5_500_00, -500_00] == [desk.balances()["", "friday-250", leg] for leg in legs]


def test_a_day_waits_for_the_decision_about_its_contests(desk: InventoryDesk) -> None:
    """Its sealed report has the results that were approved."""
    _play(desk)
    desk.count_boxes(("PK-01", 3, RAKED), ("BJ-01", 3, DROP))
    desk.done(CONTESTS, RESULT, person="audit.kim")
    path = f"/gaming-days/{PROPERTY}/{DAY}"
    desk.done(f"{path}/preliminary", {}, person="audit.kim")
    early = desk.send(f"{path}/audited", person="audit.lou")
    assert_problem(early, 409, "revision 1 of contest friday-250 waits for a decision")
    desk.done(f"{CONTESTS}/friday-250/1/approve", person="control.eve")
    desk.done(f"{path}/audited", person="audit.lou")
    report = desk.done(f"{path}/final", person="control.eve")["report"]
    assert [{name: RESULT[name] for name in ("contest", "fees_cents", "prizes_cents")}] == report["contests"]
    listed = desk.get(CONTESTS, person="audit.kim").json()["items"]
    assert [("friday-250", "approved")] == [(one["contest"], one["status"]) for one in listed]


def test_a_contest_ends_where_law_knows_contests(desk: InventoryDesk) -> None:
    """Not before its gaming day has come, nor at a property whose pack has no such class."""
    later = desk.send(f"/contests/{PROPERTY}/2026-12-24", RESULT, person="audit.kim")
    assert_problem(later, 409, "that gaming day has not come yet")
    desk.desk.feed("properties", property_event("harbor", sequence=2, packs=["us-ri", "us-federal"]))
    elsewhere = desk.send(f"/contests/harbor/{DAY}", RESULT, person="audit.kim")
    assert_problem(elsewhere, 422, "us-ri says nothing of the revenue of contests")
