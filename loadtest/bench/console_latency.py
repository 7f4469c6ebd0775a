"""Measure the latency of the console's pages with a large casino's day, compared with the console's simplest endpoint.

  python -m loadtest.bench.console_latency --rounds 250000 --tables 200

`pitledger demo` first plays the day through every service, closes and seals it, and compares every figure with the
simulator's books. Then a user with every role logs in and requests each page repeatedly. Measured are the
milliseconds from the request to the last byte, over loopback. The baseline of the same run is the console's own
`/healthz`, which calls no service and renders nothing. The services continue their background work, such as the
re-derivation of their journals, which takes hours for a day of this size. Drift checks are off, because each takes an
hour, so that with seven services on one machine one would always be running. The broker is polled only twice a
second, because it runs on the same machine, unlike in a casino, and each poll costs CPU time there.
"""

import argparse
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from statistics import median, quantiles
from typing import Final

import httpx

from loadtest.bench.stack import started

PERSON: Final = "demo.auditor"
BAR_MS: Final = 200.0
_TIMES: Final = 20
_SECONDS_MAX: Final = 60.0
_SERVICES: Final = {"PITLEDGER_COMPARISON_SECONDS": "86400", "PITLEDGER_FETCH_SECONDS": "0.5"}
_LINK: Final = re.compile(r'href="(/[^"#]+)"')


class LoginFailed(Exception):
    """The development issuer of the stack refused the login."""


def log_in(client: httpx.Client, person: str) -> None:
    """Log a person in to the console as a browser does. Raises: LoginFailed."""
    asked = client.get("/login", follow_redirects=False)
    if asked.is_redirect:
        back = client.post(asked.headers["location"], data={"person": person}, follow_redirects=True)
        if back.is_success and client.get("/p/any/reports").is_success:
            return
    raise LoginFailed(f"{person} was not let in")


def pages_of(client: httpx.Client, name: str, day: str) -> Mapping[str, str]:
    """Return the URLs of a property's pages by title, for a table, a round and a submission of its gaming day."""
    home = f"/p/{name}"
    floor = f"{home}/floor?day={day}"
    table = _first(client, floor, f"{home}/floor/").rpartition("/")[2]
    rounds = f"{home}/rounds?day={day}&table={table}"
    found = {
        "floor": floor,
        "table": f"{home}/floor/{table}?day={day}",
        "rounds of a table": rounds,
        "round": _first(client, rounds, f"{home}/rounds/{table}/"),
        "gaming day": f"{home}/days/{day}",
        "meters of a gaming day": f"{home}/days/{day}/meters",
        "desk": f"{home}/desk",
        "submissions": f"{home}/submissions",
        "submission": _first(client, f"{home}/submissions", f"{home}/submissions/"),
        "meters": f"{home}/meters",
        "quarantine": f"{home}/quarantine",
        "search": f"{home}/search?q=nothing-has-this-name",
        "reports": f"{home}/reports",
    }
    listed = _links(client, f"{home}/reports", f"{home}/reports/")
    return found | {f"report {one.rpartition('/')[2]}": f"{one}?day={day}" for one in listed}


def _links(client: httpx.Client, page: str, begins: str) -> list[str]:
    shown = client.get(page)
    shown.raise_for_status()
    return [one.partition("?")[0] for one in dict.fromkeys(_LINK.findall(shown.text)) if one.startswith(begins)]


def _first(client: httpx.Client, page: str, begins: str) -> str:
    return _links(client, page, begins)[0]


def measured(client: httpx.Client, pages: Mapping[str, str], times: int = _TIMES) -> Iterator[tuple[str, list[float]]]:
    """Yield the baseline and each page with its latencies in milliseconds; a warm-up request is not counted."""
    for name, address in {"baseline": "/healthz", **pages}.items():
        client.get(address).raise_for_status()
        took = []
        for _ in range(times):
            began = time.perf_counter()
            client.get(address).raise_for_status()
            took.append(1000 * (time.perf_counter() - began))
        yield name, took


def table_of(found: Sequence[tuple[str, list[float]]]) -> Iterator[str]:
    """Yield the figures as a Markdown table, slowest page first, and the number of pages that exceed the limit."""
    [(_, baseline), *pages] = found
    yield "| page | p50, ms | p95, ms | times the baseline |"
    yield "|---|---|---|---|"
    yield f"| baseline: `/healthz` | {median(baseline):.1f} | {quantiles(baseline, n=20)[-1]:.1f} | 1 |"
    for name, took in sorted(pages, key=lambda one: -median(one[1])):
        ratio = median(took) / median(baseline)
        yield f"| {name} | {median(took):.0f} | {quantiles(took, n=20)[-1]:.0f} | {ratio:.0f} |"
    above = sum(median(took) > BAR_MS for _, took in pages)
    yield f"\n{above} of {len(pages)} pages take more than {BAR_MS:.0f} ms."


def main(words: Sequence[str] | None = None) -> int:
    """Play, measure and print; return the exit code: 1 if the books are wrong, never because of slowness."""
    parser = argparse.ArgumentParser(
        prog="python -m loadtest.bench.console_latency", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument(
        "--rounds", type=int, default=250_000, help="number of rounds in the gaming day (default: %(default)s)"
    )
    parser.add_argument("--tables", type=int, default=200, help="number of tables (default: %(default)s)")
    options = parser.parse_args(words)
    with (
        started(
            *("demo", f"--rounds={options.rounds}", f"--tables={options.tables}", "--keep"),
            environment={**os.environ, **_SERVICES},
        ) as (day, _),
        httpx.Client(base_url=day["stack"]["console"], timeout=_SECONDS_MAX, trust_env=False) as client,
    ):
        log_in(client, PERSON)
        found = list(measured(client, pages_of(client, day["property"], day["gaming_day"])))
    wrong = [f"wrong: {one}" for one in day["differences"]]
    sys.stdout.writelines(f"{line}\n" for line in (*wrong, *table_of(found)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
