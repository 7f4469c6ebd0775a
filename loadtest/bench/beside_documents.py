"""Measure the latency of money commands while reporting produces its largest documents, compared with an idle stack.

  python -m loadtest.bench.beside_documents --tables 400 --rounds 20000

`pitledger demo` plays a day through every service and keeps running. Then a cashier's buy-ins are sent at a constant
rate, each measured from its due time to its response, in alternating windows: without documents, and while readers
repeatedly request the settled win in every format. Printed are p50 and p99 of both kinds of window, the ratio of
their p99, and how many documents were produced and refused. The exit code is 1 if a command was refused or the books
of the day are wrong; slowness never fails the run.
"""

import argparse
import asyncio
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter
from typing import Any, Final

import httpx

from loadtest.bench.accounts import Client, Failed, Rate, accepted
from loadtest.bench.stack import StackFailed, started, tokens_of

READERS: Final = 4
"""The number of concurrent readers.

A reporting process produces only a few documents at a time, and refuses other requests with Retry-After.
"""

_FORMATS: Final = ("pdf", "xlsx", "json", "csv", "parquet")
_REPORT: Final = "/reports/win-as-settled"
_CLIENTS: Final = 32
_CENTS: Final = 100
_SECONDS_MAX: Final = 600.0


@dataclass
class Window:
    """The results of one kind of measurement window: buy-in latencies in seconds, and counts of report status codes."""

    taken: list[float] = field(default_factory=list)
    seconds: float = 0.0
    answers: Counter[int] = field(default_factory=Counter)


class Cashier:
    """Sends buy-ins to one account at a constant rate. Raises: Failed if one is refused."""

    def __init__(self, url: str, token: str, property_name: str, account: str) -> None:
        self._url, self._token = url, token
        self._property, self._account = property_name, account
        self._numbers = count()

    async def open(self, table: str) -> None:
        """Open the account."""
        client = await Client(self._url, self._token).connect()
        opened = {"property": self._property, "account": self._account, "table": table}
        await accepted(client.post("/accounts", opened, f"open-{self._account}"))
        client.close()

    async def work(self, window: Window, per_second: float, seconds: float) -> None:
        """Send a window's buy-ins, and add their latencies to the window."""
        clients = [await Client(self._url, self._token).connect() for _ in range(_CLIENTS)]
        turns = iter(range(round(per_second * seconds)))
        begun = perf_counter()

        async def send(client: Client) -> None:
            for turn in turns:
                due = begun + turn / per_second
                if (early := due - perf_counter()) > 0:
                    await asyncio.sleep(early)
                path = f"/accounts/{self._property}/{self._account}/buy-ins"
                money = {"instrument": "cash", "cents": _CENTS}
                await accepted(client.post(path, money, f"{self._account}-{next(self._numbers)}"))
                window.taken.append(perf_counter() - due)

        await asyncio.gather(*map(send, clients))
        window.seconds += perf_counter() - begun
        for client in clients:
            client.close()


async def _read(reporting: httpx.AsyncClient, wanted: dict[str, str], window: Window, number: int) -> None:
    """Request one document after the other until cancelled, obeying the service's Retry-After."""
    for turn in count(number):
        answer = await reporting.get(_REPORT, params=wanted | {"as": _FORMATS[turn % len(_FORMATS)]})
        window.answers[answer.status_code] += 1
        await asyncio.sleep(float(answer.headers.get("retry-after", 0)))


async def measured(
    day: dict[str, Any], tokens: Mapping[str, str], per_second: float, seconds: float, turns: int
) -> tuple[Window, Window]:
    """Return the results of the windows without and with concurrent documents. Raises: Failed."""
    stack = day["stack"]
    property_name, table = day["property"], day["round"]["table"]
    cashier = Cashier(
        stack["services"]["wagering-accounts"], tokens["demo.account_cashier"], property_name, "beside-documents"
    )
    await cashier.open(table)
    wanted = {"property": property_name, "gaming_day": day["gaming_day"]}
    quiet, beside = Window(), Window()
    await cashier.work(Window(), per_second, seconds / 2)
    async with httpx.AsyncClient(
        base_url=stack["services"]["reporting"],
        headers={"authorization": f"Bearer {tokens['demo.auditor']}"},
        timeout=_SECONDS_MAX,
        trust_env=False,
    ) as reporting:
        for _ in range(turns):
            await cashier.work(quiet, per_second, seconds)
            readers = [asyncio.create_task(_read(reporting, wanted, beside, number)) for number in range(READERS)]
            await cashier.work(beside, per_second, seconds)
            for reader in readers:
                reader.cancel()
            ended = await asyncio.gather(*readers, return_exceptions=True)
            for failed in (one for one in ended if not isinstance(one, asyncio.CancelledError)):
                raise Failed(f"a document could not be read: {failed!r}")
    return quiet, beside


def lines(quiet: Window, beside: Window) -> Iterator[str]:
    """Yield the figures as a Markdown table."""
    rates = {
        "no documents": Rate.of(quiet.taken, quiet.seconds),
        "beside documents": Rate.of(beside.taken, beside.seconds),
    }
    yield "| window | buy-ins | a second | p50, ms | p99, ms | longest, ms |"
    yield "|---|---|---|---|---|---|"
    for name, rate in rates.items():
        ms = rate.milliseconds
        yield f"| {name} | {rate.count:,} | {rate.per_second:,.0f} | {ms[50]:.1f} | {ms[99]:.1f} | {ms[100]:.0f} |"
    first, second = (rate.milliseconds[99] for rate in rates.values())
    answers = ", ".join(f"{number} answered {status}" for status, number in sorted(beside.answers.items()))
    yield f"\np99 beside documents is {second / first:.1f} times the other; documents: {answers or 'none'}"


def main(words: Sequence[str] | None = None) -> int:
    """Play the day, measure and print; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m loadtest.bench.beside_documents", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument(
        "--rounds", type=int, default=20_000, help="number of rounds in the gaming day (default: %(default)s)"
    )
    parser.add_argument("--tables", type=int, default=400, help="number of tables (default: %(default)s)")
    parser.add_argument("--rate", type=float, default=25, help="buy-ins per second (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=20, help="duration of each measurement, in seconds (default: %(default)s)"
    )
    parser.add_argument(
        "--turns", type=int, default=3, help="number of measurements of each kind (default: %(default)s)"
    )
    options = parser.parse_args(words)
    played = ("demo", f"--rounds={options.rounds}", f"--tables={options.tables}", "--keep")
    try:
        with started(*played, environment=os.environ) as (day, _):
            found = asyncio.run(measured(day, tokens_of(day["stack"]), options.rate, options.seconds, options.turns))
    except (Failed, StackFailed) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    wrong = [f"wrong: {one}" for one in day["differences"]]
    sys.stdout.writelines(f"{line}\n" for line in (*wrong, *lines(*found)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
