"""What the meters show on a real database: signs, lists, the reconciliation of a day, and what is published."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from shared.contracts.facts import KINDS
from shared.contracts.topics import METERS
from tests.support.asgi import assert_problem
from tests.unit.progressive_meters.office import Office, feed, terms
from tests.unit.progressive_meters.settlements import DAY, NOON, PROPERTY, Shard, rules

RULES = rules()
SHARD = Shard(RULES)


def test_signs_poll_cheaply(office: Office) -> None:
    """Whole cents for whoever may read signs; unchanged is 304 until the meter moves."""
    office.open_pool()
    office.settle(SHARD.posted(1, before=500000))
    sign = office.get(f"/readings/{PROPERTY}/major", person="sign")
    assert (500020, 2) == (sign.json()["shown_cents"], sign.json()["number"])
    tag = {"If-None-Match": sign.headers["etag"]}
    assert 304 == office.get(f"/readings/{PROPERTY}/major", person="sign", **tag).status_code
    all_signs = office.get(f"/readings/{PROPERTY}", person="sign")
    assert [500020] == [reading["shown_cents"] for reading in all_signs.json()["readings"]]
    every = {"If-None-Match": all_signs.headers["etag"]}
    assert 304 == office.get(f"/readings/{PROPERTY}", person="sign", **every).status_code
    office.settle(SHARD.posted(2, before=500020))
    assert 200 == office.get(f"/readings/{PROPERTY}/major", person="sign", **tag).status_code
    assert 200 == office.get(f"/readings/{PROPERTY}", person="sign", **every).status_code


def test_a_day_is_reconciled_as_it_is_known(office: Office) -> None:
    """The record keeps figures and hash; what comes later shows as changed, and can be reconciled again."""
    office.open_pool()
    office.settle(SHARD.posted(1, before=500000))
    assert "never" == office.reconciliation()["recorded"]
    wanted = {"property": PROPERTY, "gaming_day": DAY, "reason": "end of day"}
    assert_problem(office.send("/reconciliations", wanted, person="ann"), 403, "does not have the role")
    recorded = office.send("/reconciliations", wanted, person="kim")
    assert (201, True, 500020, "kim") == (
        recorded.status_code,
        recorded.json()["balanced"],
        recorded.json()["liability_cents"],
        recorded.json()["reconciled_by"],
    )
    report = office.reconciliation()
    assert ("as_it_is", recorded.json()["rows_sha256"]) == (report["recorded"], report["rows_sha256"])
    first = office.get(f"/reconciliations/{PROPERTY}/{DAY}")
    tag = {"If-None-Match": first.headers["etag"]}
    path = f"/reconciliations/{PROPERTY}/{DAY}"
    assert 304 == office.get(path, **tag).status_code
    office.settle(SHARD.posted(2, before=500020))
    assert "changed_since" == office.reconciliation()["recorded"]
    assert 201 == office.send("/reconciliations", wanted, person="kim").status_code
    assert "as_it_is" == office.reconciliation()["recorded"]


def test_the_next_day_opens_where_this_one_closed(office: Office) -> None:
    """Opening is the closing before; a later day leaves this day's rows alone."""
    office.open_pool()
    office.settle(SHARD.posted(1, before=500000), SHARD.posted(2, before=500020, gaming_day="2026-11-21"))
    closing = office.reconciliation()["pools"][0]["closing_cents"]
    after = office.read(f"/reconciliations/{PROPERTY}/2026-11-21")
    assert ("500020.5", "500020.5", "500041", True) == (
        closing,
        after["pools"][0]["opening_cents"],
        after["pools"][0]["closing_cents"],
        after["balanced"],
    )


def test_what_was_tampered_with_shows_in_the_reconciliation(office: Office, url: str) -> None:
    """A display, a movement or a hit that somebody changed in the database unbalances the day."""
    office.open_pool()
    office.settle(SHARD.posted(1, before=500000, award=500020, reset=500000))
    path = f"/reconciliations/{PROPERTY}/{DAY}"
    for statement, wrong in (
        ("UPDATE progressive_meters.pools SET display = display + 2000000000", "display meter holds"),
        ("UPDATE progressive_meters.pools SET wins_cents = wins_cents + 1", "the wins meter is"),
        (
            "DELETE FROM progressive_meters.movements WHERE number = 2",
            "movements of the day: 1 listed, 2 counted",
        ),
        ("UPDATE progressive_meters.pool_days SET movements = 7", "movements were counted, the last is number 2"),
        ("UPDATE progressive_meters.pool_days SET display_account = 1", "its account holds"),
    ):
        with psycopg.connect(url.replace("+psycopg", "")) as connection:
            connection.execute(statement)
        report = office.read(path)
        assert report["balanced"] is False
        assert any(wrong in one for one in report["wrong"]), report["wrong"]


def test_no_meter_falls_by_itself(office: Office, url: str) -> None:
    """The database refuses a movement that lowers a display without award, taking back, or approved change."""
    office.open_pool()
    office.settle(SHARD.posted(1, before=500000))
    fall = """INSERT INTO progressive_meters.movements
        SELECT (jsonb_populate_record(m, '{"number": 3, "contribution": -1}')).* FROM progressive_meters.movements m
        WHERE number = 2"""
    with (
        psycopg.connect(url.replace("+psycopg", "")) as connection,
        pytest.raises(psycopg.errors.CheckViolation, match="no_meter_falls_by_itself"),
    ):
        connection.execute(fall)
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute('SET ROLE "progressive_meters"')
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("UPDATE progressive_meters.movements SET contribution = 0")


def test_lists_come_page_by_page(office: Office) -> None:
    """Following `next` gives every item once; a cursor of somebody else's is refused."""
    for number in range(1, 5):
        office.open_pool(f"pool-{number}", feed(f"BJ-0{number}"))
    office.settle(*(SHARD.posted(n, before=500000 + 0, table="BJ-01", award=1) for n in range(1, 6)))

    def every(path: str, key: str) -> list[Any]:
        found, following = [], ""
        while True:
            answer = office.read(f"{path}limit=2{following}")
            found += [item[key] for item in answer["items"]]
            if "next" not in answer:
                return found
            following = f"&cursor={answer['next']}"

    assert [f"pool-{n}" for n in range(1, 5)] == every(f"/pools?property={PROPERTY}&", "pool")
    assert 6 == len(every(f"/pools/{PROPERTY}/pool-1/movements?", "movement"))
    assert_problem(office.get("/pools?cursor=abc"), 400, "is not one of this list")


def test_reading_needs_the_role(office: Office) -> None:
    """Who works on pools reads pools, signs read signs, and the reconciliation takes a role of its own."""
    office.open_pool()
    day = f"/reconciliations/{PROPERTY}/{DAY}"
    assert 401 == office.get("/pools", person=None).status_code
    assert 401 == office.get(f"/readings/{PROPERTY}", person=None).status_code
    assert 403 == office.get("/pools", person="sign").status_code
    assert [200, 403] == [office.get(path, person="carl").status_code for path in ("/pools", day)]
    assert_problem(office.get(day, person="carl"), 403, "carl does not have the role 'meters.reconcile' or 'reports")


def test_exceptions_are_asked_for_by_table_and_kind_page_by_page(office: Office) -> None:
    """As in every service; the cursor of another list is refused."""
    office.open_pool("major", feed("BJ-01"), feed("BJ-02"))
    office.settle(
        SHARD.posted(1, before=1),
        SHARD.posted(2, before=2, table="BJ-02"),
        SHARD.posted(3, before=500041, rate="0.2", stakes=(1000,)),
    )
    assert [("BJ-01", "reading"), ("BJ-01", "contribution"), ("BJ-02", "reading")] == [
        (item["table"], item["kind"]) for item in office.exceptions()
    ]
    assert ["r-1-2"] == [item["round_id"] for item in office.exceptions("&table=BJ-02")]
    assert ["r-1-3"] == [item["round_id"] for item in office.exceptions("&kind=contribution")]
    path = f"/reconciliations/{PROPERTY}/{DAY}/exceptions?limit=2"
    first = office.read(path)
    second = office.read(f"{path}&cursor={first['next']}")
    assert office.exceptions() == first["items"] + second["items"]
    assert "next" not in second
    assert_problem(office.get(f"/pools?cursor={first['next']}"), 400, "not one of this list")


def test_what_is_recorded_can_be_read_with_the_contract(office: Office, url: str) -> None:
    """Every kind of the topic; projected again in whatever order of the shards, the tables have the same rows."""
    office.open_pool()
    office.open_pool("minor", feed("BJ-02"))
    award = SHARD.posted(1, before=500000, award=500020, reset=500000)
    office.settle(award, SHARD.reversed(2, award), b"no JSON", SHARD.posted(4, before=500000))
    office.change("major", kind="transfer", cents=500, to="minor")
    office.send(f"{office.request('major', kind='reset')}/reject", {"reason": "not needed"}, person="bob")
    filed = office.send("/pools", terms(effective_from=(NOON + timedelta(hours=1)).isoformat()))
    office.send(f"{filed.headers['location']}/return", {"reason": "not needed"}, person="bob")
    office.settle(SHARD.posted(5, before=500000), SHARD.posted(6, before=1, table="BJ-02"), partition=1)
    office.send("/reconciliations", {"property": PROPERTY, "gaming_day": DAY, "reason": "close"}, person="kim")
    before, entries = office.desk.read_model(url), office.entries()
    shards = sorted({entry.shard for entry in entries})
    for order in (shards, shards[::-1]):
        office.desk.project_again(url, [entry for shard in order for entry in entries if entry.shard == shard])
        assert before == office.desk.read_model(url)
    facts = {kind.name for kind in KINDS.on(METERS) if kind.topic is METERS}
    assert facts <= {type(fact).KIND.name for fact in office.desk.facts()}
