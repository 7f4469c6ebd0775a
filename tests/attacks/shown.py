"""Point 14: what somebody approves is altered between showing and approving."""

from collections.abc import Iterator
from typing import Final
from uuid import uuid4

import httpx

from services.cli.demo.pit import ACCOUNTS
from services.cli.subjects import HASH
from tests.attacks.floor import PROPERTY, Desks, Floor
from tests.attacks.naming import at_the_door, not_projected
from tests.attacks.outcome import Attempt
from tests.attacks.pace import A_COMPARISON
from tests.attacks.watching import Metric, No, watching

_ACCOUNT: Final = "GA-shown"
_ENTERED_CENTS: Final = 100
_RAISED_CENTS: Final = 100_000
_NOT_AS_SHOWN: Final = "not-as-shown"
_ALTER: Final = "UPDATE wagering_accounts.adjustments SET cents = {} WHERE account = 'GA-shown'"


def approvals(floor: Floor) -> Iterator[Attempt]:
    """Enter an adjustment, show it, raise it in the database, and approve what was shown."""
    attacked = floor.attacked
    floor.fund(_ACCOUNT, _RAISED_CENTS)
    path = f"/accounts/{PROPERTY}/{_ACCOUNT}/adjustments"
    at_once = at_the_door(
        ACCOUNTS,
        Metric("pitledger_commands_refused_total", {"reason": _NOT_AS_SHOWN}, by=1),
        readyz="the comparison says it, in the next line",
        alert=No("no alert: the refusal is an entry of the journal; the row is found in the next line"),
        log=No("no log line: the refusal is an entry of the journal, with the name"),
    )
    with watching(attacked, not_projected(ACCOUNTS, "adjustments ")) as slow, Desks(attacked) as people:
        entered = people.does("demo.adjuster", ACCOUNTS, path, {"cents": _ENTERED_CENTS, "reason": "counted again"})
        path = f"{path}/{entered['adjustment']}"
        desk = people.at(ACCOUNTS, "demo.adjustment_approver")
        shown = desk.read(path)["sha256"]
        slow.strike()
        with watching(attacked, at_once) as watch:
            with attacked.superuser() as connection:
                connection.execute(_ALTER.format(_RAISED_CENTS).encode())
            unnamed, named = (_approve(desk, path, body) for body in ({}, {HASH: shown}))
            watch.require(unnamed.status_code == 422, f"without a hash: {unnamed.status_code} {unnamed.text}")
            is_refused = named.status_code == 409 and named.json()["type"].endswith(_NOT_AS_SHOWN)
            watch.require(is_refused, f"with the hash of what was shown: {named.status_code} {named.text}")
        what = "an adjustment raised between showing and approving: by its hash, and by none"
        yield watch.attempt(14, what, "refused", "approval: 409 not-as-shown, 422")
    yield slow.attempt(14, "the same: the row", "found", "comparison of projections")
    with attacked.superuser() as connection:
        connection.execute(_ALTER.format(_ENTERED_CENTS).encode())
    with Desks(attacked) as people:
        people.does("demo.adjustment_approver", ACCOUNTS, f"{path}/approve")
    attacked.wait_until_ready(ACCOUNTS, seconds=A_COMPARISON[1])


def _approve(desk: httpx.Client, path: str, body: dict[str, str]) -> httpx.Response:
    return desk.post(f"{path}/approve", json=body, headers={"idempotency-key": f"attack.14.{uuid4()}"})
