"""A count that somebody alters under seal: it is not concluded, and the row is named."""

import pytest

from services.table_inventory.tables import sealed_counts
from tests.integration.table_inventory.day import BOX, FOUND, play_a_day
from tests.support.nightly import sampled
from tests.support.pit import DAY, PROPERTY, InventoryDesk
from tests.support.rebuilding import assert_named, compared, execute

REPLICA = "SET session_replication_role = replica"
LESS = "UPDATE table_inventory.sealed_counts SET figures = jsonb_set(figures, '{currency,0,count}', '70')"
RENAMED = "UPDATE table_inventory.sealed_counts SET counted_by = 'count.max' WHERE turn = 2"
GONE = "DELETE FROM table_inventory.sealed_counts WHERE turn = 2"
ADDED = """
    INSERT INTO table_inventory.sealed_counts
    SELECT property, count, "table", exchange, 3, 'count.max', salt, figures FROM table_inventory.sealed_counts
    WHERE turn = 1"""

NO_TURN = ADDED.replace("'count.max', salt", "'count.max', 'x'")


def test_whatever_is_altered_under_seal_is_named(desk: InventoryDesk) -> None:
    """Every column, a row added, a row deleted: before the count is concluded."""
    play_a_day(desk)
    count = desk.done("/drop-counts", {"property": PROPERTY, "gaming_day": DAY}, person="count.sue")["count"]
    body = {"table": "BJ-01", "exchange": BOX, "figures": FOUND}
    desk.done(f"/drop-counts/{PROPERTY}/{count}/boxes", body, person="count.sue")
    url = desk.desk.context.pools.background.url.render_as_string(hide_password=False)
    assert_named("table-inventory", url, sealed_counts, "altered", "added", "deleted")


@sampled(1)
@pytest.mark.parametrize(
    ("altered", "turns"),
    [(LESS, [1, 2]), (RENAMED, [2]), (GONE, [2]), (ADDED, [3]), (NO_TURN, [3])],
    ids=["less", "who", "gone", "added", "no turn"],
)
def test_what_was_altered_under_seal_is_not_opened(desk: InventoryDesk, altered: str, turns: list[int]) -> None:
    """Two people's figures, altered alike, do not become the drop: the journal has what they committed to."""
    play_a_day(desk)
    count = desk.done("/drop-counts", {"property": PROPERTY, "gaming_day": DAY}, person="count.sue")["count"]
    body = {"table": "BJ-01", "exchange": BOX, "figures": FOUND}
    for person in ("count.sue", "count.tom"):
        desk.done(f"/drop-counts/{PROPERTY}/{count}/boxes", body, person=person)
    url = desk.desk.context.pools.background.url.render_as_string(hide_password=False)
    assert (0, "") == ((found := compared("table-inventory", url)).different, found.first)
    execute(url, REPLICA, altered)
    answer = desk.send(f"/drop-counts/{PROPERTY}/{count}/conclude", person="count.sue")
    assert (409, "urn:pitledger:problem:not-as-recorded") == (answer.status_code, answer.json()["type"])
    [one] = [one for one in compared("table-inventory", url).tables if one.different]
    assert ("sealed_counts", turns) == (one.table, [int(row.key["turn"]) for row in one.first])
