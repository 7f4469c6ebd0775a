"""The wagering accounts for tests: one process without broker, the people who use it, and settlements to feed it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from typing import Any

import httpx

from services.wagering_accounts import SERVICE
from services.wagering_accounts.processing import Settlements
from services.wagering_accounts.tables import journal
from shared.contracts.accounts import decode
from shared.journal.ledger import Ledger
from shared.journal.verification import Verified, read_shards, verify_shard
from shared.runtime.consume.consumer import Consumer
from shared.runtime.consume.handler import Record
from shared.runtime.database import create_engine
from shared.runtime.metrics import Metrics
from shared.runtime.publish.relay import entry_message
from shared.runtime.service.run import Parts, application
from shared.runtime.settings import Settings
from shared.runtime.web.access import Caller, token_hash
from tests.support.asgi import AppClient
from tests.support.rounds import encoded
from tests.support.services import query

PROPERTY = "riverside"
TABLE = "BJ-01"
NOON = datetime(2026, 11, 20, 17, tzinfo=UTC)  # at the place
DAY = "2026-11-20"
CODE = "4711-kiwi"

ROLES = {
    "cage.ann": ["accounts", "report"],
    "table.bj01": ["wager"],
    "audit.kim": ["adjust", "adjust-approve", "report"],
    "audit.lee": ["adjust", "adjust-approve", "report"],
    "care.joy": ["exclude", "report"],
}
CALLERS = [
    Caller(person=person, token_sha256=token_hash(f"token of {person}"), roles=frozenset(roles))
    for person, roles in ROLES.items()
]


class Clock:
    """Shows the moment that it was set to."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


class House:
    """One process of the wagering accounts, who uses it, and a partition of `settlements`."""

    def __init__(self, url: str, client: AppClient, parts: Parts, clock: Clock) -> None:
        self.url = url
        self.client = client
        self.clock = clock
        self.parts = parts
        self._keys = count(1)
        self._offsets = count(0)
        self._results = Results()
        self._consumer: Consumer | None = None

    # --- commands ---

    def send(self, path: str, body: Any = None, *, person: str = "cage.ann", key: str | None = None) -> httpx.Response:
        """Sends a command, under a key of its own unless one is given."""
        headers = {
            "Authorization": f"Bearer token of {person}",
            "Idempotency-Key": key or f"{id(self)}-{next(self._keys)}",
        }
        return self.client.post(path, json=body, headers=headers)

    def read(self, path: str, *, person: str = "cage.ann", **arguments: Any) -> httpx.Response:
        """Reads something."""
        headers = {"Authorization": f"Bearer token of {person}"} | arguments.pop("headers", {})
        return self.client.get(path, headers=headers, **arguments)

    def open(self, account: str = "GA-1", *, patron: str | None = None, table: str = TABLE) -> httpx.Response:
        """Opens a game account."""
        body = {"property": PROPERTY, "account": account, "table": table}
        return self.send("/accounts", body if patron is None else body | {"patron": patron})

    def register(self, patron: str = "p-1", wallet: str = "W-1", *, code: str = CODE) -> httpx.Response:
        """Registers a patron."""
        return self.send("/patrons", {"property": PROPERTY, "patron": patron, "wallet": wallet, "access_code": code})

    def buy_in(self, cents: int, account: str = "GA-1", instrument: str = "cash", **more: Any) -> httpx.Response:
        """Brings money."""
        key = more.pop("key", None)
        body = {"instrument": instrument, "cents": cents} | more
        return self.send(f"/accounts/{PROPERTY}/{account}/buy-ins", body, key=key)

    def cash_out(
        self, cents: int | None = None, account: str = "GA-1", instrument: str = "cash", **more: Any
    ) -> httpx.Response:
        """Takes money."""
        key = more.pop("key", None)
        body: dict[str, Any] = {"instrument": instrument} | more
        return self.send(
            f"/accounts/{PROPERTY}/{account}/cash-outs", body if cents is None else body | {"cents": cents}, key=key
        )

    def authorize(
        self, cents: int, account: str = "GA-1", *, round_id: str = "r-1", key: str | None = None, **more: Any
    ) -> httpx.Response:
        """Places a hold, of seat 1 on Blackjack unless said otherwise."""
        body = {"table": TABLE, "round_id": round_id, "seat": 1, "wager": "blackjack", "cents": cents} | more
        return self.send(f"/accounts/{PROPERTY}/{account}/holds", body, person="table.bj01", key=key)

    def capture(self, round_id: str = "r-1", *, key: str | None = None) -> httpx.Response:
        """No more bets."""
        body = {"property": PROPERTY, "table": TABLE, "round_id": round_id}
        return self.send("/captures", body, person="table.bj01", key=key)

    def release(self, hold: int, account: str = "GA-1") -> httpx.Response:
        """Takes a wager back."""
        path = f"/accounts/{PROPERTY}/{account}/holds/{hold}/release"
        return self.send(path, {"reason": "the player changed his mind"}, person="table.bj01")

    def funded(self, account: str = "GA-1", cents: int = 10_000) -> None:
        """An account with money in it."""
        assert 201 == self.open(account).status_code
        assert 200 == self.buy_in(cents, account).status_code

    # --- settlements ---

    def result(self, kind: str, round_id: str = "r-1", *parts: Mapping[str, Any], revision: int = 1) -> dict[str, Any]:
        """An entry of round settlement, the next of its shard. `parts` come from `credit`."""
        return self._results.entry(kind, round_id, *parts, revision=revision)

    def take(self, *events: Mapping[str, Any]) -> None:
        """Lets the service take settlements, in this order."""
        records = [Record("settlements", 0, next(self._offsets), b"key", encoded(event), NOON) for event in events]

        async def handle() -> None:
            if self._consumer is None:
                self._consumer = Consumer(
                    processor=Settlements(),
                    ledger=self.parts.ledger,
                    engine=self.parts.engine,
                    metrics=self.parts.metrics,
                    clock=self.clock,
                    cluster_id="test",
                    retry_seconds_max=30,
                )
                await self._consumer.assigned([0])
            assert {} == await self._consumer.handle(records)

        self.client.run(handle())

    def settle(self, staked: int, credited: int, account: str = "GA-1", *, round_id: str = "r-1") -> None:
        """The first result of a round, of seat 1 on Blackjack."""
        self.take(self.result("settlement.posted", round_id, credit(staked, credited, account)))

    # --- what stands ---

    def account(self, account: str = "GA-1") -> tuple[int, int, int]:
        """Cents that are available, on hold, in play."""
        found = self.read(f"/accounts/{PROPERTY}/{account}").json()
        return found["available_cents"], found["held_cents"], found["staked_cents"]

    def kinds(self) -> list[str]:
        """The kinds of all entries, shard by shard."""
        return [row[0] for row in query(self.url, "SELECT kind FROM wagering_accounts.entries ORDER BY shard, seq")]

    def check(self) -> None:
        """Every identity of the books holds, the journal verifies, and every entry keeps to its contract."""
        assert [] == self.client.run(self._problems())
        for name, statement in IDENTITIES.items():
            assert [] == query(self.url, statement), name
        assert "balanced" == self.read(f"/liability?property={PROPERTY}").json()["state"]
        for row in query(self.url, ENTRIES):
            decode(entry_message("/wagering-accounts/shards/1", 1, _Row(*row)))

    async def _problems(self) -> Sequence[Any]:
        async with self.parts.engine.connect() as connection:
            return [
                problem
                for shard in await read_shards(connection, journal)
                async for problem in verify_shard(connection, journal, shard, Verified(shard.name))
            ]


class _Row:
    """An entry as the relay reads it."""

    def __init__(self, *values: Any) -> None:
        names = ("seq", "kind", "source", "occurred_at", "recorded_at", "hash", "data")
        self.__dict__.update(zip(names, values, strict=True))


class Results:
    """A shard of the settlement journal: makes its entries, about the rounds of one table."""

    def __init__(self, number: int = 1, table: str = TABLE) -> None:
        self.source = f"/round-settlement/shards/{number}"
        self._number = number
        self._table = table
        self._sequences = count(1)

    def entry(self, kind: str, round_id: str, *parts: Mapping[str, Any], revision: int = 1) -> dict[str, Any]:
        """The next entry, with what the wagers of accounts did as `credit` says it."""
        data: dict[str, Any] = {
            "property": PROPERTY,
            "table": self._table,
            "game": "blackjack",
            "gaming_day": DAY,
            "round_id": round_id,
        }
        if kind != "settlement.voided":
            sign = -1 if kind == "settlement.reversed" else 1
            data |= {
                "revision": revision,
                "account_credits": [
                    {**one, "staked": sign * one["staked"], "credited": sign * one["credited"]} for one in parts
                ],
            }
        sequence = next(self._sequences)
        return {
            "specversion": "1.0",
            "id": f"{self._number}-{sequence}",
            "source": self.source,
            "type": kind,
            "time": NOON.isoformat(),
            "sequence": sequence,
            "data": data,
        }


def credit(
    staked: int, credited: int, account: str = "GA-1", *, seat: int = 1, wager: str = "blackjack"
) -> dict[str, Any]:
    """What a wager did on an account."""
    return {"account": account, "seat": seat, "wager": wager, "staked": staked, "credited": credited}


ENTRIES = """
    SELECT seq, kind, source, occurred_at, recorded_at, encode(hash, 'hex'), data::text
    FROM wagering_accounts.entries ORDER BY shard, seq"""

IDENTITIES = {
    "the control accounts are the sums of the accounts": """
        SELECT * FROM (
            SELECT a.property, a."table", a.leg, -sum(p.cents) AS cents
            FROM wagering_accounts.postings p JOIN wagering_accounts.accounts a USING (account)
            WHERE a.leg IN ('wallet', 'available', 'held', 'staked') GROUP BY 1, 2, 3 HAVING sum(p.cents) <> 0) ledger
        FULL JOIN (
            SELECT property, table_name AS "table", leg, sum(cents) AS cents
            FROM wagering_accounts.balances, LATERAL (VALUES
                (CASE kind WHEN 'wallet' THEN 'wallet' ELSE 'available' END, available), ('held', held),
                ('staked', staked)) AS v (leg, cents)
            GROUP BY 1, 2, 3 HAVING sum(cents) <> 0) subsidiary USING (property, "table", leg)
        WHERE ledger.cents IS DISTINCT FROM subsidiary.cents""",
    "what is on hold and in play are the holds": """
        SELECT * FROM wagering_accounts.balances a LEFT JOIN (
            SELECT property, account, coalesce(sum(cents) FILTER (WHERE state = 'held'), 0) AS held,
                   coalesce(sum(cents) FILTER (WHERE state = 'captured'), 0) AS staked
            FROM wagering_accounts.holds GROUP BY 1, 2) h USING (property, account)
        WHERE a.held <> coalesce(h.held, 0) OR a.staked <> coalesce(h.staked, 0)""",
    "a statement ends with what is there": """
        SELECT * FROM wagering_accounts.balances a JOIN (
            SELECT property, account, sum(available_change) AS available, sum(held_change) AS held,
                   sum(staked_change) AS staked
            FROM wagering_accounts.lines GROUP BY 1, 2) l USING (property, account)
        WHERE (a.available, a.held, a.staked) <> (l.available, l.held, l.staked)""",
    "each line goes on from the line before": """
        SELECT * FROM (
            SELECT *, lag(available, 1, 0::bigint) OVER w AS a, lag(held, 1, 0::bigint) OVER w AS h,
                   lag(staked, 1, 0::bigint) OVER w AS s
            FROM wagering_accounts.lines WINDOW w AS (PARTITION BY property, account ORDER BY version)) l
        WHERE (a + available_change, h + held_change, s + staked_change) <> (available, held, staked)""",
    "shortages are those of the rounds": """
        SELECT * FROM (SELECT coalesce(sum(shortage), 0) AS cents FROM wagering_accounts.round_accounts) r,
            (SELECT coalesce(sum(p.cents), 0) AS cents FROM wagering_accounts.postings p
             JOIN wagering_accounts.accounts a USING (account) WHERE a.leg = 'shortage') l
        WHERE r.cents <> l.cents""",
}
"""What must hold in every state: each query finds what does not."""


@contextmanager
def a_house(url: str) -> Iterator[House]:
    """A process of the wagering accounts on a database, without the relay."""
    clock, metrics = Clock(), Metrics()
    engine = create_engine(url, role="wagering_accounts")
    parts = Parts(Settings(), engine, Ledger(journal), metrics, clock, lambda: None)
    app = application(SERVICE, parts, callers=CALLERS)
    with AppClient(app) as client:
        yield House(url, client, parts, clock)
        client.run(engine.dispose())
