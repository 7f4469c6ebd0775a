"""Pools and their meters changed by people on a real database: filed, approved by others, while rounds are counted."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from shared.contracts.journal_facts import CommandRefused
from shared.contracts.rejection import Reason
from shared.rules import catalogue, validate_submission
from shared.rules.errors import Refused
from shared.rules.record import parse_submission
from tests.support.asgi import assert_problem
from tests.support.identities import KnownTokens
from tests.support.nightly import one_in
from tests.support.properties import property_event
from tests.unit.progressive_meters.office import PEOPLE, Office, an_office, feed, terms
from tests.unit.progressive_meters.settlements import BAD_BEAT, DAY, NOON, PROPERTY, Shard, rules

RULES = rules()
SHARD = Shard(RULES)


def test_a_pool_takes_two_people(office: Office) -> None:
    """The filer cannot approve; the attempt is recorded, and somebody else still can."""
    filed = office.send("/pools", terms(), person="ann")
    where = filed.headers["location"]
    assert (201, "/pools/riverside/major/versions/1", "filed") == (filed.status_code, where, filed.json()["status"])
    assert_problem(office.send(f"{where}/approve", person="ann"), 403, "ann filed version 1 of pool major")
    assert_problem(
        office.send(f"{where}/approve", person="carl"), 403, "carl does not have the role 'meters.change.approve'"
    )
    assert 404 == office.get(f"/readings/{PROPERTY}/major").status_code
    approved = office.send(f"{where}/approve", person="bob")
    assert (200, "approved", "bob") == (approved.status_code, approved.json()["status"], approved.json()["approved_by"])
    assert ["pool.filed", "command.refused", "pool.approved", "command.refused"] == office.kinds()
    assert_problem(office.send(f"{where}/approve", person="bob"), 409, "was approved already")
    assert "500000" == office.shows()


def test_refusals_are_recorded_and_given_again(office: Office) -> None:
    """Who asked for what, when, and what the answer was; the same key gives the same answer, byte for byte."""
    first = office.send("/pools", terms(base_cents=1), person="carl", key="k")
    assert_problem(first, 422, "'base_cents' 1 is below 500000, the least initial and reset amount (§ 633a.13(j)(2))")
    assert "§ 633a.13(j)(2)" == first.json()["paragraph"]
    again = office.send("/pools", terms(base_cents=1), person="carl", key="k")
    assert (first.status_code, first.content) == (again.status_code, again.content)
    other = office.send("/pools", terms(), person="carl", key="k")
    assert_problem(other, 409, "Idempotency-Key 'k' was used for another command")
    refused, reused = office.desk.facts()
    assert isinstance(refused, CommandRefused)
    assert isinstance(reused, CommandRefused)
    assert [("carl", Reason.NOT_ALLOWED), ("carl", Reason.KEY_REUSED)] == [
        (one.by, one.reason) for one in (refused, reused)
    ]
    assert ("file-pool", PROPERTY, 1) == (refused.command, refused.property, (refused.asked or {})["base_cents"])


@pytest.mark.parametrize(
    ("changes", "detail"),
    one_in(
        4,
        [
            ({"reset_cents": 500001}, "its rules submission has the reset amount 500000"),
            ({"reset_cents": 499999}, "is below 500000, the least initial and reset amount (§ 633a.13(j)(2))"),
            ({"base_cents": 499999}, "is below 500000, the least initial and reset amount (§ 633a.13(j)(2))"),
            ({"limit_cents": 499999}, "below the base"),
            ({"feeds": [feed(), feed()]}, "is listed twice"),
            ({"feeds": [feed("BJ-99")]}, "table 'BJ-99' is not among the tables of riverside"),
            ({"feeds": [feed("PG-01")]}, "no approved rules submission offers it"),
            ({"gaming_day": "2026-11-19"}, "is in gaming day 2026-11-20 of riverside"),
            ({"feeds": [feed(meter="hit_and_run_progressive")]}, "no approved rules submission offers it"),
            ({"effective_from": "1999-01-01T00:00:00Z"}, "must lie in the years"),
            (
                {"effective_from": "2026-01-01T12:00:00Z", "gaming_day": "2026-01-01"},
                "no approved rules submission offers it",
            ),
        ],
    ),
)
def test_terms_that_cannot_be_are_refused(office: Office, changes: dict[str, Any], detail: str) -> None:
    """422 that names the field; what the rules submissions say counts."""
    assert_problem(office.send("/pools", terms(**changes)), 422, detail)


def test_a_base_below_the_pools_own_reset_is_refused(office: Office) -> None:
    """Where the submission resets the meter to more than the regulation asks, the pool begins with as much."""
    office.learn(rules(reset=600000, sequence=2, game="high", tables=["BJ-01"]))
    high = terms("high", feed(game="high"), base_cents=599999, reset_cents=600000)
    assert_problem(office.send("/pools", high), 422, "'base_cents' 599999 is below the reset amount 600000")


def test_a_least_amount_that_rose_is_found_at_filing_and_at_the_approval(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pack of the property is asked each time: what it fixes by then counts, and its paragraph is named."""
    filed = office.send("/pools", terms(), person="carl")
    assert 201 == filed.status_code, filed.text
    known = catalogue("pa-633a-2024")
    wager = known.wagers[BAD_BEAT]
    assert wager.meter is not None
    raised = wager.model_copy(update={"meter": wager.meter.model_copy(update={"least_reset": 500001})})
    amended = known.model_copy(update={"wagers": known.wagers | {BAD_BEAT: raised}})
    monkeypatch.setattr("shared.jurisdictions.meters.catalogue", {"pa-633a-2024": amended}.__getitem__)
    for answer in (
        office.send("/pools", terms("minor"), person="carl"),
        office.send(f"{filed.headers['location']}/approve", person="bob"),
    ):
        assert_problem(answer, 422, "'reset_cents' 500000 is below 500001, the least initial and reset amount")
        assert "§ 633a.13(j)(2)" == answer.json()["paragraph"]


def test_a_law_that_does_not_have_the_regulation_any_more_is_found_at_the_approval(office: Office) -> None:
    """A property that moved to another jurisdiction needs a rules submission under a regulation of that one."""
    filed = office.send("/pools", terms(), person="carl")
    later: dict[str, Any] = {"effective_from": "2026-11-19T12:00:00Z", "version": 2, "packs": ["us-ri", "us-federal"]}
    office.desk.feed("properties", property_event(PROPERTY, sequence=2, **later))
    answer = office.send(f"{filed.headers['location']}/approve", person="bob")
    assert_problem(answer, 422, "regulation 'pa-633a-2024' is not among those of Rhode Island")


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
    office.clock.now = NOON + timedelta(hours=2)
    assert_problem(
        office.send(f"{filed.headers['location']}/approve", person="bob"), 409, "cannot be approved any more"
    )
    returned = office.send(f"{filed.headers['location']}/return", {"reason": "too late"}, person="bob")
    assert (200, "returned", "too late") == (
        returned.status_code,
        returned.json()["status"],
        returned.json()["return_reason"],
    )
    versions = office.read(f"/pools/{PROPERTY}/major/versions")["items"]
    assert ["approved", "returned"] == [version["status"] for version in versions]


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
    assert ("520010", "10.5") == (pool["display_cents"], pool["overflowed_cents"])
    assert 200 == office.change("major", kind="overflow", cents=10).status_code
    [row] = office.reconciliation()["pools"]
    assert ("-500", "10", "520020", "0.5") == tuple(
        row[f"{name}_cents"] for name in ("transfer", "released", "closing", "overflow_closing")
    )


def test_a_meter_is_changed_by_two_people(office: Office) -> None:
    """A transfer, an adjustment and a reset, with the display before and after; the accounts follow."""
    office.open_pool()
    office.open_pool("minor", feed("BJ-02"))
    done = office.change("major", kind="transfer", cents=100000, to="minor")
    assert (200, "500000", "400000") == (
        done.status_code,
        done.json()["display_before_cents"],
        done.json()["display_after_cents"],
    )
    office.settle(SHARD.posted(1, before=400000))
    reset = office.change("major", kind="reset")
    assert ("400020.5", "500000") == (
        reset.json()["display_before_cents"],
        reset.json()["display_after_cents"],
    )
    office.change("minor", kind="adjustment", cents=-100000)
    assert ("500000", "500000") == (office.shows(), office.shows("minor"))
    major, minor = office.reconciliation()["pools"]
    assert ("-100000", "99979.5", "0") == (major["transfer_cents"], major["reset_cents"], major["difference_cents"])
    assert ("0", "0") == (minor["transfer_cents"], minor["difference_cents"])
    listed = office.read(f"/changes?property={PROPERTY}&status=approved")["items"]
    assert [("500000", "400000"), ("400020.5", "500000"), ("600000", "500000")] == [
        (item["display_before_cents"], item["display_after_cents"]) for item in listed
    ]
    assert 0 == sum(office.balances().values())


def test_who_requested_a_change_cannot_approve_it(office: Office) -> None:
    """The attempt is recorded and moves nothing; a rejected change can never be approved."""
    office.open_pool()
    body = {"kind": "reset", "gaming_day": DAY, "reason": "test of the sign"}
    requested = office.send(f"/pools/{PROPERTY}/major/changes", body, person="ann")
    where = requested.headers["location"]
    assert_problem(office.send(f"{where}/approve", person="ann"), 403, "ann requested change 1 at riverside")
    assert "command.refused" == office.kinds()[-1]
    rejected = office.send(f"{where}/reject", {"reason": "not needed"}, person="bob")
    assert (200, "rejected", "bob", "not needed") == (
        rejected.status_code,
        *(rejected.json()[name] for name in ("status", "rejected_by", "rejection_reason")),
    )
    assert [rejected.json()] == office.read(f"/changes?property={PROPERTY}")["items"]
    assert_problem(office.send(f"{where}/approve", person="bob"), 409, "was rejected already")
    assert 1 == office.read(f"/pools/{PROPERTY}/major")["number"]


@pytest.mark.parametrize(
    ("wanted", "detail"),
    one_in(
        4,
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
    ),
)
def test_changes_that_cannot_be_made_are_refused(office: Office, wanted: dict[str, Any], detail: str) -> None:
    """422, recorded; nothing moves."""
    office.open_pool()
    office.open_pool("minor", feed("BJ-02"))
    body = wanted | {"gaming_day": DAY, "reason": "as agreed"}
    assert_problem(office.send(f"/pools/{PROPERTY}/major/changes", body), 422, detail)
    assert "command.refused" == office.kinds()[-1]


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
    places = [office.request("major", kind="adjustment", cents=100 + n) for n in range(8)]
    with ThreadPoolExecutor(10) as pool:
        rounds = pool.submit(office.settle, *(SHARD.posted(n, before=0) for n in range(1, 41)))
        done = list(pool.map(lambda place: office.send(f"{place}/approve", person="bob").status_code, places))
        rounds.result()
    assert [200] * 8 == done
    assert str(500000 + sum(range(100, 108)) + 41 * 20) == office.shows()
    office.reconciliation()


def test_a_round_counted_meanwhile_is_in_the_display_that_a_change_starts_from(office: Office, url: str) -> None:
    """A settlement moves the pool while a reset is decided: the reset is decided again, on what the pool shows then."""
    office.open_pool()
    change = office.request("major", kind="reset")
    with an_office(url) as other:
        office.clock.disturb = lambda: other.settle(SHARD.posted(1, before=500000), partition=1)
        done = office.send(f"{change}/approve", person="bob")
    assert ("500020.5", "500000") == (done.json()["display_before_cents"], done.json()["display_after_cents"])
    assert ["pool.filed", "pool.approved", "meter.change_requested", "meter.change_approved"] == [
        kind for kind in office.kinds() if kind != "meter.counted"
    ]
    office.reconciliation()


def test_a_change_made_meanwhile_is_in_the_display_that_a_round_starts_from(office: Office, url: str) -> None:
    """An approval, or rounds of another shard, move the pool while a batch is counted: the batch is counted again."""
    office.open_pool("major", feed("BJ-01"), feed("BJ-02"))
    change = office.request("major", kind="adjustment", cents=1000)
    with an_office(url) as other:

        def overtake() -> None:
            other.send(f"{change}/approve", person="bob")
            other.settle(Shard(RULES, 2).posted(1, before=0, award=7, table="BJ-02"), partition=1)

        def when_derived() -> None:  # the batch is looked at once before it is derived
            office.clock.disturb = overtake

        office.clock.disturb = when_derived
        office.settle(SHARD.posted(1, before=500000, award=5), SHARD.posted(2, before=500015))
    assert [] == office.quarantined()
    assert str(500000 + 1000 - 7 - 5 + 61) + ".5" == office.shows()
    movements = office.read(f"/pools/{PROPERTY}/major/movements")["items"]
    assert ["seed", "change", "round", "round", "round"] == [item["kind"] for item in movements]
    office.reconciliation()


def test_a_role_that_was_taken_away_meanwhile_decides_nothing(office: Office) -> None:
    """Between request and approval bob has lost the role, or works elsewhere; the change waits for somebody else."""
    office.open_pool()
    where = office.request("major", kind="adjustment", cents=100)
    app = office.desk.client.app
    before = app.state.identities
    for people, properties, detail in (
        (PEOPLE | {"bob": ["reports.read"]}, {}, "bob does not have the role 'meters.change.approve'"),
        (PEOPLE, {"bob": ["elsewhere"]}, "bob does not work for property riverside"),
    ):
        app.state.identities = KnownTokens(people, properties)
        assert_problem(office.send(f"{where}/approve", person="bob"), 403, detail)
    app.state.identities = before
    assert ("500000", 200) == (office.shows(), office.send(f"{where}/approve", person="bob").status_code)
    assert "500100" == office.shows()
