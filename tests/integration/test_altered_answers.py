"""What somebody does to the answers of commands, past the service, has nothing done again and nobody told a lie."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from shared.runtime.process.migrations import upgrade
from tests.support import Databases, tills
from tests.support.asgi import assert_problem
from tests.support.desk import Desk, desk_of
from tests.support.nightly import sampled
from tests.support.rebuilding import execute

NOON = datetime(2026, 11, 20, 17, tzinfo=UTC)
PEOPLE = {"ann": ["tills.work"], "bob": ["tills.work"]}
PAYMENTS = "/tills/riverside/T-1/payments"
PAID = {"cents": 300}
NOT_AS_RECORDED = "urn:pitledger:problem:not-as-recorded"
ALTERED = {
    "body": "UPDATE tills.idempotency SET body = replace(body, '300', '900') WHERE key = 'k'",
    "content": "UPDATE tills.idempotency SET content = sha256('other') WHERE key = 'k'",
    "moment": "UPDATE tills.idempotency SET answered_at = answered_at - interval '1 day' WHERE key = 'k'",
    "unsigned": "UPDATE tills.idempotency SET signature = NULL WHERE key = 'k'",
    "another's": """UPDATE tills.idempotency SET (body, signature) =
        (SELECT body, signature FROM tills.idempotency WHERE key = 'other') WHERE key = 'k'""",
    "deleted": "DELETE FROM tills.idempotency WHERE key = 'k'",
}


@pytest.fixture(params=[False, True], ids=["one-after-the-other", "together"])
def tiny(request: pytest.FixtureRequest, databases: Databases) -> Iterator[tuple[Desk, str]]:
    """A tiny service with two payments into a till, and its database."""
    databases.prepare("tills", lambda url: upgrade("tills", tills.MIGRATIONS, url))
    url = databases.create("tills")
    with desk_of(tills.manifest(together=request.param), url, people=PEOPLE, clock=lambda: NOON) as desk:
        assert 201 == desk.post("/tills/riverside/T-1", person="ann").status_code
        assert 200 == desk.post(PAYMENTS, PAID, person="ann", key="k").status_code
        assert 200 == desk.post(PAYMENTS, {"cents": 7}, person="ann", key="other").status_code
        yield desk, url
    databases.drop(url)


def payments(desk: Desk) -> int:
    """How many payments are on record."""
    return Counter(entry.draft.kind for entry in desk.entries())["account.bought_in"]


@sampled(3)
@pytest.mark.parametrize("how", ALTERED)
def test_a_command_is_not_done_again(tiny: tuple[Desk, str], how: str) -> None:
    """It is refused each time it is sent again, beside others that are done; put back, it has its answer again."""
    desk, url = tiny
    answer = desk.post(PAYMENTS, PAID, person="ann", key="k")
    before = payments(desk)
    execute(url, "CREATE TABLE kept AS TABLE tills.idempotency", ALTERED[how])
    for _ in range(2):
        again = desk.post(PAYMENTS, PAID, person="ann", key="k")
        assert (409, NOT_AS_RECORDED) == (again.status_code, again.json()["type"]), again.json()
    assert before == payments(desk)
    counted = {"reason": "not-as-recorded"}
    assert 2 == desk.context.metrics.registry.get_sample_value("pitledger_commands_refused_total", counted)
    execute(url, "DELETE FROM tills.idempotency", "INSERT INTO tills.idempotency TABLE kept")
    again = desk.post(PAYMENTS, PAID, person="ann", key="k")
    assert (200, answer.json()) == (again.status_code, again.json())
    assert before == payments(desk)


def test_a_forged_answer_is_not_given(tiny: tuple[Desk, str]) -> None:
    """Nobody is told that something was done which was not."""
    desk, url = tiny
    before = payments(desk)
    execute(
        url,
        """INSERT INTO tills.idempotency
        SELECT person, 'forged', command, content, reason, location, body, answered_at, signature
        FROM tills.idempotency WHERE key = 'k'""",
    )
    answer = desk.post(PAYMENTS, PAID, person="ann", key="forged")
    assert_problem(answer, 409, "forged")
    assert NOT_AS_RECORDED == answer.json()["type"]
    assert before == payments(desk)


def test_two_people_may_use_one_key(tiny: tuple[Desk, str]) -> None:
    """A key is that of whoever sends it."""
    desk, _ = tiny
    before = payments(desk)
    answer = desk.post(PAYMENTS, PAID, person="bob", key="k")
    assert 200 == answer.status_code, answer.json()
    assert before + 1 == payments(desk)
