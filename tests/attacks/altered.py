"""Points 1 and 7: what is recorded already is altered by a superuser, past all triggers."""

import os
import signal
from collections.abc import Iterator
from typing import Any, Final

import httpx

from services.cli.demo.pit import ACCOUNTS, INVENTORY
from tests.attacks.floor import PROPERTY, Desks, Floor, event_of, raw
from tests.attacks.naming import not_projected, not_verified
from tests.attacks.outcome import Attempt, say
from tests.attacks.pace import A_PASS, AT_ONCE
from tests.attacks.stack import Attacked
from tests.attacks.watching import Metric, Named, No, Says, watching
from tests.support import eventually
from tests.support.services import produce

SETTLEMENT: Final = "round-settlement"
NOT_AS_RECORDED: Final = "the entry or a posting of it is not what was recorded"

_OLD: Final = """
    SELECT shard, seq FROM round_settlement.entries WHERE kind = 'settlement.posted' AND cardinality(cents) > 1
    ORDER BY recorded_at, shard, seq LIMIT 1"""
_MOVED: Final = """
    UPDATE round_settlement.entries SET cents[1] = cents[1] + 100, cents[2] = cents[2] - 100
    WHERE shard = %s AND seq = %s"""
_SCRUBBED: Final = "pitledger_scrub_age_seconds"


def old_entries(floor: Floor) -> Iterator[Attempt]:
    """Move 100 cents between two lines of an old entry: while the service runs, and while it is down."""
    attacked = floor.attacked
    [(shard, seq)] = attacked.rows(_OLD)
    as_recorded = Says(("verify",), 1, NOT_AS_RECORDED)
    named = not_verified(SETTLEMENT, as_recorded, stated=A_PASS, with_readyz=True, readyz=" 1 problems, first")
    for down in (False, True):
        floor.settled()
        with attacked.mended(SETTLEMENT):
            with watching(attacked, named) as watch:
                pid = attacked.up.pid_of_service(SETTLEMENT)
                if down:
                    os.kill(pid, signal.SIGKILL)
                with attacked.superuser() as connection:
                    connection.execute(_MOVED.encode(), [shard, seq])
                if down:
                    eventually(lambda: _answers(attacked), because="the service is there again")
                    watch.strike()
            how = "while the service is down, which starts again" if down else "of a service that runs"
            yield watch.attempt(
                1,
                f"100 cents moved between two lines of old entry {shard}/{seq}, {how}",
                "found",
                "rotation of the guard",
            )
    age = attacked.metric(SETTLEMENT, _SCRUBBED)
    say(f"    age of the last full pass after mending: {_SCRUBBED} {age:.1f}")


def _answers(attacked: Attacked) -> bool:
    try:
        return attacked.metric(SETTLEMENT, "pitledger_info") == 1
    except httpx.HTTPError:
        return False


RAISED: Final = "UPDATE wagering_accounts.balances SET available_cents = available_cents + {} WHERE account = '{}'"
_MORE_CENTS: Final = 67_300
_ACCOUNT: Final = "GA-attacked"
_DEPOSITED_CENTS: Final = 82_700
_SEALED: Final = """
    UPDATE table_inventory.sealed_counts SET figures = jsonb_set(figures, '{currency,0,count}', '70') WHERE turn = 1"""
_RECORD: Final = "UPDATE round_settlement.quarantine SET value = '\\x7b7d' WHERE id = (SELECT min(id) {})"
_QUARANTINE: Final = "FROM round_settlement.quarantine"


def rows(floor: Floor) -> Iterator[Attempt]:
    """Raise a balance and cash it out; forge a record in quarantine, and a count under seal."""
    attacked = floor.attacked
    floor.fund(_ACCOUNT, _DEPOSITED_CENTS)
    yield from _raised(floor)
    message = floor.coming(1)[0]
    before = attacked.metric(SETTLEMENT, "pitledger_quarantine_open")
    produce(attacked.servers, "table.events", [raw(event_of(message))])
    eventually(
        lambda: attacked.metric(SETTLEMENT, "pitledger_quarantine_open") > before, because="a record is in quarantine"
    )
    floor.send(message)
    floor.settled()
    yield from _row(
        attacked,
        SETTLEMENT,
        "quarantine",
        _RECORD.format(_QUARANTINE),
        "the bytes of a record in quarantine forged",
    )
    _count(floor)
    floor.settled()
    yield from _row(attacked, INVENTORY, "sealed_counts", _SEALED, "what one person counted altered under seal")


def _raised(floor: Floor) -> Iterator[Attempt]:
    attacked = floor.attacked
    account = f"/accounts/{PROPERTY}/{_ACCOUNT}"
    cash_out = {"instrument": "cash", "cents": _DEPOSITED_CENTS + _MORE_CENTS}
    at_once = Named(
        service=ACCOUNTS,
        stated=AT_ONCE,
        metric=Metric("pitledger_commands_refused_total", {"reason": "not-as-recorded"}, by=1),
        readyz=No("the comparison says it, in the next line"),
        alert="PitledgerCommandNotAsRecorded",
        log="not-as-recorded",
        verify=No("the journal is as it was: `rebuild --check` is asked in the next line"),
    )
    compared = not_projected(ACCOUNTS, f"account {_ACCOUNT}")
    with watching(attacked, compared) as slow:
        with watching(attacked, at_once) as watch, Desks(attacked) as people:
            with attacked.superuser() as connection:
                connection.execute(RAISED.format(_MORE_CENTS, _ACCOUNT).encode())
            desk = people.at(ACCOUNTS, "demo.account_cashier")
            headers = {"idempotency-key": "attack.7"}
            answer = desk.post(f"{account}/cash-outs", json=cash_out, headers=headers)
            refused = answer.status_code == 409 and answer.json()["type"].endswith(":not-as-recorded")
            watch.require(refused, f"the cash-out was answered {answer.status_code}: {answer.text}")
        yield watch.attempt(7, "a balance raised from $827 to $1,500 and cashed out", "refused", "cash-out: 409")
    yield slow.attempt(7, "the same: the row", "found", "comparison of projections")
    with attacked.superuser() as connection:
        connection.execute(RAISED.format(-_MORE_CENTS, _ACCOUNT).encode())


def _row(attacked: Attacked, service: str, table: str, change: str, what: str) -> Iterator[Attempt]:
    named = not_projected(service, f"{table} ")
    with attacked.mended(service):
        with watching(attacked, named) as watch, attacked.superuser() as connection:
            changed = connection.execute(change.encode()).rowcount
            watch.require(changed > 0, "there was nothing to alter")
        yield watch.attempt(7, what, "found", "comparison of projections")


def _count(floor: Floor) -> None:
    """Have one person count a box: what was found is under seal until others have counted it."""
    day = {"property": PROPERTY, "gaming_day": floor.gaming_day.isoformat()}
    box = floor.pit.boxes[0]
    figures: dict[str, Any] = {
        "currency": [{"cents": 10_000, "count": 80}],
        "counter_checks": [],
        "coupons": [],
    }
    with Desks(floor.attacked) as people:
        number = people.does("demo.counter", INVENTORY, "/drop-counts", day)["count"]
        found = {"table": box.table, "exchange": box.exchange, "figures": figures}
        people.does("demo.counter", INVENTORY, f"/drop-counts/{PROPERTY}/{number}/boxes", found)
