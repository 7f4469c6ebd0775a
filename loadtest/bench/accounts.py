"""Measure wager authorizations per second and their latency, compared with single-row UPDATEs in the same run.

  python -m loadtest.bench.accounts --seconds 10 --accounts 200

The benchmark starts its own stack, opens accounts, and measures in turn:

- the baseline: connections that each update and commit a row of their own as fast as possible, and a single one;
- throughput: clients that each send the next authorization once the last is answered;
- latency: authorizations at a constant rate, each measured from its due time to its response.

Then it verifies that each accepted authorization is on hold exactly once, and that `pitledger verify` accepts the
journal. Otherwise the exit code is 1; slowness never fails the run.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from pathlib import Path
from time import perf_counter
from typing import Any, Final
from urllib.parse import urlsplit

import psycopg

from loadtest.bench.authorized import judge_authorized
from loadtest.bench.load import verified
from loadtest.bench.outcome import processors
from loadtest.bench.processes import Family
from loadtest.bench.stack import StackFailed, started_stack, target_of, tokens_of
from loadtest.bench.verdict import Verdict
from loadtest.floor.blackjack import BLACKJACK
from loadtest.floor.games import floor_of
from loadtest.floor.property import property_document
from loadtest.traffic.progress import TooSlow, Watch
from loadtest.traffic.registry import RegistryRefused, file_and_approve
from loadtest.traffic.target import Target

PROPERTY: Final = "loadtest"
TABLE_ACCOUNTS: Final = 6
"""The number of accounts at a table; each authorizes one wager per round."""

_PERCENTILES: Final = (50, 95, 99, 100)
_WARM_UP_SECONDS: Final = 2.0
_PROPERTY_SECONDS: Final = 60.0
_CENTS: Final = 10**11
_WAGER_CENTS: Final = 100


class Failed(Exception):
    """The service gave an unexpected response."""


@dataclass(frozen=True, slots=True)
class Rate:
    """The number of operations, their rate per second, and latencies in milliseconds by percentile (100: maximum)."""

    count: int
    per_second: float
    milliseconds: dict[int, float]

    @classmethod
    def of(cls, seconds: Sequence[float], elapsed: float) -> "Rate":
        """Return the rate of operations from the seconds that each took, and the `elapsed` seconds of all."""
        ordered = sorted(seconds)
        at = {percent: ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] for percent in _PERCENTILES}
        return cls(len(ordered), len(ordered) / elapsed, {percent: 1000 * found for percent, found in at.items()})


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of one run. `accepted` is the total number of authorizations.

    `processor_us` is the CPU time per authorization under full load, in microseconds by process.
    """

    at: str
    cpus: int
    clients: int
    accounts: int
    accepted: int
    asked_per_second: int
    processor_us: dict[str, float]
    throughput: Rate
    latency: Rate
    baseline_alone: Rate
    baseline: Rate

    @property
    def ratio(self) -> float:
        """Return the ratio of authorizations per second to UPDATEs per second, with equally many connections."""
        return self.throughput.per_second / self.baseline.per_second


class Client:
    """A minimal HTTP client with one keep-alive connection, so that most of the CPU time is the service's."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self._host, self._port = parts.hostname, parts.port or 80
        self._head = f"Host: {parts.netloc}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"

    async def connect(self) -> "Client":
        """Open the connection."""
        self._reader, self._writer = await asyncio.open_connection(self._host, self._port)
        return self

    async def post(self, path: str, body: dict[str, Any], key: str) -> tuple[int, bytes]:
        """Send a command; return the status code and the body."""
        content = json.dumps(body)
        self._writer.write(
            f"POST {path} HTTP/1.1\r\n{self._head}Idempotency-Key: {key}\r\nContent-Length: {len(content)}\r\n\r\n"
            f"{content}".encode()
        )
        head = await self._reader.readuntil(b"\r\n\r\n")
        start = head.lower().index(b"content-length:") + len(b"content-length:")
        length = int(head[start : head.index(b"\r\n", start)])
        return int(head[9:12]), await self._reader.readexactly(length)

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()


@dataclass(frozen=True, slots=True)
class Service:
    """Access to a running wagering-accounts service: its URL, its database, and the tokens of a cashier and a table."""

    url: str
    conninfo: str
    cashier_token: str
    table_token: str


def _open_property(target: Target, accounts: int) -> None:
    """File the property document with the tables, and wait until the service has read it."""
    today = datetime.now(UTC).date()
    plans = floor_of(BLACKJACK, -(-accounts // TABLE_ACCOUNTS))
    tables = [replace(plan, name=f"T-{number}") for number, plan in enumerate(plans)]
    file_and_approve(target, [property_document(PROPERTY, tables, today - timedelta(days=1))], [])
    with Watch(target) as watch:
        watch.wait_for_properties(1, seconds=_PROPERTY_SECONDS, schemas=("wagering_accounts",))


async def _prepare(service: Service, accounts: int) -> None:
    """Open the accounts and fund them."""
    client = await Client(service.url, service.cashier_token).connect()
    for number in range(accounts):
        table = f"T-{number // TABLE_ACCOUNTS}"
        opened = {"property": PROPERTY, "account": f"A-{number}", "table": table}
        await accepted(client.post("/accounts", opened, f"open-{number}"))
        money = {"instrument": "cash", "cents": _CENTS}
        await accepted(client.post(f"/accounts/{PROPERTY}/A-{number}/buy-ins", money, f"buy-in-{number}"))
    client.close()


async def accepted(answer: Awaitable[tuple[int, bytes]]) -> None:
    status, body = await answer
    if status not in (200, 201):
        raise Failed(f"the service answered {status}: {body.decode(errors='replace')}")


def _wagers(accounts: int) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield authorizations endlessly as path, body and idempotency key: in each round, one per account."""
    for number in count():
        turn, account = divmod(number, accounts)
        table, seat = divmod(account, TABLE_ACCOUNTS)
        body = {
            "table": f"T-{table}",
            "round_id": f"r-{turn}",
            "seat": seat + 1,
            "wager": "blackjack",
            "cents": _WAGER_CENTS,
        }
        yield f"/accounts/{PROPERTY}/A-{account}/holds", body, f"wager-{number}"


Wagers = Iterator[tuple[str, dict[str, Any], str]]


async def _throughput(clients: Sequence[Client], wagers: Wagers, seconds: float) -> Rate:
    taken: list[float] = []
    started = perf_counter()

    async def work(client: Client) -> None:
        while (begun := perf_counter()) < started + seconds:
            await accepted(client.post(*next(wagers)))
            taken.append(perf_counter() - begun)

    await asyncio.gather(*map(work, clients))
    return Rate.of(taken, perf_counter() - started)


async def _latency(clients: Sequence[Client], wagers: Wagers, per_second: int, seconds: float) -> Rate:
    """Send each authorization at its due time, without waiting for earlier responses; latency includes queueing."""
    taken: list[float] = []
    numbers = iter(range(round(per_second * seconds)))
    started = perf_counter()

    async def work(client: Client) -> None:
        for number in numbers:
            due = started + number / per_second
            if (early := due - perf_counter()) > 0:
                await asyncio.sleep(early)
            await accepted(client.post(*next(wagers)))
            taken.append(perf_counter() - due)

    await asyncio.gather(*map(work, clients))
    return Rate.of(taken, perf_counter() - started)


async def _baseline(conninfo: str, connections: int, seconds: float) -> Rate:
    """Return the rate at which concurrent connections can update and commit rows, each connection its own row."""
    taken: list[float] = []
    owner = await psycopg.AsyncConnection.connect(conninfo, autocommit=True)
    await owner.execute("CREATE TABLE public.loadtest_rows (id int PRIMARY KEY, cents bigint NOT NULL)")
    try:
        await owner.execute(
            "INSERT INTO public.loadtest_rows SELECT g, 0 FROM generate_series(1, %s) g", (connections,)
        )
        opened = [await psycopg.AsyncConnection.connect(conninfo, autocommit=True) for _ in range(connections)]
        started = perf_counter()

        async def work(number: int, connection: psycopg.AsyncConnection) -> None:
            while (begun := perf_counter()) < started + seconds:
                await connection.execute("UPDATE public.loadtest_rows SET cents = cents - 1 WHERE id = %s", (number,))
                taken.append(perf_counter() - begun)

        await asyncio.gather(*(work(number, each) for number, each in enumerate(opened, 1)))
        elapsed = perf_counter() - started
        for each in opened:
            await each.close()
    finally:
        await owner.execute("DROP TABLE public.loadtest_rows")
        await owner.close()
    return Rate.of(taken, elapsed)


async def measure(
    service: Service, family: Family, *, accounts: int, clients: int, per_second: int, seconds: float
) -> Measured:
    """Measure a running service. Raises: Failed."""
    await _prepare(service, accounts)
    alone = await _baseline(service.conninfo, 1, seconds / 2)
    baseline = await _baseline(service.conninfo, clients, seconds / 2)
    connected = [await Client(service.url, service.table_token).connect() for _ in range(clients)]
    wagers = _wagers(accounts)
    await _throughput(connected, wagers, _WARM_UP_SECONDS)
    used = family.used()
    throughput = await _throughput(connected, wagers, seconds)
    used = family.used().since(used)
    latency = await _latency(connected, wagers, per_second, seconds)
    for client in connected:
        client.close()
    _, _, last = next(wagers)  # all wagers before this one were sent and accepted
    return Measured(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        cpus=processors(),
        clients=clients,
        accounts=accounts,
        accepted=int(last.removeprefix("wager-")),
        asked_per_second=per_second,
        processor_us={name: 1e6 * each / throughput.count for name, each in used.processes.items() if each},
        throughput=throughput,
        latency=latency,
        baseline_alone=alone,
        baseline=baseline,
    )


def judged(service: Service, measured: Measured) -> Verdict:
    """Return the verdict on whether exactly the accepted authorizations are on hold, each once."""
    accounts = [path.split("/")[3] for path, _, _ in islice(_wagers(measured.accounts), measured.accounts)]
    verdict, (turns, more) = Verdict(), divmod(measured.accepted, measured.accounts)
    wagers = {account: turns + (number < more) for number, account in enumerate(accounts)}
    judge_authorized(verdict, service.conninfo, PROPERTY, wagers, cents=_WAGER_CENTS, bought_in_cents=_CENTS)
    return verdict


def lines(measured: Measured, verdict: Verdict) -> Iterator[str]:
    """Yield the figures as lines to print."""

    def figure(name: str, rate: Rate, remark: str) -> str:
        waits = ", ".join(f"p{percent} {ms:.1f} ms" for percent, ms in rate.milliseconds.items())
        return f"{name:<12} {rate.per_second:>9,.0f} /s  {remark}: {waits}"

    yield f"{measured.at}, {measured.cpus} processors, {measured.clients} clients, {measured.accounts} accounts"
    yield ""
    yield figure("throughput", measured.throughput, "authorizations, as fast as they are answered")
    yield figure("latency", measured.latency, f"authorizations, {measured.asked_per_second:,} a second asked")
    yield figure("bare UPDATE", measured.baseline, f"one row each, {measured.clients} connections")
    yield figure("", measured.baseline_alone, "one row, one connection")
    yield f"{'ratio':<12} {measured.ratio:>9.1%}     authorizations to bare UPDATEs, {measured.clients} at once"
    yield f"{'processor':<12} {', '.join(f'{name} {us:,.0f}' for name, us in measured.processor_us.items())} µs for one"
    found = "the books are right" if verdict.holds else "WRONG"
    yield f"{'verdict':<12} {measured.accepted:>9,}     authorizations on hold, each once: {found}"
    yield from (f"wrong: {each}" for each in verdict.differences)


def main() -> int:
    """Run the measurement; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.bench.accounts", description=__doc__)
    parser.add_argument("--accounts", type=int, default=600)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--rate", type=int, default=1000, help="authorizations per second while latency is measured")
    parser.add_argument("--seconds", type=float, default=10, help="duration of each measurement, in seconds")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        with started_stack("paytable-registry", "wagering-accounts") as (document, pid):
            tokens, target = tokens_of(document), target_of(document)
            _open_property(target, options.accounts)
            service = Service(
                url=document["services"]["wagering-accounts"],
                conninfo=target.conninfo,
                cashier_token=tokens["demo.account_cashier"],
                table_token=tokens["demo.table_system"],
            )
            measured = asyncio.run(
                measure(
                    service,
                    Family(pid, os.getpid(), logs=Path(document["logs"])),
                    accounts=options.accounts,
                    clients=options.clients,
                    per_second=options.rate,
                    seconds=options.seconds,
                )
            )
            verdict = judged(service, measured)
            verified(document, verdict)
    except (Failed, RegistryRefused, StackFailed, TooSlow) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if options.json:
        sys.stdout.write(
            json.dumps(asdict(measured) | {"ratio": measured.ratio, "verdict": verdict.as_document()}, indent=2) + "\n"
        )
    else:
        sys.stdout.write("".join(f"{line}\n" for line in lines(measured, verdict)))
    return 0 if verdict.holds else 1


if __name__ == "__main__":
    sys.exit(main())
