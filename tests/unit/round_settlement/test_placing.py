"""Where and when a round was played: its property, its law, its table, its gaming day, and what cannot be."""

from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from services.round_settlement.domain.placing import OTHER_GAMING_DAY, GamingDayAssignment
from services.round_settlement.domain.settling import EffectiveSubmission, Outcome, RoundHistory, settle_event
from services.round_settlement.handlers import TableEvents, key_of
from shared.contracts.property_snapshot import PropertyLookup, PropertySnapshot
from shared.contracts.settlements import (
    NoticedRound,
    SettlementPosted,
    SettlementReversed,
    SettlementSuperseded,
    SettlementVoided,
    SubmissionRef,
)
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.tables import READER
from shared.rules import compile_rules
from shared.rules.errors import Refused
from tests.support.properties import place
from tests.support.rounds import LOSING, NEXT_DAY, completed, corrected, encoded, record, submission, two_people, voided

TABLE = "BJ-01"
FLAGS: dict[str, Any] = {"other_gaming_day": "flag"}
OTHER_DAY: dict[str, Any] = {"gaming_day": "2026-11-21"}
_APPROVED = SubmissionApproved.model_validate(submission()["data"])
_RULES = EffectiveSubmission(
    _APPROVED,
    SubmissionRef(version=1, hash=_APPROVED.hash),
    compile_rules(_APPROVED.regulation, _APPROVED.submission),
)


def _at(here: PropertySnapshot) -> PropertyLookup:
    return lambda name, moment: (
        here if name == here.document.property and here.document.effective_from <= moment else None
    )


def _settle(event: dict[str, Any], known: RoundHistory | None = None, **changes: Any) -> Outcome:
    """Settle an event at a property that differs from the usual one in `changes`."""
    decoded: Any = READER.decode(encoded(event))
    return settle_event(decoded, known or RoundHistory(), _at(place(**changes)), lambda *_: _RULES)


def _facts(event: dict[str, Any], known: RoundHistory | None = None, **changes: Any) -> list[NoticedRound]:
    return [one.fact for one in _settle(event, known, **changes).recordings if isinstance(one.fact, NoticedRound)]


def _days(facts: list[NoticedRound]) -> list[tuple[type[NoticedRound], str, list[str]]]:
    return [(type(fact), str(fact.gaming_day), [notice.code for notice in fact.notices]) for fact in facts]


def _at_time(opened_at: str, gaming_day: str) -> dict[str, Any]:
    return completed(TABLE, 1, opened_at=opened_at, closed_at=opened_at, gaming_day=gaming_day)


@pytest.mark.parametrize(
    ("event", "changes", "reason"),
    [
        (completed(TABLE, 1), {"name": "lakeside"}, "no approved version of property 'riverside' is in effect at 2026"),
        (completed(TABLE, 1), {"effective_from": "2026-11-20T10:02:00Z"}, "file and approve a property document"),
        (completed(TABLE, 1), {"tables": ["BJ-02"]}, "table 'BJ-01' is not among the tables of riverside"),
        (completed(TABLE, 1), {"tables": {TABLE: "holdem"}}, "offers 'holdem' in property riverside version 1, not"),
        (
            completed(TABLE, 1),
            {"tables": {TABLE: {"play": "counted"}}},
            "is counted on 2026-11-20 in property riverside",
        ),
        (voided(TABLE, 1, "r"), {"tables": {TABLE: {"play": "counted"}}}, "whose 'play' of it is 'rounds'"),
        (completed(TABLE, 1), {"tables": {TABLE: {"non_banking": True}}}, "in which it is not 'non_banking', then"),
        (completed(TABLE, 1), {"packs": ["us-ri"]}, "under us-ri, whose regulations are ri-pai-gow: file and approve"),
        (completed(TABLE, 1, **OTHER_DAY), {}, "is in gaming day 2026-11-20 of riverside, which begins at 04:00"),
        (voided(TABLE, 1, "r", game="holdem"), {}, "offers 'blackjack' in property riverside version 1, not 'holdem'"),
        (voided(TABLE, 1, "r", **OTHER_DAY), {}, "is in gaming day 2026-11-20 of riverside"),
        (voided(TABLE, 1, "r"), {"name": "lakeside"}, "no approved version of property 'riverside'"),
        (voided(TABLE, 1, "r", gaming_day="2019-12-31"), {}, "opened on 2020-01-01; on 2019-12-31 it is not there"),
    ],
)
def test_an_event_that_the_property_does_not_have_is_refused(
    event: dict[str, Any], changes: dict[str, Any], reason: str
) -> None:
    """Each refusal says what is at fault, and what to file."""
    with pytest.raises(Refused) as refused:
        _settle(event, **changes)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("data", "plausibility", "reason"),
    [
        ({"closed_at": "2026-11-20T11:02:00Z"}, {"round_minutes_max": 60}, "takes at most 60 minutes"),
        (
            {"play": record(cents=10001)},
            {"wager_max_cents": 10000},
            "seat 1: wager 'blackjack' of 10001 cents is above",
        ),
    ],
)
def test_a_round_that_cannot_be_is_refused(data: dict[str, Any], plausibility: dict[str, int], reason: str) -> None:
    """Of the length and the wagers that the property gives; without a limit, or up to it, it settles."""
    event = completed(TABLE, 1, **data)
    with pytest.raises(Refused, match=reason):
        _settle(event, plausibility=plausibility)
    raised = {name: value + 10 for name, value in plausibility.items()}
    for allowed in ({}, raised):
        assert [(SettlementPosted, "2026-11-20", [])] == _days(_facts(event, plausibility=allowed))


@pytest.mark.parametrize(
    ("opened_at", "gaming_day"),
    [
        ("2026-11-21T08:59:59Z", "2026-11-20"),  # 03:59:59 in New York
        ("2026-11-21T09:00:00Z", "2026-11-21"),
        ("2026-11-01T05:30:00Z", "2026-10-31"),  # 01:30, the first time, on the night on which the clock is put back
        ("2026-11-01T06:30:00Z", "2026-10-31"),  # 01:30 again
        ("2026-11-01T08:59:59Z", "2026-10-31"),  # the day has 25 hours
        ("2026-11-01T09:00:00Z", "2026-11-01"),
        ("2027-03-14T07:59:59Z", "2027-03-13"),  # after the clock was put forward: the day has 23 hours
        ("2027-03-14T08:00:00Z", "2027-03-14"),
    ],
)
def test_the_gaming_day_follows_the_clock_of_the_property(opened_at: str, gaming_day: str) -> None:
    """Also across a change of the clock; a round that says the day before or after is refused."""
    assert [(SettlementPosted, gaming_day, [])] == _days(_facts(_at_time(opened_at, gaming_day)))
    for days in (-1, 1):
        other = datetime.fromisoformat(gaming_day) + timedelta(days=days)
        with pytest.raises(Refused, match=f"is in gaming day {gaming_day} of riverside"):
            _settle(_at_time(opened_at, f"{other:%Y-%m-%d}"))


def test_another_gaming_day_is_flagged_where_the_property_says_so() -> None:
    """The round is posted under the day of its moment, with a notice that says which was claimed."""
    [posted] = _facts(completed(TABLE, 1, **OTHER_DAY), **FLAGS)
    assert [(SettlementPosted, "2026-11-20", [OTHER_GAMING_DAY])] == _days([posted])
    [notice] = posted.notices
    assert "property riverside version 1" == notice.paragraph
    assert "'gaming_day' 2026-11-21: 2026-11-20 05:01:00 is in gaming day 2026-11-20" in notice.detail
    again = SettlementPosted.model_validate_json(posted.encode())
    assert posted.notices == again.notices


def test_the_table_must_be_there_on_the_day_of_the_moment() -> None:
    """Not on the day that the event says."""
    document = place(tables=[TABLE], **FLAGS).document
    gone = tuple(table.model_copy(update={"retired_on": date(2026, 11, 20)}) for table in document.tables)
    event: Any = READER.decode(encoded(completed(TABLE, 1, gaming_day="2026-11-19")))
    with pytest.raises(Refused, match="retired on 2026-11-20; on 2026-11-20 it is not there"):
        settle_event(
            event,
            RoundHistory(),
            _at(PropertySnapshot.of(document.model_copy(update={"tables": gone}))),
            lambda *_: _RULES,
        )


def test_a_correction_is_on_the_day_of_its_own_moment() -> None:
    """What was posted is taken back on the day on which it was posted; the flag of a correction is its own."""
    known = _settle(completed(TABLE, 1, "r", **OTHER_DAY), **FLAGS).known
    same = corrected(TABLE, 2, "r", record(LOSING), **OTHER_DAY)
    reversed_, posted = _facts(same, known, **FLAGS)
    assert [(SettlementReversed, "2026-11-20", []), (SettlementPosted, "2026-11-20", [OTHER_GAMING_DAY])] == _days(
        [reversed_, posted]
    )
    moved = corrected(TABLE, 2, "r", record(LOSING), **NEXT_DAY)
    assert [(SettlementReversed, "2026-11-20", []), (SettlementPosted, "2026-11-21", [])] == _days(_facts(moved, known))


def test_a_void_is_on_the_day_on_which_the_round_was_posted() -> None:
    """However late it comes: the round that stands says which day it is; another day is refused or flagged."""
    known = _settle(completed(TABLE, 1, "r")).known
    late = {"time": "2026-11-23T10:00:00Z"}
    assert [(SettlementReversed, "2026-11-20", [])] == _days(_facts(voided(TABLE, 2, "r") | late, known))
    wrong = voided(TABLE, 2, "r", **OTHER_DAY) | late
    with pytest.raises(Refused, match="is in gaming day 2026-11-20"):
        _settle(wrong, known)
    assert [(SettlementReversed, "2026-11-20", [OTHER_GAMING_DAY])] == _days(_facts(wrong, known, **FLAGS))


def test_a_void_of_what_was_never_posted_may_come_on_a_later_day() -> None:
    """It says of which day the round is; no round is voided before its day."""
    late = {"time": "2026-11-23T10:00:00Z"}
    assert [(SettlementVoided, "2026-11-20", [])] == _days(_facts(voided(TABLE, 2, "r") | late))
    before = _facts(voided(TABLE, 2, "r", **OTHER_DAY), **FLAGS)
    assert [(SettlementVoided, "2026-11-20", [OTHER_GAMING_DAY])] == _days(before)


def test_a_late_event_is_judged_by_its_own_moment() -> None:
    """It was superseded before it came: it is refused or flagged as it would have been in its turn."""
    known = _settle(voided(TABLE, 9, "r")).known
    assert [(SettlementSuperseded, "2026-11-20", [])] == _days(_facts(completed(TABLE, 3, "r"), known))
    wrong = completed(TABLE, 3, "r", **OTHER_DAY)
    with pytest.raises(Refused, match="is in gaming day 2026-11-20"):
        _settle(wrong, known)
    assert [(SettlementSuperseded, "2026-11-20", [OTHER_GAMING_DAY])] == _days(_facts(wrong, known, **FLAGS))
    assert [(SettlementSuperseded, "2026-11-20", [])] == _days(
        _facts(voided(TABLE, 3, "r", correction=two_people()), known)
    )


def test_the_gaming_day_does_not_depend_on_what_was_asked_before() -> None:
    """A property remembers the day of the last moment: in any order, moments have the day that they have alone."""
    here, start = place(), datetime(2026, 10, 30, tzinfo=UTC)
    moments = [start + timedelta(hours=7 * number % 240) for number in range(240)]
    assert [place().gaming_day(moment) for moment in moments] == [here.gaming_day(moment) for moment in moments]
    assert GamingDayAssignment(here.gaming_day(start)) == GamingDayAssignment(start.date() - timedelta(days=1))


def test_a_round_on_record_may_be_changed_however_old_it_is() -> None:
    """The moment at which the round was opened whose money stands is the earliest that its change may say."""
    stands = _settle(completed(TABLE, 1, "a")).known
    gone = _settle(voided(TABLE, 2, "a"), stands).known
    for known, since in ((stands, datetime(2026, 11, 20, 10, 1, tzinfo=UTC)), (gone, None), (RoundHistory(), None)):
        for event in (corrected(TABLE, 3, "a", record()), voided(TABLE, 3, "a")):
            decoded = READER.decode(encoded(event))
            state: Any = SimpleNamespace(known={key_of(decoded): known})
            assert since == TableEvents().stands_since(decoded, state)


def test_what_takes_effect_while_a_round_is_played_does_not_reach_it() -> None:
    """It settles under the rules and at the table that there were when it was opened; the next one under the new."""
    moved = datetime(2026, 11, 20, 10, 1, 30, tzinfo=UTC)
    before, after = place(tables=[TABLE]), place(tables=["BJ-02"])
    asked: list[datetime] = []

    def places(name: str, moment: datetime) -> PropertySnapshot:
        assert name == before.document.property
        return before if moment < moved else after

    def rules(name: str, game: str, table: str, moment: datetime) -> EffectiveSubmission | None:
        assert (name, game, table) == ("riverside", "blackjack", TABLE)
        asked.append(moment)
        return _RULES if moment < moved else None

    def decoded(event: dict[str, Any]) -> Any:
        return READER.decode(encoded(event))

    during = completed(TABLE, 1, "r", opened_at="2026-11-20T10:01:00Z", closed_at="2026-11-20T10:02:00Z")
    outcome = settle_event(decoded(during), RoundHistory(), places, rules)
    assert [SettlementPosted] == [type(one.fact) for one in outcome.recordings]
    assert [datetime(2026, 11, 20, 10, 1, tzinfo=UTC)] == asked
    later = completed(TABLE, 2, "s", opened_at="2026-11-20T10:01:30Z", closed_at="2026-11-20T10:02:00Z")
    with pytest.raises(Refused, match="table 'BJ-01' is not among the tables of riverside"):
        settle_event(decoded(later), RoundHistory(), places, rules)
    with pytest.raises(Refused, match="file one that lists the table"):
        settle_event(decoded(later), RoundHistory(), lambda *_: before, rules)
    changed = corrected(
        TABLE, 3, "r", record(LOSING), opened_at="2026-11-20T10:01:00Z", closed_at="2026-11-20T10:02:00Z"
    )
    outcome = settle_event(decoded(changed), outcome.known, places, rules)
    assert [SettlementReversed, SettlementPosted] == [type(one.fact) for one in outcome.recordings]


def test_a_round_number_that_begins_again_each_day_is_refused_with_what_to_do() -> None:
    """Not with a correction: that would replace the round of the day before. One of the same day is corrected."""
    first = completed(TABLE, 1, "0001")
    known = _settle(first).known
    tomorrow: dict[str, Any] = {
        "opened_at": "2026-11-21T17:00:00Z",
        "closed_at": "2026-11-21T17:01:00Z",
        "gaming_day": "2026-11-21",
    }
    with pytest.raises(Refused) as again:
        _settle(completed(TABLE, 2, "0001", **tomorrow), known)
    assert "on gaming day 2026-11-20: a round number is used once at a table" in str(again.value)
    assert "(2026-11-21-0001)" in str(again.value)
    assert "round.corrected" not in str(again.value)
    with pytest.raises(Refused, match=r"change it with round\.corrected"):
        _settle(completed(TABLE, 2, "0001"), known)
