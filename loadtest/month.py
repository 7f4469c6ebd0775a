"""A month of a casino read into the read model of reporting, and reported.

    python -m loadtest.month --days 1

Starts a database, a broker and reporting alone. What round settlement publishes of these days stands on its topic
before a clock starts. Measured are the rounds that get into the read model each second, the processor time of each,
and every report for a day, a week and a month. `--month` first multiplies the days in the read model to thirty.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Final

from loadtest.casino import casino
from loadtest.fast import ROUNDS_IN_POOL, month
from loadtest.games import pit
from loadtest.processes import processes_below
from loadtest.read_model import Baseline, baseline, multiply
from loadtest.reading import Reporting, reporting_stack
from shared.contracts.topics import SETTLEMENTS

PROPERTY: Final = "grand"
FIRST_DAY: Final = date(2026, 9, 1)
DAYS_OF_MONTH: Final = 30
_PERIODS: Final = ("day", "week", "month")
_PAGES: Final = "master-game"
"""The report whose pages are set too."""
_DEADLINE_SECONDS: Final = 3600.0


def read(reporting: Reporting, rounds: int, processes: int) -> Iterator[str]:
    """Let so many processes read what is on the topic, and say how fast they are from the first commit on."""
    with reporting.running(processes):
        [*_, (began, first)] = reporting.wait_for(SETTLEMENTS, 1, seconds=_DEADLINE_SECONDS)
        before = _cpu_seconds()
        [*_, (ended, last)] = reporting.wait_for(SETTLEMENTS, rounds, seconds=_DEADLINE_SECONDS)
        after = _cpu_seconds()
    seconds, count = ended - began, last - first
    yield f"read: {count:,} rounds in {seconds:.1f} s by {processes} process(es): {count / seconds:,.0f} rounds/s"
    used = {name: 1e6 * (after[name] - before.get(name, 0.0)) / count for name in sorted(after)}
    yield "processor, µs a round: " + ", ".join(f"{name} {micros:.0f}" for name, micros in used.items())
    copied = baseline(reporting.conninfo)
    yield _beside(copied, count / seconds)


def _beside(copied: Baseline, rounds_per_second: float) -> str:
    return (
        f"the same rows copied into an empty table: {copied.rows_per_second:,.0f} rounds/s, "
        f"{100 * rounds_per_second / copied.rows_per_second:.0f}% of which is read; "
        f"counting them: {copied.count_seconds:.2f} s"
    )


def report(reporting: Reporting, last_day: date) -> Iterator[str]:
    """Ask for every report of the periods that the day is in, and for the pages of one; say how long each takes."""
    with reporting.running(), reporting.client() as client:
        names = [each["name"] for each in client.get("/reports").raise_for_status().json()]
        asked = [(name, period, "json") for name in names for period in _PERIODS] + [(_PAGES, "month", "pdf")]
        for name, period, form in asked:
            query = {"property": PROPERTY, "gaming_day": last_day.isoformat(), "period": period, "as": form}
            started = time.monotonic()
            answer = client.get(f"/reports/{name}", params=query)
            seconds = time.monotonic() - started
            size = len(answer.content)
            yield f"{name:24} {period:6} {form:5} {answer.status_code} {seconds:7.2f} s {size:>12,} bytes"


def _cpu_seconds() -> dict[str, float]:
    """Processor seconds so far, by what the process is."""
    used: dict[str, float] = {}
    for process in processes_below(os.getpid()):
        program = Path(process.words[0]).name if process.words else "(ended)"
        name = "postgres" if program.startswith("postgres") else program
        if "run" in process.words[:-1]:
            name = process.words[process.words.index("run") + 1]
        elif process.pid == os.getpid():
            name = "this harness"
        used[name] = used.get(name, 0.0) + process.cpu_seconds
    return used


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.month", description=__doc__.split("\n\n")[0])
    parser.add_argument("--days", type=int, default=1, help="gaming days that are played (default: %(default)s)")
    parser.add_argument("--tables", type=int, default=200, help="tables of the casino (default: %(default)s)")
    parser.add_argument(
        "--rounds-per-table-day", type=int, default=1250, help="rounds of a table in a day (default: %(default)s)"
    )
    parser.add_argument("--processes", type=int, default=1, help="of reporting, which share the partitions")
    parser.add_argument("--seed", type=int, default=1, help="what is played (default: %(default)s)")
    parser.add_argument("--month", action="store_true", help="multiply the days to thirty in the read model")
    parser.add_argument("--setting", action="append", default=[], help="NAME=VALUE of the service; may be repeated")
    options = parser.parse_args(words)
    where = casino(PROPERTY, pit(options.tables), FIRST_DAY)
    days = [FIRST_DAY + timedelta(days=number) for number in range(options.days)]
    settings = dict(each.split("=", 1) for each in options.setting)
    with reporting_stack(settings) as reporting:
        with reporting.running():
            reporting.file(where)
        of_days = month(
            where,
            gaming_days=days,
            rounds_per_table_day=options.rounds_per_table_day,
            seed=options.seed,
            rounds_in_pool=ROUNDS_IN_POOL,
        )
        rounds = reporting.publish(SETTLEMENTS, of_days)
        _say(f"on the topic: {rounds:,} rounds of {options.days} day(s); load {os.getloadavg()[0]:.1f}")
        for line in read(reporting, rounds, options.processes):
            _say(line)
        last_day = days[-1]
        if options.month:
            started = time.monotonic()
            multiply(reporting.conninfo, options.days, DAYS_OF_MONTH)
            last_day = FIRST_DAY + timedelta(days=DAYS_OF_MONTH - 1)
            _say(f"multiplied to {DAYS_OF_MONTH} days in {time.monotonic() - started:.0f} s")
        for line in report(reporting, last_day):
            _say(line)
        _say(f"load {os.getloadavg()[0]:.1f}")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
