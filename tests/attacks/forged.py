"""Point 8: well-formed fraudulent entries, appended by a superuser: hash, chain, head and balance are all right."""

import json
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final

from services.cli.demo.pit import ACCOUNTS, REPORTING
from shared.journal.entry import EntryDraft, Posting
from tests.attacks.altered import RAISED, SETTLEMENT
from tests.attacks.floor import PROPERTY, Desks, Floor
from tests.attacks.forging import appended, removed
from tests.attacks.naming import not_verified
from tests.attacks.outcome import Attempt
from tests.attacks.pace import A_DERIVATION
from tests.attacks.watching import Metric, Named, Says, watching

_ACCOUNT: Final = "GA-forged"
_CENTS: Final = 100_000
_INVENTED: Final = "invented-by-a-superuser"
_COUNTED: Final = f"SELECT count(*) FROM reporting.rounds WHERE round_id = '{_INVENTED}'"


def entries(floor: Floor) -> Iterator[Attempt]:
    """Append a deposit that nobody made, and a whole round that nobody played."""
    yield from _deposit(floor)
    yield from _round(floor)


def _deposit(floor: Floor) -> Iterator[Attempt]:
    attacked = floor.attacked
    floor.fund(_ACCOUNT, 1_000)
    floor.settled()
    named = not_verified(ACCOUNTS, Says(("verify", "--service", ACCOUNTS), 1, "did not sign"))

    def more(last: EntryDraft) -> dict[str, Any]:
        return {
            "sequence": last.sequence + 1,
            "event_id": "forged",
            "record_hash": sha256(b"a command that nobody sent").digest(),  # that of another is refused by its index
            "postings": tuple(Posting(account, cents * 100) for account, cents in last.postings),
        }

    with watching(attacked, named) as watch, Desks(attacked) as people:
        stood = appended(attacked.superuser_url, ACCOUNTS, "account.bought_in", more)
        with attacked.superuser() as connection:
            connection.execute(RAISED.format(_CENTS - 1_000, _ACCOUNT).encode())
        desk = people.at(ACCOUNTS, "demo.account_cashier")
        path, headers = f"/accounts/{PROPERTY}/{_ACCOUNT}/cash-outs", {"idempotency-key": "attack.8"}
        answer = desk.post(path, json={"instrument": "cash", "cents": _CENTS}, headers=headers)
        watch.require(answer.status_code == 409, f"the cash-out was answered {answer.status_code}: {answer.text}")
    yield watch.attempt(
        8,
        "a deposit of nobody's appended, its balance raised, and cashed out",
        "found",
        "the seal of its shard; cash-out 409",
    )
    removed(attacked.superuser_url, ACCOUNTS, stood)
    with attacked.superuser() as connection:
        connection.execute(RAISED.format(1_000 - _CENTS, _ACCOUNT).encode())
    attacked.kill(ACCOUNTS)


def _round(floor: Floor) -> Iterator[Attempt]:
    attacked = floor.attacked
    floor.settled()

    def invented(last: EntryDraft) -> dict[str, Any]:
        data = json.loads(last.data) | {"round_id": _INVENTED}
        return {
            "sequence": last.sequence + 1,
            "event_id": "invented",
            "offset": (last.offset or 0) + 1,
            "occurred_at": last.occurred_at + timedelta(seconds=1),
            "data": json.dumps(data).encode(),
        }

    sealed = not_verified(SETTLEMENT, Says(("verify",), 1, "did not sign"))
    derived = Named(
        service=SETTLEMENT,
        stated=A_DERIVATION,
        metric=Metric("pitledger_rederivation_problems", by=1),
        readyz="503 derivation:",
        alert="PitledgerDerivationFailed",
        log="re-derivation mismatch",
        verify=Says(("verify", "--rederive", "--service", SETTLEMENT), 1, "follows from no record"),
    )
    with watching(attacked, derived) as slow:
        with watching(attacked, sealed) as watch:
            stood = appended(attacked.superuser_url, SETTLEMENT, "settlement.posted", invented)
        yield watch.attempt(
            8, "a whole round that nobody played appended to the journal", "found", "the seal of its shard"
        )
    counted = attacked.rows(_COUNTED)
    slow.require(counted == [(0,)], f"{REPORTING} has counted the round that nobody played")
    yield slow.attempt(8, "the same, derived again from the topics", "found", "derivation")
    removed(attacked.superuser_url, SETTLEMENT, stood)
    attacked.kill(SETTLEMENT)
