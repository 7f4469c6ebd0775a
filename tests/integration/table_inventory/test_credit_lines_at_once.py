"""Two processes are asked for credit of one patron at the same moment, over one database."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import httpx
import pytest

from tests.integration.table_inventory.test_credit_lines import CREDIT, RULES, granted, prepared, standing
from tests.integration.table_inventory.test_numbers_taken_at_once import read_while
from tests.support.pit import InventoryDesk, Table, at, chips, inventory_desk
from tests.support.polling import eventually
from tests.support.services import query

ISSUED = {"serial": "K-1", "cents": 1_000_00, "dealer": "dealer.dan", "floorperson": "floor.fay"}
VOID = f"{CREDIT}/checks/K-1/void"


@pytest.fixture
def other(url: str, desk: InventoryDesk) -> Iterator[InventoryDesk]:
    """A second process on the same database, with a patron whose limit is 1,000.00."""
    desk.has_only("BJ-01", **RULES)
    desk.clock.now = at(1)
    granted(desk, 1_000_00)
    with inventory_desk(url) as found:
        found.clock.now = at(1)
        yield found


def test_checks_prepared_at_once_stay_within_the_limit(desk: InventoryDesk, other: InventoryDesk) -> None:
    """Of forty checks of 100.00 that eight threads ask of two processes, ten are prepared."""

    def ask(number: int) -> int:
        by = (desk, other)[number % 2]
        body = prepared(f"K-{number}", 100_00)
        return by.desk.post(f"{CREDIT}/checks", body, person="pit.kai", key=f"k-{number}").status_code

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(40)))
    assert {201: 10, 409: 30} == {status: answers.count(status) for status in set(answers)}
    assert (1_000_00, 1_000_00, 0) == standing(desk)


def test_a_check_that_is_being_issued_is_not_void(desk: InventoryDesk, other: InventoryDesk, url: str) -> None:
    """The table's event is written, and not committed yet, when somebody voids the check: that is refused."""
    table = Table("BJ-01")
    desk.done(f"{CREDIT}/checks", prepared("K-1", 1_000_00), person="pit.kai")
    desk.pit(table.opened(at(1), chips(c500=1000)))
    answers: list[Future[httpx.Response]] = []
    with ThreadPoolExecutor(1) as pool:

        def begin() -> None:
            void = pool.submit(other.send, VOID, {"reason": "left"}, person="pit.lea", key="v-1")
            answers.append(void)
            eventually(lambda: query(url, "SELECT 1 FROM pg_locks WHERE NOT granted"))

        read_while(desk, "before commit", begin, table.event("counter_check.issued", at(1), **ISSUED))
        assert 409 == answers[0].result().status_code
    assert [] == desk.quarantined()


def test_a_check_that_was_void_meanwhile_is_not_issued(desk: InventoryDesk, other: InventoryDesk) -> None:
    """The table's event was decided, and not recorded yet, when somebody voids the check: the event is refused."""
    table = Table("BJ-01")
    desk.done(f"{CREDIT}/checks", prepared("K-1", 1_000_00), person="pit.kai")
    desk.pit(table.opened(at(1), chips(c500=1000)))
    with ThreadPoolExecutor(1) as pool:

        def void() -> None:
            body = {"reason": "left"}
            assert 200 == pool.submit(other.send, VOID, body, person="pit.lea", key="v-1").result().status_code

        read_while(desk, "derived", void, table.event("counter_check.issued", at(1), **ISSUED))
    [reason] = desk.quarantined()
    assert "counter check K-1 of riverbend is void" in reason
    assert (1_000_00, 0, 1_000_00) == standing(desk)
