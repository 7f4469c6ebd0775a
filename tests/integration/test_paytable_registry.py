"""The paytable registry on a real database: commands over HTTP, what they record, and who may change it."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import select

from services.paytable_registry import SERVICE
from services.paytable_registry.store import project
from services.paytable_registry.tables import journal, submissions
from shared.contracts.submissions import SubmissionApproved, SubmissionFiled, SubmissionRejected
from shared.journal.entry import Entry
from shared.journal.ledger import Ledger
from shared.journal.reading import read_entries
from shared.journal.verification import Problem, Verified, read_shards, verify_shard
from shared.runtime.database import create_engine
from shared.runtime.metrics import Metrics
from shared.runtime.service.run import Parts, application
from shared.runtime.settings import Settings
from shared.runtime.web.access import Caller, token_hash
from shared.runtime.web.problems import PROBLEM
from tests.support import Databases
from tests.support.asgi import AppClient, assert_problem
from tests.support.registry import blackjack, migrate

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
CALLERS = [
    Caller(person=person, token_sha256=token_hash(f"token of {person}"), roles=frozenset(roles))
    for person, roles in {"ann": ["submit", "approve"], "carl": ["submit"], "bob": ["approve"]}.items()
]


class Clock:
    """Shows the moment that it was set to. `disturb`, if set, happens once, the next time somebody looks at it."""

    def __init__(self) -> None:
        self.now = NOON
        self.disturb: Callable[[], object] | None = None

    def __call__(self) -> datetime:
        disturb, self.disturb = self.disturb, None
        if disturb is not None:
            disturb()
        return self.now


class Registry:
    """One process of the registry, and people who use it: ann and carl file, bob approves."""

    def __init__(self, client: AppClient, parts: Parts, clock: Clock) -> None:
        self.client = client
        self.clock = clock
        self.metrics = parts.metrics
        self._engine = parts.engine
        self._keys = count(1)

    def send(
        self, path: str, body: Any = None, *, person: str = "ann", key: str | None = None, **arguments: Any
    ) -> httpx.Response:
        """Sends a command, under a key of its own unless one is given."""
        headers = {
            "Authorization": f"Bearer token of {person}",
            "Idempotency-Key": key or f"{person}-{id(self)}-{next(self._keys)}",
        }
        return self.client.post(path, json=body, headers=headers, **arguments)

    def file(self, *, person: str = "ann", key: str | None = None, **changes: Any) -> httpx.Response:
        """Files a submission for blackjack at riverbend."""
        return self.send("/submissions", {**blackjack(NOON), **changes}, person=person, key=key)

    def approve(self, version: int = 1, *, person: str = "bob", key: str | None = None) -> httpx.Response:
        """Approves a version of it."""
        return self.send(f"/submissions/riverbend/blackjack/{version}/approve", person=person, key=key)

    def reject(self, version: int = 1, *, person: str = "bob", reason: str = "not as agreed") -> httpx.Response:
        """Rejects a version of it."""
        return self.send(f"/submissions/riverbend/blackjack/{version}/reject", {"reason": reason}, person=person)

    def read(self, path: str, **arguments: Any) -> httpx.Response:
        """Reads something about it."""
        return self.client.get(f"/submissions/riverbend/blackjack{path}", **arguments)

    def entries(self) -> list[Entry]:
        """All that the journal holds."""

        async def read() -> list[Entry]:
            async with self._engine.connect() as connection:
                return [
                    entry
                    for shard in await read_shards(connection, journal)
                    async for entry in read_entries(connection, journal, shard.shard)
                ]

        return self.client.run(read())

    def kinds(self) -> list[str]:
        """The kinds of the journal's entries: of the shard of commands, in order, and then what was refused before."""
        return sorted((entry.draft.kind for entry in self.entries()), key=lambda kind: kind == "request.refused")

    def problems(self) -> list[Problem]:
        """What verification of the journal finds."""

        async def verify() -> list[Problem]:
            async with self._engine.connect() as connection:
                return [
                    problem
                    for shard in await read_shards(connection, journal)
                    async for problem in verify_shard(connection, journal, shard, Verified(shard.name))
                ]

        return self.client.run(verify())


@contextmanager
def a_registry(url: str) -> Iterator[Registry]:
    """A process of the registry on a database, without the relay."""
    clock, metrics = Clock(), Metrics()
    engine = create_engine(url, role="paytable_registry")
    parts = Parts(Settings(), engine, Ledger(journal), metrics, clock, lambda: None)
    app = application(SERVICE, parts, callers=CALLERS)
    with AppClient(app) as client:
        yield Registry(client, parts, clock)
        client.run(engine.dispose())


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the registry's schema."""
    databases.prepare("paytable-registry", migrate)
    url = databases.create("paytable-registry")
    yield url
    databases.drop(url)


@pytest.fixture
def registry(url: str) -> Iterator[Registry]:
    """The registry."""
    with a_registry(url) as registry:
        yield registry


def sql(url: str, statement: str, *, role: str | None = None) -> list[Any]:
    """Runs a statement as the owner, or under a role; gives the rows."""
    with psycopg.connect(re.sub(r"\+psycopg", "", url), autocommit=True) as connection:
        if role is not None:
            connection.execute(f'SET ROLE "{role}"')
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


# --- filing, approving, rejecting ---


def test_a_filed_version_can_be_read(registry: Registry) -> None:
    """Filing answers 201 with the version and where it is; it waits for approval."""
    filed = registry.file()
    assert (201, "/submissions/riverbend/blackjack/1") == (filed.status_code, filed.headers["location"])
    assert {**blackjack(NOON), "version": 1, "status": "filed", "filed_by": "ann"}.items() <= filed.json().items()
    read = registry.client.get(filed.headers["location"])
    assert (200, filed.json()) == (read.status_code, read.json())
    assert_problem(registry.read("/in-effect"), 404, "no approved version of blackjack at riverbend")


def test_an_approved_version_is_in_effect(registry: Registry) -> None:
    """From its beginning on, and not before, whoever approved it."""
    registry.file()
    approved = registry.approve()
    assert (200, "approved", "bob") == (approved.status_code, approved.json()["status"], approved.json()["approved_by"])
    at = {"at": (NOON - timedelta(microseconds=1)).isoformat()}
    assert 404 == registry.read("/in-effect", params=at).status_code
    for moment in (NOON, NOON + 1000 * HOUR):
        found = registry.read("/in-effect", params={"at": moment.isoformat()})
        assert (200, approved.json()) == (found.status_code, found.json())


def test_the_latest_approved_version_that_has_begun_is_in_effect(registry: Registry) -> None:
    """Each moment has its version; filed and rejected ones count for nothing."""
    for version, hours in enumerate((0, 10, 20, 30), 1):
        registry.file(effective_from=(NOON + hours * HOUR).isoformat())
        if version != 3:
            assert 200 == registry.approve(version).status_code
    registry.reject(3)
    found = [
        registry.read("/in-effect", params={"at": (NOON + hours * HOUR).isoformat()}).json()["version"]
        for hours in (0, 9, 10, 25, 30, 99)
    ]
    assert [1, 1, 2, 2, 4, 4] == found
    registry.clock.now = NOON + 12 * HOUR
    assert 2 == registry.read("/in-effect").json()["version"]


def test_the_filer_cannot_approve(registry: Registry) -> None:
    """Ann may approve, but not what she filed; the attempt is recorded, and bob still may."""
    registry.file(person="ann")
    assert_problem(registry.approve(person="ann"), 403, "ann filed version 1 of blackjack at riverbend")
    assert ["submission.filed", "submission.approval_refused"] == registry.kinds()
    assert "filed" == registry.read("/1").json()["status"]
    assert 200 == registry.approve(person="bob").status_code


def test_a_version_is_decided_once(registry: Registry) -> None:
    """Approving or rejecting again is a conflict, recorded as such."""
    registry.file()
    registry.approve()
    assert_problem(registry.approve(), 409, "was approved already")
    assert_problem(registry.reject(), 409, "was approved already")
    registry.file(effective_from=(NOON + HOUR).isoformat())
    registry.reject(2, reason="eight decks were agreed")
    assert_problem(registry.approve(2), 409, "was rejected already")
    rejected = registry.read("/2").json()
    assert ("rejected", "bob", "eight decks were agreed") == tuple(
        rejected[name] for name in ("status", "rejected_by", "rejection_reason")
    )
    assert 4 + 3 == len(registry.entries())
    assert 3 == registry.kinds().count("request.refused")


def test_history_never_changes(registry: Registry) -> None:
    """A version that has become too late between filing and approval is refused."""
    registry.file()
    registry.approve()
    registry.file(effective_from=(NOON + HOUR).isoformat())
    registry.clock.now = NOON + 2 * HOUR
    assert_problem(registry.approve(2), 409, "has passed")
    assert 422 == registry.file(effective_from=(NOON + HOUR).isoformat()).status_code


def test_what_the_catalogue_does_not_allow_is_refused(registry: Registry) -> None:
    """422 with the paragraph; the refusal alone is recorded."""
    refused = registry.file(submission={"decks": 6, "wagers": {"royal_match_21": {"paytable": "A"}}})
    assert_problem(refused, 422, "royal_match_21")
    assert refused.json()["paragraph"].startswith("§ 633a.")
    assert ["request.refused"] == registry.kinds()


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"tables": []}, "tables"),
        ({"property": "river bend"}, "property"),
        ({"effective_from": "2026-11-20T12:00:00"}, "effective_from"),
        ({"submission": {"decks": 6.5}}, "decks"),
        ({"submission": {"decks": "6"}}, "decks"),
        ({"submission": {"dekcs": 6}}, "dekcs"),
        ({"regulation": "\ud800"}, "regulation"),
        ({"version": 7}, "version"),
    ],
)
def test_a_malformed_submission_is_refused(registry: Registry, body: dict[str, Any], detail: str) -> None:
    """422 that names the field."""
    response = registry.client.post(
        "/submissions",
        content=json.dumps({**blackjack(NOON), **body}),
        headers={"Authorization": "Bearer token of ann", "Idempotency-Key": "k", "Content-Type": "application/json"},
    )
    assert_problem(response, 422, detail)


def test_roles_are_required(registry: Registry) -> None:
    """Who may file may not approve, and the other way round; strangers may do neither."""
    assert_problem(registry.file(person="bob"), 403, "bob does not have the role 'submit'")
    assert_problem(registry.file(person="eve"), 401, "the token is not known")
    registry.file(person="ann")
    assert_problem(registry.approve(person="carl"), 403, "carl does not have the role 'approve'")
    assert_problem(registry.reject(person="carl"), 403, "carl does not have the role 'approve'")
    assert ["submission.filed", *["request.refused"] * 3] == registry.kinds()


def test_what_is_not_there_is_not_found(registry: Registry) -> None:
    """Versions and games that nobody filed: 404."""
    assert_problem(registry.approve(), 404, "there is no version 1 of blackjack at riverbend")
    assert_problem(registry.reject(), 404, "there is no version 1")
    assert_problem(registry.read("/1"), 404, "there is no version 1")
    assert_problem(registry.read(""), 404, "nothing was ever filed")


# --- the same command again ---


def test_a_command_sent_again_is_answered_again(registry: Registry) -> None:
    """Byte for byte, without another entry, also when much has happened since."""
    first = registry.file(key="f")
    approved = registry.approve(key="a")
    registry.clock.now = NOON + HOUR
    for again, before in ((registry.file(key="f"), first), (registry.approve(key="a"), approved)):
        assert (before.status_code, before.content, before.headers) == (again.status_code, again.content, again.headers)
    assert ["submission.filed", "submission.approved"] == registry.kinds()


def test_a_refused_approval_sent_again_is_refused_again(registry: Registry) -> None:
    """The attempt is recorded once; with a new key it is a new attempt."""
    registry.file()
    first = registry.approve(person="ann", key="a")
    again = registry.approve(person="ann", key="a")
    assert (403, first.content, PROBLEM) == (again.status_code, again.content, again.headers["content-type"])
    assert 1 == registry.kinds().count("submission.approval_refused")
    registry.approve(person="ann", key="b")
    assert 2 == registry.kinds().count("submission.approval_refused")


def test_a_key_stands_for_one_command(registry: Registry) -> None:
    """The same key with another content, or for another command, is a conflict; another person has other keys."""
    registry.file(key="k", person="ann")
    assert_problem(registry.file(key="k", person="ann", tables=["BJ-09"]), 409, "'k' was used for another command")
    assert_problem(registry.approve(key="k", person="ann"), 409, "'k' was used for another command")
    assert 201 == registry.file(key="k", person="carl", tables=["BJ-09"]).status_code


def test_keys_are_kept_over_a_restart(registry: Registry, url: str) -> None:
    """The answers are in the database."""
    first = registry.file(key="k")
    with a_registry(url) as restarted:
        again = restarted.file(key="k")
    assert (201, first.content) == (again.status_code, again.content)


def test_a_refusal_does_not_use_up_the_key(registry: Registry) -> None:
    """No command was recorded, so the mended one may have the same key."""
    assert 422 == registry.file(key="k", submission={}).status_code
    assert 201 == registry.file(key="k").status_code


def test_a_command_without_key_is_refused(registry: Registry) -> None:
    """Without a key a command that is sent again would be done again."""
    headers = {"Authorization": "Bearer token of ann"}
    assert_problem(registry.client.post("/submissions", json=blackjack(NOON), headers=headers), 422, "Idempotency-Key")


# --- at the same time ---


def test_two_filings_at_once_are_two_versions(registry: Registry, url: str) -> None:
    """Another process files between reading and recording: both are recorded, one after the other."""
    with a_registry(url) as other:
        registry.clock.disturb = lambda: other.file(person="carl")
        mine = registry.file(person="ann")
    assert (201, 2) == (mine.status_code, mine.json()["version"])
    assert [("carl", 1), ("ann", 2)] == [
        (item["filed_by"], item["version"]) for item in registry.read("").json()["items"]
    ]
    assert [] == registry.problems()


def test_of_two_decisions_at_once_one_wins(registry: Registry, url: str) -> None:
    """Another process rejects between reading and recording: the approval comes too late."""
    registry.file(person="carl")
    with a_registry(url) as other:
        registry.clock.disturb = other.reject
        assert_problem(registry.approve(), 409, "was rejected already")
    assert ["submission.filed", "submission.rejected", "request.refused"] == registry.kinds()


def test_the_same_command_sent_twice_at_once_is_done_once(registry: Registry, url: str) -> None:
    """Both get the same answer."""
    answers: list[httpx.Response] = []
    with a_registry(url) as other:
        registry.clock.disturb = lambda: answers.append(other.file(key="k"))
        answers.append(registry.file(key="k"))
    assert answers[0].content == answers[1].content
    assert ["submission.filed"] == registry.kinds()


def test_the_same_decision_sent_twice_at_once_is_done_once(registry: Registry, url: str) -> None:
    """What the other process did between two looks at the books does not make the decision contradict itself."""
    registry.file(person="carl")
    answers: list[httpx.Response] = []
    with a_registry(url) as other:
        registry.clock.disturb = lambda: answers.append(other.approve(key="k"))
        answers.append(registry.approve(key="k"))
    assert [200, 200] == [answer.status_code for answer in answers]
    assert answers[0].content == answers[1].content
    assert ["submission.filed", "submission.approved"] == registry.kinds()


def test_a_crowd_is_served(registry: Registry, url: str) -> None:
    """Filings from many threads through two processes get the versions 1 to 16, each once."""
    with a_registry(url) as other, ThreadPoolExecutor(4) as threads:
        filings = [threads.submit((registry, other)[number % 2].file) for number in range(16)]
        versions = [filing.result().json()["version"] for filing in filings]
    assert list(range(1, 17)) == sorted(versions)
    assert [] == registry.problems()


# --- reading ---


def test_a_version_that_has_not_changed_need_not_be_sent(registry: Registry) -> None:
    """The ETag is that of the version and its status."""
    registry.file()
    etag = registry.read("/1").headers["etag"]
    unchanged = registry.read("/1", headers={"If-None-Match": f'"other", W/{etag}'})
    assert (304, etag, b"") == (unchanged.status_code, unchanged.headers["etag"], unchanged.content)
    registry.approve()
    changed = registry.read("/1", headers={"If-None-Match": etag})
    assert 200 == changed.status_code
    assert etag != changed.headers["etag"]


def test_lists_come_in_pages(registry: Registry) -> None:
    """Every version is on one page; a version filed meanwhile disturbs nothing."""
    for property_name in ("riverbend", "lakeside"):
        for game in ("blackjack", "blackjack-switch"):
            for _ in range(2):
                registry.file(property=property_name, game=game)
    seen: list[tuple[str, str, int]] = []
    cursor: dict[str, str] = {}
    for _ in range(3):
        page = registry.client.get("/submissions", params={"limit": "3", **cursor}).json()
        seen += [(item["property"], item["game"], item["version"]) for item in page["items"]]
        registry.file(property="bayside")
        cursor = {"cursor": page.get("next", "")}
    assert "next" not in page
    games = ("blackjack", "blackjack-switch")
    assert [(p, g, v) for p in ("lakeside", "riverbend") for g in games for v in (1, 2)] == seen


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"property": "riverbend"}, 2),
        ({"game": "switch"}, 2),
        ({"property": "riverbend", "game": "switch"}, 1),
        ({"property": "nowhere"}, 0),
    ],
)
def test_lists_can_be_narrowed(registry: Registry, query: dict[str, str], found: int) -> None:
    """By property, by game, by both."""
    for names in (("riverbend", "blackjack"), ("riverbend", "switch"), ("lakeside", "switch")):
        registry.file(property=names[0], game=names[1])
    items = registry.client.get("/submissions", params=query).json()["items"]
    assert found == len(items)
    assert all(query.items() <= item.items() for item in items)


@pytest.mark.parametrize("cursor", ["", "x", "é", "YS9i", "AGEvYi8x", "YS9iLzk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5"])
def test_a_cursor_of_somebody_else_is_refused(registry: Registry, cursor: str) -> None:
    """400 that says what to do."""
    response = registry.client.get("/submissions", params={"cursor": cursor})
    assert_problem(response, 400, "is not one of this service; begin without one")


def test_the_catalogue_says_what_may_be_selected(registry: Registry) -> None:
    """Every regulation with its paytables, and their paragraphs."""
    listed = registry.client.get("/catalogue").json()
    assert {"pa-633a-2011", "pa-633a-2024"} <= {item["id"] for item in listed}
    href = next(item["href"] for item in listed if item["id"] == "pa-633a-2024")
    wager = registry.client.get(href).json()["wagers"]["royal_match_21"]
    assert {"A", "B", "C", "D", "E"} == {paytable["name"] for paytable in wager["paytables"]}
    assert all(paytable["paragraph"].startswith("§ 633a.13(f)") for paytable in wager["paytables"])
    assert_problem(registry.client.get("/catalogue/xx-1"), 404, "'xx-1' is not known")


def test_the_example_of_the_documentation_is_accepted(registry: Registry) -> None:
    """Its submission can be filed, and every path that it shows exists."""
    page = (Path(__file__).parents[2] / "docs" / "registry.md").read_text()
    [example] = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    assert 201 == registry.send("/submissions", json.loads(example)).status_code
    shown = set(re.findall(r"\$REGISTRY(/[^\s?\"`]*)", page))
    assert len(shown) >= 8
    for path in shown:
        assert 404 != registry.client.request("OPTIONS", path).status_code, path


# --- what is recorded, and who may change it ---


def test_entries_hold_what_the_contract_says(registry: Registry) -> None:
    """The data of each entry is the contract's JSON; the key of the command is its cause."""
    registry.file(key="first")
    registry.approve(key="second")
    registry.file(effective_from=(NOON + HOUR).isoformat())
    registry.reject(2, reason="no")
    filed, approved, _, rejected = (entry.draft for entry in registry.entries())
    assert filed.data == SubmissionFiled.model_validate_json(filed.data).model_dump_json(exclude_none=True).encode()
    assert approved.data == (
        SubmissionApproved.model_validate_json(approved.data).model_dump_json(exclude_none=True).encode()
    )
    assert "no" == SubmissionRejected.model_validate_json(rejected.data).reason
    assert ["first", "second"] == [filed.event_id, approved.event_id]
    assert ["/properties/riverbend/games/blackjack/submissions/1"] * 2 == [filed.source, approved.source]
    assert (NOON, ()) == (filed.occurred_at, filed.postings)
    assert [] == registry.problems()


def test_entries_are_counted(registry: Registry) -> None:
    """The metric has one label, the kind."""
    registry.file(key="k")
    registry.file(key="k")
    registry.approve()
    for kind in ("submission.filed", "submission.approved"):
        assert 1 == registry.metrics.registry.get_sample_value("pitledger_entries_total", {"kind": kind})


def test_the_table_can_be_made_anew_from_the_journal(registry: Registry, url: str) -> None:
    """The versions are a projection: from the entries alone come the same rows."""
    registry.file()
    registry.approve()
    registry.file(effective_from=(NOON + HOUR).isoformat())
    registry.approve(2, person="ann")
    registry.file(effective_from=(NOON + 2 * HOUR).isoformat())
    registry.reject(3)
    registry.reject(3)
    query = "SELECT t::text FROM paytable_registry.submissions t ORDER BY version"
    before = sql(url, query)
    sql(url, "TRUNCATE paytable_registry.submissions")
    entries = registry.entries()

    async def rebuild() -> int:
        engine = create_engine(url, role="paytable_registry")
        async with engine.begin() as connection:
            await project(connection, entries)
            rows = (await connection.execute(select(submissions.c.version))).all()
        await engine.dispose()
        return len(rows)

    assert 3 == asyncio.run(rebuild())
    assert before == sql(url, query)


@pytest.mark.parametrize("table", ["entries", "postings", "accounts", "checkpoints"])
@pytest.mark.parametrize("statement", ["UPDATE {} SET {} = {}", "DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_the_service_cannot_alter_its_journal(registry: Registry, url: str, table: str, statement: str) -> None:
    """The role has no right to update, delete or truncate; the owner is refused by the trigger."""
    registry.file()
    [[column]] = sql(
        url,
        "SELECT column_name FROM information_schema.columns "
        f"WHERE table_schema = 'paytable_registry' AND table_name = '{table}' AND ordinal_position = 1",
    )
    change = statement.format(f"paytable_registry.{table}", column, column)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        sql(url, change, role="paytable_registry")
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="is append-only"):
        sql(url, change)
    assert [] == registry.problems()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE paytable_registry.submissions SET document = '{}'",
        "UPDATE paytable_registry.submissions SET effective_from = now()",
        "UPDATE paytable_registry.submissions SET hash = ''",
        "UPDATE paytable_registry.submissions SET filed_by = 'eve'",
        "DELETE FROM paytable_registry.submissions",
        "UPDATE paytable_registry.idempotency SET body = ''",
        "DELETE FROM paytable_registry.idempotency",
        "ALTER TABLE paytable_registry.entries DISABLE TRIGGER ALL",
        "DROP TABLE paytable_registry.entries",
        "CREATE TABLE paytable_registry.mine (n int)",
    ],
)
def test_the_service_cannot_change_what_was_filed_and_answered(registry: Registry, url: str, change: str) -> None:
    """Its role may decide a version, and nothing else."""
    registry.file()
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        sql(url, change, role="paytable_registry")


def test_the_database_itself_wants_two_people(registry: Registry, url: str) -> None:
    """A service that forgot the rule could not record an approval by the filer."""
    registry.file(person="ann")
    change = "UPDATE paytable_registry.submissions SET status = 'approved', approved_at = now(), approved_by = 'ann'"
    with pytest.raises(psycopg.errors.CheckViolation, match="approved_by_somebody_else"):
        sql(url, change, role="paytable_registry")


def test_verification_finds_a_change_that_got_past_the_trigger(registry: Registry, url: str) -> None:
    """A superuser who switches the trigger off changes what was filed: the hash tells."""
    registry.file()
    sql(url, "ALTER TABLE paytable_registry.entries DISABLE TRIGGER append_only")
    sql(url, "UPDATE paytable_registry.entries SET data = replace(data::text, '\"decks\":6', '\"decks\":8')::json")
    assert [1] == [problem.seq for problem in registry.problems()]
