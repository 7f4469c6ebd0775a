"""The wagering accounts for tests: one process without broker, the people who use it, and settlements to feed it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Final

import httpx

from services.wagering_accounts.manifest import MANIFEST
from services.wagering_accounts.tables import AMOUNTS, CHANGES
from tests.support.desk import Desk, desk_of
from tests.support.properties import property_event
from tests.support.published import published
from tests.support.services import query

PROPERTY = "riverside"
IDENTITY: Final[dict[str, Any]] = {
    "last_name": "Oakhurst-Vane",
    "first_name": "Wilhelmina",
    "date_of_birth": "1971-02-03",
    "street": "17 Gooseberry Lane",
    "city": "Scranton",
    "state_code": "PA",
    "postal_code": "18503",
    "country": "US",
    "taxpayer_number": "900551234",
    "taxpayer_number_kind": "itin",
    "document": {"kind": "drivers_license", "number": "98765432", "issuing_state": "PA", "issuing_country": "US"},
    "occupation": "glass blower",
}
"""Who a patron is, as `POST /patrons/{property}/{patron}/identity` takes it."""
SOMEBODY_ELSE: Final = IDENTITY | {
    "taxpayer_number": "900551235",
    "document": IDENTITY["document"] | {"number": "98765433"},
}
"""Who another patron is, of the same name."""
TABLE = "BJ-01"
NOON = datetime(2026, 11, 20, 17, tzinfo=UTC)  # at the place
DAY = "2026-11-20"
CODE = "4711-kiwi"

ROLES = {
    "cage.ann": ["accounts.manage", "reports.read"],
    "table.bj01": ["accounts.wager"],
    "audit.kim": ["accounts.adjust", "accounts.adjust.approve", "reports.read"],
    "audit.lee": ["accounts.adjust", "accounts.adjust.approve", "reports.read"],
    "care.joy": ["accounts.erase", "accounts.exclude"],
    "care.max": ["accounts.erase.approve"],
    "care.una": ["accounts.erase", "accounts.erase.approve", "patrons.report"],
    "host.mo": ["accounts.promote"],
    "title31.eve": ["filings.prepare", "patrons.report"],
    "title31.sam": ["filings.prepare.approve", "patrons.report"],
    "Title31.Eve": ["filings.prepare", "filings.prepare.approve"],
}


class Clock:
    """Shows the moment that it was set to."""

    def __init__(self, after: timedelta = timedelta()) -> None:
        self.now = NOON + after

    def __call__(self) -> datetime:
        """Return the moment."""
        return self.now


class House:
    """One process of the wagering accounts, who uses it, and a partition of `settlements`."""

    def __init__(self, url: str, desk: Desk, clock: Clock) -> None:
        self.url = url
        self.desk = desk
        self.client = desk.client
        self.clock = clock
        self._keys = count(1)
        self._results = Results()

    # --- commands ---

    def send(self, path: str, body: Any = None, *, person: str = "cage.ann", key: str | None = None) -> httpx.Response:
        """Send a command, under a key of its own unless one is given."""
        return self.desk.post(path, body, person=person, key=key or f"{id(self)}-{next(self._keys)}")

    def read(self, path: str, *, person: str = "cage.ann", **headers: str) -> httpx.Response:
        """Read something."""
        return self.desk.get(path, person=person, **headers)

    def open(self, account: str = "GA-1", *, patron: str | None = None, table: str = TABLE) -> httpx.Response:
        """Open a game account."""
        body = {"property": PROPERTY, "account": account, "table": table}
        return self.send("/accounts", body if patron is None else body | {"patron": patron})

    def register(self, patron: str = "p-1", wallet: str = "W-1", *, code: str = CODE) -> httpx.Response:
        """Register a patron."""
        return self.send("/patrons", {"property": PROPERTY, "patron": patron, "wallet": wallet, "access_code": code})

    def buy_in(self, cents: int, account: str = "GA-1", instrument: str = "cash", **more: Any) -> httpx.Response:
        """Bring money."""
        key = more.pop("key", None)
        body = {"instrument": instrument, "cents": cents} | more
        return self.send(f"/accounts/{PROPERTY}/{account}/buy-ins", body, key=key)

    def cash_out(
        self, cents: int | None = None, account: str = "GA-1", instrument: str = "cash", **more: Any
    ) -> httpx.Response:
        """Take money."""
        key = more.pop("key", None)
        body: dict[str, Any] = {"instrument": instrument} | more
        return self.send(
            f"/accounts/{PROPERTY}/{account}/cash-outs", body if cents is None else body | {"cents": cents}, key=key
        )

    def authorize(
        self, cents: int, account: str = "GA-1", *, round_id: str = "r-1", key: str | None = None, **more: Any
    ) -> httpx.Response:
        """Place a hold, of seat 1 on Blackjack unless said otherwise."""
        body = {"table": TABLE, "round_id": round_id, "seat": 1, "wager": "blackjack", "cents": cents} | more
        return self.send(f"/accounts/{PROPERTY}/{account}/holds", body, person="table.bj01", key=key)

    def capture(self, round_id: str = "r-1", *, key: str | None = None) -> httpx.Response:
        """Say "no more bets"."""
        body = {"property": PROPERTY, "table": TABLE, "round_id": round_id}
        return self.send("/captures", body, person="table.bj01", key=key)

    def release(self, hold: int, account: str = "GA-1") -> httpx.Response:
        """Take a wager back."""
        path = f"/accounts/{PROPERTY}/{account}/holds/{hold}/release"
        return self.send(path, {"reason": "the player changed his mind"}, person="table.bj01")

    def promote(self, cents: int, account: str = "GA-1", **more: Any) -> httpx.Response:
        """Grant promotional money."""
        path = f"/accounts/{PROPERTY}/{account}/promotional-money"
        return self.send(path, {"cents": cents, "reason": "welcome"} | more, person="host.mo")

    def funded(self, account: str = "GA-1", cents: int = 10_000) -> None:
        """Open an account with money in it."""
        assert 201 == self.open(account).status_code
        assert 200 == self.buy_in(cents, account).status_code

    # --- settlements ---

    def result(self, kind: str, round_id: str = "r-1", *parts: Mapping[str, Any], revision: int = 1) -> dict[str, Any]:
        """Return an entry of round settlement, the next of its shard. `parts` come from `credit`."""
        return self._results.entry(kind, round_id, *parts, revision=revision)

    def take(self, *events: Mapping[str, Any]) -> None:
        """Let the service take settlements, in this order."""
        self.desk.feed("settlements", *events)

    def settle(self, staked: int, credited: int, account: str = "GA-1", *, round_id: str = "r-1") -> None:
        """Settle a round for the first time, for seat 1 on Blackjack."""
        self.take(self.result("settlement.posted", round_id, credit(staked, credited, account)))

    # --- the books ---

    def account(self, account: str = "GA-1") -> tuple[int, int, int]:
        """Return the cents that are available, on hold, in play."""
        found = self.read(f"/accounts/{PROPERTY}/{account}").json()
        return found["available_cents"], found["held_cents"], found["staked_cents"]

    def promotional(self, account: str = "GA-1") -> tuple[int, int, int]:
        """Return the cents of promotional money that are available, on hold, in play."""
        found = self.read(f"/accounts/{PROPERTY}/{account}").json()
        return found["promotional_cents"], found["promotional_held_cents"], found["promotional_staked_cents"]

    def uncovered(self) -> list[tuple[int, int, int]]:
        """Return the cents on hold, beyond the holds and short of rounds that took too much or could not give back."""
        rows = query(
            self.url,
            """SELECT covered_cents, greatest(staked_cents - covered_cents, 0), shortage_cents
               FROM wagering_accounts.round_accounts WHERE shortage_cents > 0 OR staked_cents > covered_cents""",
        )
        return [(covered, beyond, short) for covered, beyond, short in rows]

    def open_rounds(self) -> list[dict[str, Any]]:
        """Return the rounds whose result is not known."""
        found: list[dict[str, Any]] = self.read(f"/open-rounds?property={PROPERTY}").json()["items"]
        return found

    def kinds(self) -> list[str]:
        """Return the kinds of all entries, shard by shard."""
        return [row[0] for row in query(self.url, "SELECT kind FROM wagering_accounts.entries ORDER BY shard, seq")]

    def check(self) -> None:
        """Assert that every identity of the books holds, the journal verifies, and every entry is as its contract."""
        assert len(self.desk.entries()) == len(self.desk.facts())
        for name, statement in IDENTITIES.items():
            assert [] == query(self.url, statement), name


class Results:
    """A shard of the settlement journal: makes its entries, about the rounds of one table."""

    def __init__(self, number: int = 1, table: str = TABLE) -> None:
        self.source = f"/round-settlement/shards/{number}"
        self._number = number
        self._table = table
        self._sequences = count(1)

    def entry(self, kind: str, round_id: str, *parts: Mapping[str, Any], revision: int = 1) -> dict[str, Any]:
        """Return the next entry, with what the wagers of accounts did as `credit` says it."""
        data: dict[str, Any] = {
            "property": PROPERTY,
            "table": self._table,
            "game": "blackjack",
            "gaming_day": DAY,
            "round_id": round_id,
        }
        if kind != "settlement.voided":
            sign = -1 if kind == "settlement.reversed" else 1
            taken = ("staked_cents", "credited_cents")
            data |= {
                "revision": revision,
                "account_credits": [{**one, **{name: sign * one[name] for name in taken}} for one in parts],
            }
        return published(
            kind,
            data,
            service="round-settlement",
            sequence=next(self._sequences),
            at=NOON,
            shard=self._number,
        )


def credit(
    staked: int, credited: int, account: str = "GA-1", *, seat: int = 1, wager: str = "blackjack"
) -> dict[str, Any]:
    """Return what a wager did on an account."""
    return {"account": account, "seat": seat, "wager": wager, "staked_cents": staked, "credited_cents": credited}


_AMOUNTS = list(zip(AMOUNTS, CHANGES, strict=True))

IDENTITIES = {
    "the control accounts are the sums of the accounts": """
        SELECT * FROM (
            SELECT a.property, a."table", a.leg, -sum(p.cents) AS cents
            FROM wagering_accounts.postings p JOIN wagering_accounts.accounts a USING (account)
            WHERE a.leg IN ('wallet', 'available', 'held', 'staked') OR a.leg IN
                  ('promotional', 'promotional_held', 'promotional_staked')
            GROUP BY 1, 2, 3 HAVING sum(p.cents) <> 0) ledger
        FULL JOIN (
            SELECT property, "table", leg, sum(cents) AS cents
            FROM wagering_accounts.balances, LATERAL (VALUES
                (CASE kind WHEN 'wallet' THEN 'wallet' ELSE 'available' END, available_cents), ('held', held_cents),
                ('staked', staked_cents), ('promotional', promotional_cents),
                ('promotional_held', promotional_held_cents), ('promotional_staked', promotional_staked_cents)
                ) AS v (leg, cents)
            GROUP BY 1, 2, 3 HAVING sum(cents) <> 0) subsidiary USING (property, "table", leg)
        WHERE ledger.cents IS DISTINCT FROM subsidiary.cents""",
    "what is on hold and in play are the holds": """
        SELECT * FROM wagering_accounts.balances a LEFT JOIN (
            SELECT property, account, sum(cents - promotional_cents) FILTER (WHERE status = 'held') AS held,
                   sum(cents - promotional_cents) FILTER (WHERE status = 'captured') AS staked,
                   sum(promotional_cents) FILTER (WHERE status = 'held') AS promotional_held,
                   sum(promotional_cents) FILTER (WHERE status = 'captured') AS promotional_staked
            FROM wagering_accounts.holds GROUP BY 1, 2) h USING (property, account)
        WHERE a.held_cents <> coalesce(h.held, 0) OR a.staked_cents <> coalesce(h.staked, 0)
           OR a.promotional_held_cents <> coalesce(h.promotional_held, 0)
           OR a.promotional_staked_cents <> coalesce(h.promotional_staked, 0)""",
    "a statement ends with what is there": f"""
        SELECT * FROM wagering_accounts.balances a JOIN (
            SELECT property, account, {", ".join(f"sum({change}) AS {name}_there" for name, change in _AMOUNTS)}
            FROM wagering_accounts.lines GROUP BY 1, 2) l USING (property, account)
        WHERE ({", ".join(f"a.{name}" for name, _ in _AMOUNTS)})
           <> ({", ".join(f"l.{name}_there" for name, _ in _AMOUNTS)})""",
    "each line goes on from the line before": f"""
        SELECT * FROM (
            SELECT *, {", ".join(f"lag({name}, 1, 0::bigint) OVER w AS {name}_before" for name, _ in _AMOUNTS)}
            FROM wagering_accounts.lines WINDOW w AS (PARTITION BY property, account ORDER BY version)) l
        WHERE ({", ".join(f"{name}_before + {change}" for name, change in _AMOUNTS)})
           <> ({", ".join(name for name, _ in _AMOUNTS)})""",
    "shortages are those of the rounds": """
        SELECT * FROM (SELECT coalesce(sum(shortage_cents), 0) AS cents FROM wagering_accounts.round_accounts) r,
            (SELECT coalesce(sum(p.cents), 0) AS cents FROM wagering_accounts.postings p
             JOIN wagering_accounts.accounts a USING (account) WHERE a.leg = 'shortage') l
        WHERE r.cents <> l.cents""",
}
"""What must hold in every state: each query finds what does not."""


@contextmanager
def a_house(url: str, clock: Clock | None = None, **options: Any) -> Iterator[House]:
    """Give a process of the wagering accounts on a database, without the relay; it knows the property.

    The options are those of `desk_of`.
    """
    clock = clock or Clock()
    with desk_of(MANIFEST, url, people=ROLES, clock=clock, **options) as desk:
        if not query(url, "SELECT FROM wagering_accounts.properties"):
            desk.feed("properties", property_event())
        yield House(url, desk, clock)
