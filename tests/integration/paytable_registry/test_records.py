"""What the registry records: each command once, whoever else works at the same time; and who may change it."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from tests.support.registry import Registry, a_registry

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def later(hours: int) -> str:
    """So many hours after noon."""
    return (NOON + timedelta(hours=hours)).isoformat()


def sql(url: str, statement: str, *, role: str | None = None) -> list[Any]:
    """Runs a statement as the owner, or under a role; gives the rows."""
    with psycopg.connect(re.sub(r"\+psycopg", "", url), autocommit=True) as connection:
        if role is not None:
            connection.execute(f'SET ROLE "{role}"')
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


# --- the same command again, and several at the same time ---


def test_a_command_sent_again_is_answered_again(registry: Registry, url: str) -> None:
    """Byte for byte, without another entry, also when much has happened since, and by another process."""
    first = registry.file(key="f")
    refused = registry.approve(person="ann", key="r")
    approved = registry.approve(key="a")
    registry.wait(1)
    with a_registry(url, NOON) as restarted:
        restarted.desk.shown = registry.desk.shown
        body = {"effective_from": first.json()["effective_from"]}
        for one in (registry, restarted):
            again = one.file(key="f", **body), one.approve(person="ann", key="r"), one.approve(key="a")
            for answer, before in zip(again, (first, refused, approved), strict=True):
                assert (before.status_code, before.content, before.headers) == (
                    answer.status_code,
                    answer.content,
                    answer.headers,
                )
    assert ["command.refused", "submission.approved", "submission.filed"] == registry.kinds()


def test_a_key_stands_for_one_command_of_one_person(registry: Registry) -> None:
    """The same key with another content, or for another command, is a conflict; another person has other keys."""
    registry.file(key="k", person="ann")
    for answer in (registry.file(key="k", person="ann", tables=["BJ-09"]), registry.approve(key="k", person="ann")):
        assert (409, "urn:pitledger:problem:key-reused") == (answer.status_code, answer.json()["type"])
    assert 201 == registry.file(key="k", person="carl", tables=["BJ-09"]).status_code


def test_a_crowd_is_served_by_two_processes(registry: Registry, url: str) -> None:
    """Sixteen filings are sixteen versions; of many decisions about one version one wins; the journal is whole."""
    with a_registry(url, NOON) as other, ThreadPoolExecutor(4) as threads:
        both = (registry, other)
        filings = [threads.submit(both[number % 2].file) for number in range(16)]
        assert list(range(1, 17)) == sorted(filing.result().json()["version"] for filing in filings)
        decisions = [
            threads.submit(both[number % 2].approve if number % 3 else both[number % 2].give_back)
            for number in range(9)
        ]
        assert [200] + [409] * 8 == sorted(decision.result().status_code for decision in decisions)
    assert 8 == registry.kinds().count("command.refused")


# --- what is recorded, and who may change it ---


def test_entries_hold_what_the_contract_says(registry: Registry, url: str) -> None:
    """The facts with their causes and streams; the versions follow from them alone."""
    registry.file(key="first")
    registry.approve(key="second")
    registry.file(effective_from=later(1))
    registry.approve(2, person="ann")
    registry.give_back(2, reason="no")
    registry.give_back(2)
    filed, approved, *_ = (entry.draft for entry in registry.entries())
    assert ["first", "second"] == [filed.event_id, approved.event_id]
    assert ["/properties/riverbend/games/blackjack/submissions/1"] * 2 == [filed.source, approved.source]
    assert (NOON, ()) == (filed.occurred_at, filed.postings)
    kinds = [entry.draft.kind for entry in registry.entries()]
    decided = ["submission.filed", "command.refused", "submission.returned", "command.refused"]
    assert ["submission.filed", "submission.approved", *decided] == kinds
    before = registry.desk.read_model(url)
    registry.desk.project_again(url, registry.desk.entries())
    assert before == registry.desk.read_model(url)


REFUSED_BY_THE_DATABASE = (
    "UPDATE paytable_registry.submissions SET document = '{}'",
    "UPDATE paytable_registry.submissions SET effective_from = now()",
    "UPDATE paytable_registry.submissions SET filed_by = 'eve'",
    "DELETE FROM paytable_registry.submissions",
    "UPDATE paytable_registry.idempotency SET body = ''",
    "DELETE FROM paytable_registry.idempotency",
    "UPDATE paytable_registry.entries SET data = '{}'",
    "ALTER TABLE paytable_registry.entries DISABLE TRIGGER ALL",
    "DROP TABLE paytable_registry.entries",
    "CREATE TABLE paytable_registry.mine (n int)",
)


def test_the_service_cannot_change_what_was_filed_and_answered(registry: Registry, url: str) -> None:
    """Its role may decide a version, and replace a draft."""
    registry.file()
    for change in REFUSED_BY_THE_DATABASE:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            pytest.fail(f"done: {change} {sql(url, change, role='paytable_registry')}")


def test_the_database_itself_wants_two_people(registry: Registry, url: str) -> None:
    """A service that forgot the rule could not record an approval by the filer."""
    registry.file(person="ann")
    change = "UPDATE paytable_registry.submissions SET status = 'approved', approved_at = now(), approved_by = 'ann'"
    with pytest.raises(psycopg.errors.CheckViolation, match="approved_by_somebody_else"):
        sql(url, change, role="paytable_registry")
