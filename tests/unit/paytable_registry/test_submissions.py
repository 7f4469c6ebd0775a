"""When a version may be filed, approved and returned, and what its hash covers."""

import json
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from typing import Any

import pytest

from services.paytable_registry.domain.submissions import (
    SubmissionHistory,
    SubmissionVersion,
    after,
    approve,
    file,
    give_back,
)
from shared.contracts.envelope import as_json
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.submissions import RulesSubmission, SubmissionApproved, SubmissionReturned, submission_hash
from shared.contracts.versions import why_too_late
from tests.support.properties import place

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def wanted(**changes: Any) -> RulesSubmission:
    """A submission that the catalogue allows, from an hour before `NOW` on, with changes."""
    document = {
        "property": "riverbend",
        "game": "blackjack",
        "regulation": "pa-633a-2024",
        "tables": ["BJ-01", "BJ-02"],
        "effective_from": NOW - HOUR,
        "submission": {"decks": 6, "wagers": {"match_the_dealer": {}}},
    }
    return RulesSubmission.model_validate({**document, **changes})


PLACE = place("riverbend", {"BJ-01": "blackjack", "BJ-02": "blackjack", "SW-01": "blackjack-switch"})


def places(name: str, moment: datetime) -> PropertySnapshot | None:
    """Riverbend, from 2020 on."""
    return PLACE if name == "riverbend" and moment >= PLACE.document.effective_from else None


def approved(*beginnings: datetime, tables: tuple[str, ...] = ("BJ-01",)) -> SubmissionHistory:
    """Versions that were approved, from these moments on, at these tables."""
    versions = [
        SubmissionVersion(
            **dict(wanted(effective_from=moment, tables=tables)),
            version=number,
            hash="0" * 64,
            status="approved",
            filed_by="ann",
            filed_at=NOW,
            approved_by="bob",
            approved_at=NOW,
        )
        for number, moment in enumerate(beginnings, 1)
    ]
    return SubmissionHistory(len(versions), versions)


FIRST = SubmissionHistory(versions=1)
"""One version was filed, and none approved."""


def filed(history: SubmissionHistory | None = None, **changes: Any) -> SubmissionVersion:
    """A version that ann filed and nobody has decided."""
    before = history or SubmissionHistory()
    fact = file(wanted(**changes), before, places, version=before.versions + 1, by="ann", at=NOW)
    return after(None, fact)


def test_file_numbers_the_next_version() -> None:
    """A version is one more than those that were filed before, whatever became of them."""
    assert [1, 8] == [filed().version, filed(SubmissionHistory(versions=7)).version]


def test_file_keeps_what_was_filed_and_by_whom() -> None:
    """The fact holds what was wanted, who filed it and when."""
    fact = file(wanted(), SubmissionHistory(), places, version=1, by="ann", at=NOW)
    assert as_json(wanted()) == {key: value for key, value in as_json(fact).items() if key in as_json(wanted())}
    assert ("ann", NOW) == (fact.filed_by, fact.filed_at)


def test_file_refuses_what_the_catalogue_does_not_allow() -> None:
    """The refusal cites the paragraph."""
    with pytest.raises(Rejected, match=r"'decks' is missing.*\(§ 633a\.3\(a\)\)"):
        filed(submission={"wagers": {}})


def test_file_refuses_a_regulation_without_catalogue() -> None:
    """The refusal lists the regulations that there are."""
    with pytest.raises(Rejected, match=r"'xx-1' is not known.*pa-633a-2024"):
        filed(regulation="xx-1")


def test_file_refuses_a_table_listed_twice() -> None:
    """The refusal names the table."""
    with pytest.raises(Rejected, match="'BJ-02' is listed 2 times; list it once"):
        filed(tables=["BJ-01", "BJ-02", "BJ-02"])


@pytest.mark.parametrize("changes", [{"property": "nowhere"}, {"effective_from": "2019-12-31T23:59:59Z"}])
def test_file_refuses_a_property_that_is_not_in_effect(changes: dict[str, Any]) -> None:
    """What was never approved, or begins later, is to be filed first."""
    with pytest.raises(Rejected, match=r"no approved version of property .* file and approve") as rejected:
        filed(**changes)
    assert Reason.NOT_FOUND is rejected.value.reason


def test_file_refuses_a_regulation_of_another_jurisdiction() -> None:
    """The property's pack says under which regulations its tables are played."""
    with pytest.raises(Rejected, match=r"'ri-pai-gow' is not among those of Pennsylvania, .*pa-633a-2024") as rejected:
        filed(regulation="ri-pai-gow")
    assert Reason.NOT_ALLOWED is rejected.value.reason


def test_file_refuses_tables_that_do_not_offer_the_game() -> None:
    """At a table of another game, or none, no round could settle under it."""
    with pytest.raises(Rejected) as rejected:
        filed(tables=["BJ-01", "SW-01", "BJ-99"])
    other_game, no_table = rejected.value.detail.split("; ")
    assert other_game.startswith("table 'SW-01' of riverbend offers blackjack-switch, not blackjack: leave it out, or")
    assert no_table.startswith("table 'BJ-99' is not among the tables of riverbend (version 1): file and approve a")


def test_file_says_all_that_is_wrong_at_once() -> None:
    """Catalogue, regulation, tables and beginning; with the paragraph of the catalogue."""
    history = approved(NOW)
    with pytest.raises(Rejected) as rejected:
        filed(history, submission={"wagers": {}}, tables=["BJ-01", "BJ-01", "SW-01"], effective_from=NOW - HOUR)
    found = rejected.value.detail.split("; ")
    for part in ("'decks' is missing", "'BJ-01' is listed 2 times", "offers blackjack-switch", "is not after"):
        assert 1 == sum(part in one for one in found), part
    assert "§ 633a.3(a)" == rejected.value.cites
    assert ["/submission/decks", "/tables/0", "/tables/2", "/effective_from"] == [
        one.pointer for one in rejected.value.findings
    ]


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00", "1999-12-31T23:59:59Z"])
def test_file_refuses_a_beginning_that_no_clock_shows(moment: str) -> None:
    """Moments that a time zone would push out of the calendar are refused like any other slip of the pen."""
    with pytest.raises(Rejected, match="must lie in the years 2000 to 2199"):
        filed(effective_from=moment)


def test_file_refuses_early_what_could_never_be_approved() -> None:
    """Who files a beginning that has passed hears it at once, not from the approver."""
    with pytest.raises(Rejected, match="has passed"):
        filed(approved(NOW - 2 * HOUR))


def test_the_first_version_may_begin_in_the_past() -> None:
    """At the initial load no round can have settled yet."""
    assert why_too_late(NOW - 1000 * HOUR, [], NOW) is None


@pytest.mark.parametrize(
    ("effective_from", "reason"),
    [
        (NOW - timedelta(microseconds=1), "has passed"),
        (NOW, None),
        (NOW + HOUR, None),
    ],
)
def test_a_later_version_begins_at_its_approval_or_after(effective_from: datetime, reason: str | None) -> None:
    """Rounds that have settled keep their version."""
    found = why_too_late(effective_from, [NOW - 10 * HOUR], NOW)
    assert found is None if reason is None else found is not None and reason in found


@pytest.mark.parametrize(
    ("effective_from", "allowed"),
    [(NOW + 5 * HOUR, False), (NOW + 10 * HOUR, False), (NOW + 10 * HOUR + timedelta(microseconds=1), True)],
)
def test_a_later_version_begins_after_every_approved_one(effective_from: datetime, allowed: bool) -> None:
    """What has been approved for a time to come stays in effect at that time."""
    found = why_too_late(effective_from, [NOW + 10 * HOUR, NOW - HOUR], NOW)
    assert allowed == (found is None)


def test_somebody_else_approves() -> None:
    """The approval holds all that was filed, who approved it and when."""
    version = filed()
    fact = approve(version, FIRST, places, (), by="bob", at=NOW + HOUR)
    assert ("ann", "bob", NOW + HOUR) == (fact.filed_by, fact.approved_by, fact.approved_at)
    assert (version.hash, version.submission) == (fact.hash, fact.submission)


def test_the_filer_does_not_approve() -> None:
    """Who filed a version cannot approve it."""
    with pytest.raises(Rejected, match="ann filed version 1 of blackjack at riverbend") as rejected:
        approve(filed(), FIRST, places, (), by="ann", at=NOW)
    assert Reason.SAME_PERSON is rejected.value.reason


def test_a_return_gives_the_reason() -> None:
    """It says who returned which version, when and why."""
    fact = give_back(filed(), by="bob", at=NOW, reason="eight decks were agreed")
    assert ("bob", NOW, "eight decks were agreed") == (fact.returned_by, fact.returned_at, fact.reason)


@pytest.mark.parametrize("by", ["ann", "bob"])
@pytest.mark.parametrize("decision", ["approved", "returned"])
def test_a_version_is_decided_once(decision: str, by: str) -> None:
    """What was approved or returned is neither approved nor returned again, whoever asks."""
    version = filed()
    fact: SubmissionApproved | SubmissionReturned
    if decision == "approved":
        fact = approve(version, FIRST, places, (), by="bob", at=NOW)
    else:
        fact = give_back(version, by="bob", at=NOW, reason="no")
    decided = after(version, fact)
    assert decision == decided.status
    with pytest.raises(Rejected, match=f"version 1 of blackjack at riverbend was {decision} already"):
        approve(decided, FIRST, places, (), by=by, at=NOW)
    with pytest.raises(Rejected, match=f"was {decision} already"):
        give_back(decided, by=by, at=NOW, reason="no")


def test_approval_comes_too_late() -> None:
    """A version that waited until its beginning had passed can only be filed again."""
    history = approved(NOW - HOUR)
    version = filed(history, effective_from=NOW + HOUR)
    with pytest.raises(Rejected, match=r"version 2 of blackjack at riverbend cannot .* any more.*passed") as rejected:
        approve(version, history, places, (), by="bob", at=NOW + 2 * HOUR)
    assert Reason.TOO_LATE is rejected.value.reason


def test_approval_finds_all_that_the_property_contradicts_since() -> None:
    """A table that went, one that offers another game now, a law that does not cover the regulation: at once."""
    version = filed()
    now = place("riverbend", {"BJ-01": "pai-gow-poker"}, packs=["us-ri", "us-federal"])
    with pytest.raises(Rejected) as rejected:
        approve(version, FIRST, lambda *_: now, (), by="bob", at=NOW)
    assert Reason.NOT_ALLOWED is rejected.value.reason
    opening, *others = rejected.value.detail.split("; ")
    assert opening.startswith("version 1 of blackjack at riverbend cannot be approved any more: 'regulation': 'pa-633a")
    for part, found in zip(("'BJ-01' of riverbend offers pai-gow-poker", "'BJ-02' is not among"), others, strict=True):
        assert part in found


def test_the_hash_is_that_of_golden_bytes() -> None:
    """The hash can be computed by anyone from these bytes; they must never change."""
    document = (
        b'{"effective_from":"2026-11-20T11:00:00Z","game":"blackjack","property":"riverbend",'
        b'"regulation":"pa-633a-2024","stated_paybacks":{},"submission":{"decks":6,"options":{},"wagers":{"match_the_dealer":{}}},'
        b'"tables":["BJ-01","BJ-02"],"version":1}'
    )
    assert sha256(document).hexdigest() == filed().hash


def test_the_hash_of_stated_house_edges_is_that_of_golden_bytes() -> None:
    """Without any, the member is missing, so that what was hashed before there were some keeps its hash."""
    edges = [{"wager": "blackjack", "house_edge_percent": "0.5", "source": "GLI report 7"}]
    document = (
        b'{"effective_from":"2026-11-20T12:00:00Z","game":"blackjack","property":"riverbend",'
        b'"regulation":"pa-633a-2024","stated_house_edges":[{"house_edge_percent":"0.5","source":"GLI report 7",'
        b'"wager":"blackjack"}],"stated_paybacks":{},"submission":{"decks":6,"options":{},"wagers":{"match_the_dealer":{}}},'
        b'"tables":["BJ-01","BJ-02"],"version":1}'
    )
    assert sha256(document).hexdigest() == submission_hash(wanted(stated_house_edges=edges, effective_from=NOW), 1)


@pytest.mark.parametrize(
    "changes",
    [
        {"property": "lakeside"},
        {"game": "blackjack-switch"},
        {"regulation": "pa-633a-2011"},
        {"tables": ["BJ-01"]},
        {"tables": ["BJ-02", "BJ-01"]},
        {"effective_from": NOW},
        {"submission": {"decks": 8, "wagers": {"match_the_dealer": {}}}},
        {"submission": {"decks": 6}},
        {"stated_paybacks": {"match_the_dealer": "96.1"}},
        {"stated_house_edges": [{"wager": "match_the_dealer", "house_edge_percent": "3.9", "source": "GLI report 7"}]},
        {"submission": {"decks": 6, "wagers": {"match_the_dealer": {}}, "payout_limit": 2_500_000}},
        {"submission": {"decks": 6, "wagers": {"match_the_dealer": {}}, "options": {"even_money": True}}},
    ],
    ids=lambda changes: json.dumps(changes, default=str),
)
def test_the_hash_covers_every_part(changes: dict[str, Any]) -> None:
    """A change of any part changes the hash."""
    assert submission_hash(wanted(), 1) != submission_hash(wanted(**changes), 1)


def test_the_hash_covers_the_version() -> None:
    """The same content filed again has another hash."""
    assert submission_hash(wanted(), 1) != submission_hash(wanted(), 2)


def test_every_field_of_a_submission_enters_the_hash() -> None:
    """A field that is added to the contract must be added to the golden bytes above too."""
    names = {"property", "game", "regulation", "tables", "effective_from", "submission"}
    names |= {"stated_paybacks", "stated_house_edges"}
    assert names == set(RulesSubmission.model_fields)


def test_the_hash_does_not_depend_on_the_time_zone_of_the_form() -> None:
    """The same moment in another time zone is the same submission."""
    pennsylvania = timezone(timedelta(hours=-5))
    assert filed().hash == filed(effective_from=(NOW - HOUR).astimezone(pennsylvania)).hash
