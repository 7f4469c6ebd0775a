"""How a version of a submission is drafted and withdrawn, in which phase it is, and which table plays under which."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from services.paytable_registry.domain.effect import in_effect_at
from services.paytable_registry.domain.submissions import (
    SubmissionHistory,
    SubmissionVersion,
    after,
    approve,
    approve_withdrawal,
    draft,
    file,
    give_back,
    require_draft,
    return_withdrawal,
    withdraw,
)
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.submissions import (
    WITHDRAWAL_LEAD,
    ByTable,
    SubmissionWithdrawn,
    WithdrawalApproved,
    WithdrawalRequested,
)
from tests.unit.paytable_registry.test_submissions import HOUR, NOW, PLACE, approved, filed, places, wanted

BEGINS = NOW + 10 * HOUR


def decided(**changes: Any) -> SubmissionVersion:
    """A version that ann filed and bob approved, in effect in ten hours."""
    version = filed(**{"effective_from": BEGINS, **changes})
    return after(version, approve(version, SubmissionHistory(), places, (), by="bob", at=NOW))


def asked(by: str = "ann") -> SubmissionVersion:
    """The same; somebody asked for its withdrawal."""
    version = decided()
    return after(version, withdraw(version, by=by, at=NOW, reason="the hotel opens later"))


# --- drafts ---


def test_a_draft_holds_what_nobody_has_checked() -> None:
    """Whatever the form allows can be drafted; who files it hears what is wrong with it."""
    version = after(None, draft(wanted(submission={"wagers": {}}), 3, by="ann", at=NOW))
    assert ("draft", 3, "ann", None) == (version.status, version.version, version.drafted_by, version.filed_by)
    with pytest.raises(Rejected, match="'decks' is missing"):
        file(version, SubmissionHistory(), places, version=3, by="carl", at=NOW)


def test_a_draft_is_filed_under_its_number() -> None:
    """Its hash is that of the same content filed at once; who files it stands for it."""
    version = after(None, draft(wanted(), 1, by="ann", at=NOW))
    fact = file(version, SubmissionHistory(versions=1), places, version=1, by="carl", at=NOW)
    assert (filed().hash, 1, "carl") == (fact.hash, fact.version, fact.filed_by)
    require_draft(version)
    with pytest.raises(Rejected, match="version 1 of blackjack at riverbend is filed, and no draft any more"):
        require_draft(after(version, fact))


@pytest.mark.parametrize("decide", [approve, give_back])
def test_a_draft_is_not_decided(decide: Any) -> None:
    """Nobody has vouched for it."""
    version = after(None, draft(wanted(), 1, by="ann", at=NOW))
    more: dict[str, Any] = {"reason": "no"} if decide is give_back else {}
    state = () if decide is give_back else (SubmissionHistory(), places, ())
    with pytest.raises(Rejected, match="is a draft: file it first") as rejected:
        decide(version, *state, by="bob", at=NOW, **more)
    assert Reason.TOO_EARLY is rejected.value.reason


# --- withdrawals ---


@pytest.mark.parametrize("status", ["draft", "filed"])
def test_what_nobody_approved_is_withdrawn_at_once(status: str) -> None:
    """By one person, with a reason; it cannot be decided or withdrawn any more."""
    version = filed() if status == "filed" else after(None, draft(wanted(), 1, by="ann", at=NOW))
    fact = withdraw(version, by="carl", at=NOW, reason="filed twice")
    assert isinstance(fact, SubmissionWithdrawn)
    gone = after(version, fact)
    assert ("withdrawn", "carl", "filed twice") == (gone.status, gone.withdrawn_by, gone.withdrawal_reason)
    with pytest.raises(Rejected, match="was withdrawn already"):
        withdraw(gone, by="carl", at=NOW, reason="again")


def test_an_approved_version_is_withdrawn_by_two_people() -> None:
    """One asks, another approves; until then it stands as approved."""
    version = asked()
    assert ("approved", "ann") == (version.status, version.withdrawal_requested_by)
    with pytest.raises(Rejected, match="ann requested the withdrawal of version 1") as rejected:
        approve_withdrawal(version, by="ann", at=NOW)
    assert Reason.SAME_PERSON is rejected.value.reason
    fact = approve_withdrawal(version, by="bob", at=NOW)
    assert isinstance(fact, WithdrawalApproved)
    assert ("ann", "bob", "the hotel opens later") == (fact.requested_by, fact.withdrawn_by, fact.reason)
    gone = after(version, fact)
    assert ("withdrawn", "bob") == (gone.status, gone.withdrawn_by)
    with pytest.raises(Rejected, match="the withdrawal of version 1 of blackjack at riverbend was approved already"):
        approve_withdrawal(gone, by="bob", at=NOW)


def test_a_withdrawal_that_is_returned_leaves_the_version_as_it_was() -> None:
    """Also by who asked; it may be asked for again."""
    version = asked()
    back = after(version, return_withdrawal(version, by="ann", at=NOW, reason="it opens after all"))
    assert decided() == back
    assert isinstance(withdraw(back, by="carl", at=NOW, reason="it does not"), WithdrawalRequested)


def test_a_withdrawal_is_asked_for_once_and_decided_when_it_was() -> None:
    """A second request, and a decision without one, are refused."""
    with pytest.raises(Rejected, match="ann asked for the withdrawal of version 1"):
        withdraw(asked(), by="carl", at=NOW, reason="me too")
    with pytest.raises(Rejected, match="nobody asked that version 1") as rejected:
        approve_withdrawal(decided(), by="bob", at=NOW)
    assert Reason.TOO_EARLY is rejected.value.reason


@pytest.mark.parametrize(("late", "allowed"), [(timedelta(), True), (timedelta(microseconds=1), False)])
def test_services_have_the_time_to_read_a_withdrawal(late: timedelta, allowed: bool) -> None:
    """Both the request and its approval come an hour before the beginning at the latest."""
    moment = BEGINS - WITHDRAWAL_LEAD + late
    version, waiting = decided(), asked()
    if allowed:
        assert isinstance(withdraw(version, by="ann", at=moment, reason="later"), WithdrawalRequested)
        assert isinstance(approve_withdrawal(waiting, by="bob", at=moment), WithdrawalApproved)
        return
    with pytest.raises(Rejected, match="could be withdrawn until 2026-11-20T21:00:00") as asking:
        withdraw(version, by="ann", at=moment, reason="later")
    with pytest.raises(Rejected, match="could be withdrawn until 2026-11-20T21:00:00") as approving:
        approve_withdrawal(waiting, by="bob", at=moment)
    assert {Reason.TOO_LATE} == {asking.value.reason, approving.value.reason}


# --- which table plays under which version ---

BOTH = approved(NOW - 4 * HOUR, NOW - 2 * HOUR, NOW + 2 * HOUR, tables=("BJ-01", "BJ-02")).approved
FEWER = SubmissionVersion.model_validate(dict(BOTH[1]) | {"tables": ("BJ-02",)})
VERSIONS = ByTable([BOTH[0], FEWER, BOTH[2]])


@pytest.mark.parametrize(
    ("table", "hours", "version"),
    [
        ("BJ-01", -5, None),
        ("BJ-01", -4, 1),
        ("BJ-01", -1, 1),
        ("BJ-02", -1, 2),
        ("BJ-02", 1.99, 2),
        ("BJ-01", 2, 3),
        ("BJ-02", 2, 3),
        ("BJ-09", 2, None),
    ],
)
def test_a_table_plays_under_the_latest_version_that_lists_it(table: str, hours: float, version: int | None) -> None:
    """A later version for fewer tables leaves the others what they have."""
    found = VERSIONS.in_effect("riverbend", "blackjack", table, NOW + hours * HOUR)
    assert version == (None if found is None else found.version)


@pytest.mark.parametrize(
    ("at", "phases"),
    [
        (NOW - 5 * HOUR, ["approved", "approved", "approved"]),
        (NOW - 4 * HOUR, ["effective", "approved", "approved"]),
        (NOW, ["effective", "effective", "approved"]),
        (NOW + 2 * HOUR, ["superseded", "superseded", "effective"]),
    ],
)
def test_a_version_is_effective_while_a_table_plays_under_it(at: datetime, phases: list[str]) -> None:
    """By the clock alone; it is superseded at the last of its tables."""
    history = SubmissionHistory(3, [BOTH[0], FEWER, BOTH[2]])
    assert phases == [history.shown(version, at).phase for version in history.approved]


def test_what_is_not_approved_is_in_the_phase_of_its_status() -> None:
    """Whatever the clock says."""
    version = filed()
    shown = SubmissionHistory(1).shown(version, NOW + 100 * HOUR)
    assert "filed" == shown.phase
    gone = after(version, withdraw(version, by="ann", at=NOW, reason="twice"))
    assert "withdrawn" == SubmissionHistory(1).shown(gone, NOW).phase


def test_a_version_begins_after_those_that_share_a_table_with_it() -> None:
    """What is approved for other tables is not in its way."""
    later = approved(NOW + 20 * HOUR, tables=("BJ-01",))
    assert NOW + 10 * HOUR == filed(later, tables=["BJ-02"], effective_from=NOW + 10 * HOUR).effective_from
    with pytest.raises(Rejected, match="is not after"):
        filed(later, tables=["BJ-01", "BJ-02"], effective_from=NOW + 10 * HOUR)


def test_every_table_of_the_property_is_answered_with_its_game_and_version() -> None:
    """Those without a version too; a table that is not there is not found."""
    found = in_effect_at(PLACE, VERSIONS, NOW, now=NOW)
    assert [("BJ-01", "blackjack", 1), ("BJ-02", "blackjack", 2), ("SW-01", "blackjack-switch", None)] == [
        (one.table, one.game, one.submission and one.submission.version) for one in found
    ]
    assert ["BJ-02"] == [one.table for one in in_effect_at(PLACE, VERSIONS, NOW, now=NOW, only="BJ-02")]
    with pytest.raises(Rejected, match="table 'BJ-77' is not among the tables of riverbend") as rejected:
        in_effect_at(PLACE, VERSIONS, NOW, now=NOW, only="BJ-77")
    assert Reason.NOT_FOUND is rejected.value.reason
