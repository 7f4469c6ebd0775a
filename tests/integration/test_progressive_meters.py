"""The progressive meters on a real database: rounds counted exactly, pools changed by two people, days reconciled."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from shared.contracts.meters import decode
from shared.journal.entry import Entry
from shared.rules import validate_submission
from shared.rules.errors import Refused
from shared.rules.record import parse_submission
from shared.runtime.publish.relay import entry_message
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.rounds import submission
from tests.support.services import settled_database
from tests.unit.progressive_meters.office import Office, an_office, feed, terms
from tests.unit.progressive_meters.settlements import DAY, NOON, PROPERTY, Shard, rules

RULES = rules()
SHARD = Shard(RULES)
OTHER = Shard(RULES, 2)


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of the meters."""
    url = settled_database(databases, "progressive-meters")
    yield url
    databases.drop(url)


@pytest.fixture
def office(url: str) -> Iterator[Office]:
    """The service, which knows the rules submission."""
    with an_office(url) as office:
        office.learn(RULES)
        yield office


# --- counting ---


def test_rounds_are_counted_to_the_last_share_of_a_cent(office: Office) -> None:
    """Contributions with their shares, an award of all with its reset; the day reconciles, and no reading differs."""
    office.open_pool()
    office.settle(
        SHARD.posted(1, before=500000),
        SHARD.posted(2, before=500020, stakes=(100, 500)),
        SHARD.posted(3, before=500143, award=500163, reset=500000),
        SHARD.posted(4, before=500001),
    )
    assert "500021.5" == office.shows()
    report = office.reconciliation()
    [row] = report["pools"]
    assert ("0", "500000", "184.5", "500163", "500000", "500021.5") == tuple(
        row[name] for name in ("opening", "seed", "contribution", "award", "reset", "closing")
    )
    assert ("0", 5, 900, 1, 4, 0) == tuple(
        row[name] for name in ("difference", "in_count", "in_cents", "hits", "readings", "readings_different")
    )
    assert [] == office.exceptions()
    [hit] = office.read(f"/reports/hits?property={PROPERTY}")["items"]
    assert (500163, 1, "BJ-01", "dealer_21_with_seven_or_more_cards", True) == tuple(
        hit[name] for name in ("cents", "seat", "table", "category", "standing")
    )
    assert 0 == sum(balance.cents for balance in office.balances())


def test_tables_are_linked_whatever_the_order_of_their_shards(office: Office) -> None:
    """Two tables in two shards feed one pool; a shard that comes later changes neither the sum nor the comparison."""
    office.open_pool("major", feed("BJ-01"), feed("BJ-02"))
    here = [SHARD.posted(n, before=500000 + 41 * (n - 1), opened=n, closed=n + 0.3) for n in (1, 2, 3)]
    there = [
        OTHER.posted(n, before=500020 + 41 * (n - 1), table="BJ-02", opened=n + 0.5, closed=n + 0.8) for n in (1, 2, 3)
    ]
    office.settle(*here)
    assert 2 == len(office.exceptions())
    office.settle(*there, partition=1)
    assert ("500123", []) == (office.shows(), office.exceptions())
    tables = office.reconciliation()["tables"]
    assert [("BJ-01", "61.5"), ("BJ-02", "61.5")] == [(one["table"], one["contribution"]) for one in tables]


def test_a_reading_that_differs_is_an_exception(office: Office) -> None:
    """Both readings are named, the table's and the ledger's, before the round and after it."""
    office.open_pool()
    office.settle(SHARD.posted(1, before=500000), SHARD.posted(2, before=500019), SHARD.posted(3, before=500041))
    [item] = office.exceptions()
    assert ("reading", 500019, 500020, 500039, 500040) == tuple(
        item[name]
        for name in (
            "kind",
            "reported_before_cents",
            "ledger_before_cents",
            "reported_after_cents",
            "ledger_after_cents",
        )
    )
    report = office.reconciliation()
    assert (1, 1) == (report["exceptions"], report["pools"][0]["readings_different"])


def test_a_settlement_that_is_not_rate_times_wagers_is_an_exception(office: Office) -> None:
    """The settlement counts; what the rate comes to stands beside it."""
    office.open_pool()
    office.settle(SHARD.posted(1, before=500000, rate="0.2", stakes=(1000,)))
    [item] = office.exceptions()
    assert ("contribution", 200, "205") == (item["kind"], item["settled_cents"], item["rated"])
    assert "500200" == office.shows()


def test_a_void_takes_back_exactly(office: Office) -> None:
    """The meter, its counters, the hits and the accounts are as before; the reading stands no more."""
    office.open_pool()
    first = SHARD.posted(1, before=500000, stakes=(333,))
    award = SHARD.posted(2, before=500068, award=500088, reset=500000)
    office.settle(first)
    before = office.balances(), office.shows()
    office.settle(award)
    office.settle(SHARD.reversed(3, award))
    assert before == (office.balances(), office.shows())
    pool = office.read(f"/pools/{PROPERTY}/major")
    assert ("500068.265", 3 + 1, 1, 333, 0, 0) == tuple(
        pool[name] for name in ("display", "number", "in_count", "in_cents", "hits", "wins_cents")
    )
    [hit] = office.read(f"/reports/hits?property={PROPERTY}&gaming_day={DAY}")["items"]
    assert hit["standing"] is False
    assert 1 == office.reconciliation()["pools"][0]["readings"]


def test_a_correction_takes_back_and_counts_again(office: Office) -> None:
    """In one batch or in two; the corrected round is compared at the time when it was played."""
    office.open_pool()
    first = SHARD.posted(1, before=500000, round_id="r-1")
    office.settle(
        first,
        SHARD.posted(2, before=500020),
        SHARD.reversed(3, first),
        SHARD.posted(4, before=500000, stakes=(300,), round_id="r-1", revision=2, opened=1, closed=1.5),
    )
    assert ("500082", []) == (office.shows(), office.exceptions())
    again = SHARD.posted(6, before=500000, stakes=(200,), round_id="r-1", revision=3, opened=1, closed=1.5)
    office.settle(SHARD.reversed(5, SHARD.posted(4, before=500000, round_id="r-1", revision=2, stakes=(300,))), again)
    assert ("500061.5", []) == (office.shows(), office.exceptions())
    office.reconciliation()


def test_a_round_without_meters_leads_to_nothing(office: Office) -> None:
    """Most rounds have no progressive wager: no entry, and no entry when they are taken back."""
    office.open_pool()
    plain = SHARD.posted(1, before=500000, stakes=(), lines=[], totals=[], meters={}, record={"seats": []})
    office.settle(plain, SHARD.reversed(2, plain))
    assert ["pool.approved", "pool.filed"] == sorted(office.kinds())


def test_a_meter_without_a_pool_waits_until_it_has_one(office: Office) -> None:
    """The record is refused with what to do; once a pool begins in the past and it is replayed, it counts."""
    event = SHARD.posted(1, before=500000)
    office.settle(event)
    [reason] = office.quarantined()
    assert "meter bad_beat_progressive of blackjack at BJ-01 fed no pool of riverside" in reason
    office.open_pool()
    report = office.reconciliation()
    assert 1 == report["input_open"]
    office.settle(event)
    assert ("500020.5", []) == (office.shows(), office.quarantined())


def test_what_was_refused_cannot_be_taken_back(office: Office) -> None:
    """A reversal of a round that was not counted waits for the round to be mended."""
    event = SHARD.posted(1, before=500000)
    office.settle(event, SHARD.reversed(2, event))
    assert "was not counted" in office.quarantined()[1]


def test_an_unknown_submission_is_refused(office: Office) -> None:
    """The rate is not guessed."""
    office.open_pool()
    office.settle(Shard(rules("0.3")).posted(1, before=500000))
    assert "is not known here" in office.quarantined()[0]


def test_an_award_of_no_known_meter_is_refused(office: Office) -> None:
    """Money that came off a meter must be some pool's."""
    office.open_pool()
    event = SHARD.posted(1, before=500000)
    event["data"]["totals"].append({"wager": "other", "count": 1, "handle": 0, "payout": 5, "meter_payout": 5})
    office.settle(event)
    assert "5 cents came off meters, of which 0" in office.quarantined()[0]


def test_a_settlement_sent_twice_counts_once(office: Office) -> None:
    """Duplicates are dropped, missing ones are a gap that the reconciliation names."""
    office.open_pool()
    first, third = SHARD.posted(1, before=500000), SHARD.posted(3, before=500020)
    office.settle(first, first, third)
    assert ("500041", 1) == (office.shows(), office.reconciliation()["input_open"])


def test_two_meters_and_their_reserve(office: Office) -> None:
    """A paytable that fixes rate, reserve rate and seed; the reserve funds the reset, the rest is advanced."""
    changes = {"game": "face-up", "regulation": "pa-688a", "tables": ["FU-01"]}
    fixed = submission(2, submission={"wagers": {"progressive_payout": {"paytable": "4"}}}, **changes)
    office.learn(RULES, fixed)
    office.open_pool("seven", feed("FU-01", "face-up", "progressive_payout"), base_cents=1000000, reset_cents=1000000)
    seven = Shard(fixed, 3)
    where: dict[str, Any] = {"table": "FU-01", "game": "face-up", "meter": "progressive_payout", "rate": "0.01"}
    office.settle(
        seven.posted(1, before=1000000, stakes=(500, 500), **where),
        seven.posted(2, before=1000010, stakes=(500,), award=1000015, reset=1000000, **where),
        partition=2,
    )
    [row] = office.reconciliation()["pools"]
    assert ("1000000", "15", "1000000", "-999985") == tuple(
        row[name] for name in ("closing", "reserved", "reserve_used", "reserve_closing")
    )
    assert [] == office.exceptions()


# --- pools ---


def test_a_pool_takes_two_people(office: Office) -> None:
    """The filer cannot approve; the attempt is recorded, and somebody else still can."""
    filed = office.send("/pools", terms(), person="ann")
    where = filed.headers["location"]
    assert (201, "/pools/riverside/major/versions/1", "filed") == (filed.status_code, where, filed.json()["status"])
    assert_problem(office.send(f"{where}/approve", person="ann"), 403, "ann filed version 1 of pool major")
    assert_problem(office.send(f"{where}/approve", person="carl"), 403, "carl does not have the role 'meter_approve'")
    assert 404 == office.get(f"/readings/{PROPERTY}/major").status_code
    approved = office.send(f"{where}/approve", person="bob")
    assert (200, "approved", "bob") == (approved.status_code, approved.json()["status"], approved.json()["approved_by"])
    assert ["pool.filed", "meter.command_refused", "pool.approved", "request.refused"] == office.kinds()
    assert_problem(office.send(f"{where}/approve", person="bob"), 409, "was approved already")
    assert "500000" == office.shows()


def test_refusals_are_recorded_and_given_again(office: Office) -> None:
    """Who asked for what, when, and what the answer was; the same key gives the same answer, byte for byte."""
    first = office.send("/pools", terms(base_cents=1), person="carl", key="k")
    assert_problem(first, 422, "'base_cents' 1 is below the reset amount 500000")
    again = office.send("/pools", terms(base_cents=1), person="carl", key="k")
    assert (first.status_code, first.content) == (again.status_code, again.content)
    other = office.send("/pools", terms(), person="carl", key="k")
    assert_problem(other, 409, "Idempotency-Key 'k' was used for another command")
    assert ["meter.command_refused", "request.refused"] == office.kinds()
    refused, reused = (entry.draft.data for entry in office.entries())
    assert b'"person":"carl"' in refused
    assert b'"status":422' in refused
    assert b'"by":"carl"' in reused
    assert b'"status":409' in reused


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"reset_cents": 400000}, "its rules submission has the reset amount 500000"),
        ({"base_cents": 499999}, "below the reset amount"),
        ({"limit_cents": 499999}, "below the base"),
        ({"feeds": [feed(), feed()]}, "is listed twice"),
        ({"feeds": [feed("BJ-99")]}, "no approved rules submission offers it"),
        ({"feeds": [feed(meter="hit_and_run_progressive")]}, "no approved rules submission offers it"),
        ({"effective_from": "1999-01-01T00:00:00Z"}, "must lie in the years"),
        ({"effective_from": "2026-01-01T00:00:00Z"}, "no approved rules submission offers it"),
    ],
)
def test_terms_that_cannot_be_are_refused(office: Office, changes: dict[str, Any], detail: str) -> None:
    """422 that names the field; what the rules submissions say counts."""
    assert_problem(office.send("/pools", terms(**changes)), 422, detail)


def test_a_reset_below_the_regulations_least_cannot_be_submitted() -> None:
    """§ 633a.13(j)(2): the registry refuses the submission, and a pool has the reset amount of its submission."""
    low = parse_submission(rules(reset=499999)["data"]["submission"])
    with pytest.raises(Refused, match="'reset' 499999 is below the least reset amount 500000"):
        validate_submission("pa-633a-2024", low)


def test_a_feed_is_for_one_pool(office: Office) -> None:
    """Another pool cannot take it before the first has let it go."""
    office.open_pool()
    assert_problem(office.send("/pools", terms("minor")), 422, "feeds pool major")
    later = (NOON + timedelta(hours=1)).isoformat()
    office.open_pool("major", feed("BJ-02"), effective_from=later)
    assert_problem(office.send("/pools", terms("minor")), 422, "feeds pool major")
    office.open_pool("minor", feed(), effective_from=later)
    office.settle(
        SHARD.posted(1, before=500000, opened=10, closed=11),
        SHARD.posted(2, before=500000, opened=70, closed=71),
    )
    assert ("500020.5", "500020.5", []) == (office.shows(), office.shows("minor"), office.exceptions())


def test_later_terms_begin_later(office: Office) -> None:
    """Not in the past, not before the version in effect, and with the same base."""
    office.open_pool()
    later = (NOON + timedelta(hours=1)).isoformat()
    assert_problem(office.send("/pools", terms()), 422, "is not after")
    assert_problem(
        office.send("/pools", terms(effective_from=(NOON - timedelta(minutes=1)).isoformat())), 422, "has passed"
    )
    assert_problem(office.send("/pools", terms(effective_from=later, base_cents=600000)), 422, "began with 500000")
    filed = office.send("/pools", terms(effective_from=later, limit_cents=900000), person="carl")
    office.clock[0] = NOON + timedelta(hours=2)
    assert_problem(
        office.send(f"{filed.headers['location']}/approve", person="bob"), 409, "cannot be approved any more"
    )
    rejected = office.send(f"{filed.headers['location']}/reject", {"reason": "too late"}, person="bob")
    assert (200, "rejected", "too late") == (
        rejected.status_code,
        rejected.json()["status"],
        rejected.json()["rejection_reason"],
    )
    versions = office.read(f"/pools/{PROPERTY}/major/versions")["items"]
    assert ["approved", "rejected"] == [version["status"] for version in versions]


def test_a_limit_never_takes_money_off_a_display(office: Office) -> None:
    """What the display shows above a new limit must be transferred first; from then on the rest overflows."""
    office.open_pool()
    office.settle(SHARD.posted(1, before=500000, stakes=(100000,)))
    later = (NOON + timedelta(minutes=1)).isoformat()
    assert_problem(
        office.send("/pools", terms(effective_from=later, limit_cents=520000)), 422, "pool major shows 520500"
    )
    assert 200 == office.change("major", kind="adjustment", cents=-500).status_code
    office.open_pool("major", effective_from=later, limit_cents=520010)
    office.settle(SHARD.posted(2, before=520000, closed=30))
    pool = office.read(f"/pools/{PROPERTY}/major")
    assert ("520010", "10.5") == (pool["display"], pool["overflow"])
    assert 200 == office.change("major", kind="overflow", cents=10).status_code
    [row] = office.reconciliation()["pools"]
    assert ("-500", "10", "520020", "0.5") == tuple(
        row[name] for name in ("transfer", "released", "closing", "overflow_closing")
    )


# --- changes ---


def test_a_meter_is_changed_by_two_people(office: Office) -> None:
    """A transfer, an adjustment and a reset, with the display before and after; the accounts follow."""
    office.open_pool()
    office.open_pool("minor", feed("BJ-02"))
    done = office.change("major", kind="transfer", cents=100000, to="minor")
    assert (200, "500000", ["400000", "600000"]) == (
        done.status_code,
        done.json()["display_before"],
        [movement["display"] for movement in done.json()["movements"]],
    )
    office.settle(SHARD.posted(1, before=400000))
    reset = office.change("major", kind="reset")
    assert ("400020.5", "500000") == (reset.json()["display_before"], reset.json()["movements"][0]["display"])
    office.change("minor", kind="adjustment", cents=-100000)
    assert ("500000", "500000") == (office.shows(), office.shows("minor"))
    major, minor = office.reconciliation()["pools"]
    assert ("-100000", "99979.5", "0") == (major["transfer"], major["reset"], major["difference"])
    assert ("0", "0") == (minor["transfer"], minor["difference"])
    listed = office.read(f"/changes?property={PROPERTY}&status=approved")["items"]
    assert [("500000", "400000"), ("400020.5", "500000"), ("600000", "500000")] == [
        (item["before"], item["after"]) for item in listed
    ]
    assert 0 == sum(balance.cents for balance in office.balances())


def test_who_requested_a_change_cannot_approve_it(office: Office) -> None:
    """The attempt is recorded and moves nothing; a rejected change can never be approved."""
    office.open_pool()
    body = {"kind": "reset", "gaming_day": DAY, "reason": "test of the sign"}
    requested = office.send(f"/pools/{PROPERTY}/major/changes", body, person="ann")
    where = requested.headers["location"]
    assert_problem(office.send(f"{where}/approve", person="ann"), 403, "ann requested change 1 at riverside")
    assert "meter.command_refused" == office.kinds()[-1]
    assert 200 == office.send(f"{where}/reject", {"reason": "not needed"}, person="bob").status_code
    assert_problem(office.send(f"{where}/approve", person="bob"), 409, "was rejected already")
    assert 1 == office.read(f"/pools/{PROPERTY}/major")["number"]


@pytest.mark.parametrize(
    ("wanted", "detail"),
    [
        ({"kind": "transfer", "cents": 500001, "to": "minor"}, "pool major shows 500000"),
        ({"kind": "transfer", "cents": -1, "to": "minor"}, "a 'transfer' has 'cents' above 0"),
        ({"kind": "transfer", "cents": 1}, "and the pool 'to'"),
        ({"kind": "transfer", "cents": 1, "to": "major"}, "is the pool itself"),
        ({"kind": "adjustment", "cents": -500001}, "pool major shows 500000"),
        ({"kind": "adjustment"}, "'cents' is missing"),
        ({"kind": "adjustment", "cents": 1, "to": "minor"}, "only a 'transfer'"),
        ({"kind": "reset", "cents": 1}, "has neither"),
        ({"kind": "overflow", "cents": 1}, "holds 0"),
    ],
)
def test_changes_that_cannot_be_made_are_refused(office: Office, wanted: dict[str, Any], detail: str) -> None:
    """422, recorded; nothing moves."""
    office.open_pool()
    office.open_pool("minor", feed("BJ-02"))
    body = wanted | {"gaming_day": DAY, "reason": "as agreed"}
    assert_problem(office.send(f"/pools/{PROPERTY}/major/changes", body), 422, detail)
    assert "meter.command_refused" == office.kinds()[-1]


def test_what_is_not_there_is_not_found(office: Office) -> None:
    """Pools, versions and changes that nobody filed: 404."""
    body = {"kind": "reset", "gaming_day": DAY, "reason": "as agreed"}
    assert_problem(office.send(f"/pools/{PROPERTY}/major/changes", body), 404, "there is no pool major")
    assert_problem(office.send(f"/pools/{PROPERTY}/major/versions/1/approve"), 404, "there is no version 1")
    assert_problem(office.send(f"/changes/{PROPERTY}/1/approve"), 404, "there is no change 1")
    day = {"property": PROPERTY, "gaming_day": DAY, "reason": "close"}
    assert_problem(office.send("/reconciliations", day, person="kim"), 404, "no pool of riverside had moved")
    assert_problem(office.get(f"/readings/{PROPERTY}/major"), 404, "there is no pool major")
    assert_problem(office.get(f"/readings/{PROPERTY}"), 404, "there is no pool at riverside")
    assert_problem(office.get(f"/pools/{PROPERTY}/major"), 404, "there is no pool major")


def test_many_at_once_lose_nothing(office: Office) -> None:
    """Changes of one pool by several people at the same time, while rounds are counted: every cent is there."""
    office.open_pool()
    bodies = [{"kind": "adjustment", "cents": 100 + n, "gaming_day": DAY, "reason": "as agreed"} for n in range(8)]
    places = [
        office.send(f"/pools/{PROPERTY}/major/changes", body, person="carl").headers["location"] for body in bodies
    ]
    with ThreadPoolExecutor(10) as pool:
        rounds = pool.submit(office.settle, *(SHARD.posted(n, before=0) for n in range(1, 41)))
        done = list(pool.map(lambda place: office.send(f"{place}/approve", person="bob").status_code, places))
        rounds.result()
    assert [200] * 8 == done
    assert str(500000 + sum(range(100, 108)) + 41 * 20) == office.shows()
    office.reconciliation()


# --- signs and reports ---


def test_signs_poll_cheaply(office: Office) -> None:
    """Without a token, whole cents; unchanged is 304 until the meter moves."""
    office.open_pool()
    office.settle(SHARD.posted(1, before=500000))
    sign = office.get(f"/readings/{PROPERTY}/major", person=None)
    assert (500020, 2) == (sign.json()["display_cents"], sign.json()["number"])
    tag = {"If-None-Match": sign.headers["etag"]}
    assert 304 == office.get(f"/readings/{PROPERTY}/major", person=None, **tag).status_code
    all_signs = office.get(f"/readings/{PROPERTY}", person=None)
    assert [500020] == [reading["display_cents"] for reading in all_signs.json()["readings"]]
    every = {"If-None-Match": all_signs.headers["etag"]}
    assert 304 == office.get(f"/readings/{PROPERTY}", person=None, **every).status_code
    office.settle(SHARD.posted(2, before=500020))
    assert 200 == office.get(f"/readings/{PROPERTY}/major", person=None, **tag).status_code
    assert 200 == office.get(f"/readings/{PROPERTY}", person=None, **every).status_code


def test_a_day_is_reconciled_as_it_is_known(office: Office) -> None:
    """The record keeps figures and hash; what comes later shows as changed, and can be reconciled again."""
    office.open_pool()
    office.settle(SHARD.posted(1, before=500000))
    assert "preliminary" == office.reconciliation()["status"]
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
    assert ("reconciled", recorded.json()["rows_sha256"]) == (report["status"], report["rows_sha256"])
    first = office.get(f"/reports/reconciliation?property={PROPERTY}&gaming_day={DAY}")
    tag = {"If-None-Match": first.headers["etag"]}
    path = f"/reports/reconciliation?property={PROPERTY}&gaming_day={DAY}"
    assert 304 == office.get(path, **tag).status_code
    office.settle(SHARD.posted(2, before=500020))
    assert "changed" == office.reconciliation()["status"]
    assert 201 == office.send("/reconciliations", wanted, person="kim").status_code
    assert "reconciled" == office.reconciliation()["status"]


def test_the_next_day_opens_where_this_one_closed(office: Office) -> None:
    """Opening is the closing before; a later day leaves this day's rows alone."""
    office.open_pool()
    office.settle(SHARD.posted(1, before=500000), SHARD.posted(2, before=500020, gaming_day="2026-11-21"))
    closing = office.reconciliation()["pools"][0]["closing"]
    after = office.read(f"/reports/reconciliation?property={PROPERTY}&gaming_day=2026-11-21")
    assert ("500020.5", "500020.5", "500041", True) == (
        closing,
        after["pools"][0]["opening"],
        after["pools"][0]["closing"],
        after["balanced"],
    )


def test_what_was_tampered_with_shows_in_the_reconciliation(office: Office, url: str) -> None:
    """A display, a movement or a hit that somebody changed in the database unbalances the day."""
    office.open_pool()
    office.settle(SHARD.posted(1, before=500000, award=500020, reset=500000))
    path = f"/reports/reconciliation?property={PROPERTY}&gaming_day={DAY}"
    for statement, wrong in (
        ("UPDATE progressive_meters.pools SET display = display + 2000000000", "display meter holds"),
        ("UPDATE progressive_meters.pools SET wins_cents = wins_cents + 1", "the wins meter is"),
        ("DELETE FROM progressive_meters.movements WHERE number = 2", "movements are there"),
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
    assert [f"r-1-{n}" for n in range(1, 6)] == every(f"/reports/hits?property={PROPERTY}&", "round_id")
    assert_problem(office.get("/pools?cursor=abc"), 400, "is not one of this service")


def test_reading_needs_the_role(office: Office) -> None:
    """Signs are public; pools and reports are not."""
    office.open_pool()
    assert 401 == office.get("/pools", person=None).status_code
    assert_problem(office.get("/pools", person="carl"), 403, "carl does not have the role 'report'")


def test_what_is_published_can_be_read_with_the_contract(office: Office) -> None:
    """Every entry is an event of the topic, movements with readings among them."""
    office.open_pool()
    award = SHARD.posted(1, before=500000, award=500020, reset=500000)
    office.settle(award, SHARD.reversed(2, award), b"garbage", SHARD.posted(4, before=500000))
    office.change("major", kind="reset")
    office.send("/reconciliations", {"property": PROPERTY, "gaming_day": DAY, "reason": "close"}, person="kim")

    class Row:
        def __init__(self, entry: Entry) -> None:
            self.seq, self.kind, self.source = entry.seq, entry.draft.kind, entry.draft.source
            self.occurred_at, self.recorded_at = entry.draft.occurred_at, entry.recorded_at
            self.hash, self.data = entry.hash.hex(), entry.draft.data.decode()

    kinds = {decode(entry_message("/progressive-meters/shards/1", 1, Row(entry))).type for entry in office.entries()}
    assert {
        "pool.filed",
        "pool.approved",
        "meter.counted",
        "meter.taken_back",
        "meter.change_requested",
        "meter.change_approved",
        "meter.day_reconciled",
        "record.quarantined",
        "gap.opened",
    } == kinds
