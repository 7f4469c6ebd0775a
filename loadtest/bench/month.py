"""Measure the rate at which reporting reads a casino's month into its read model, and the latency of its reports.

  python -m loadtest.bench.month --days 1 --month
  python -m loadtest.bench.month --days 30 --tables 24 --rounds-per-table-day 60 --rebuild

The benchmark starts only a database, a broker and reporting. Round settlement's messages for these days are published
before timing starts; the messages of the other services follow. Measured are the entries read per second, the CPU time
per entry, and the time for every report. With `--month`, rows derived from rounds are copied within the read model
until it has thirty days; rows derived from people's work on those days are read from the topics. `--rebuild` rebuilds
the read model and compares the bytes of every report.
"""

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final

from loadtest.bench.processes import OWN, Used, load
from loadtest.bench.read_model import baseline, multiply, vacuum
from loadtest.bench.reading import Reporting, reporting_stack
from loadtest.bench.report_probe import SPANS, Answers, Desk, differences, empty, failures, say, worst
from loadtest.floor.games import pit
from loadtest.traffic.casino import casino
from loadtest.traffic.journal import Published
from loadtest.traffic.ledgers import Ledgers
from loadtest.traffic.synthetic_month import ROUNDS_IN_POOL, month
from shared.contracts.topics import SETTLEMENTS

PROPERTY: Final = "grand"
FIRST_DAY: Final = date(2026, 9, 1)
DAYS_OF_MONTH: Final = 30
_DEADLINE_SECONDS: Final = 7200.0


def measured(reporting: Reporting, what: str) -> None:
    """Wait until all published messages are read, and print the reading rate since the first commit."""
    progress = reporting.progress(seconds=_DEADLINE_SECONDS)
    _, before = next(progress)
    began, first = next(each for each in progress if each[1] > before)
    used = OWN.used()
    ended, last = began, first
    for ended, last in progress:  # noqa: B007 - the last one is that of the last commit
        pass
    _say(what, last - first, ended - began, used)


def read(reporting: Reporting, what: str, messages: Iterable[Published]) -> None:
    """Publish messages to running processes, and print the rate, including the generation of the messages."""
    used, started = OWN.used(), time.monotonic()
    count = reporting.publish(messages)
    reporting.wait_until_read(seconds=_DEADLINE_SECONDS)
    _say(f"{what}, made meanwhile", count, time.monotonic() - started, used)


def _say(what: str, count: int, seconds: float, before: Used) -> None:
    used = OWN.used().since(before)
    say(f"read: {count:,} {what}, in {seconds:.1f} s: {count / max(seconds, 1e-3):,.0f} a second; load {load():.1f}")
    each = {name: 1e6 * seconds / max(count, 1) for name, seconds in sorted(used.processes.items())}
    say("processor, µs each: " + ", ".join(f"{name} {micros:.0f}" for name, micros in each.items() if micros >= 1))


def ask(reporting: Reporting, last_day: date, known_at: datetime, spans: Sequence[str]) -> Answers:
    """Request all reports, and return the answers."""
    with reporting.client() as client:
        return Desk(client, PROPERTY, last_day, known_at).ask_all(spans)


def run(options: argparse.Namespace) -> list[str]:
    """Let reporting read a month, and request its reports; return the problems found, as text."""
    where = casino(PROPERTY, pit(options.tables), FIRST_DAY)
    days = [FIRST_DAY + timedelta(days=number) for number in range(options.days)]
    of_month = [
        FIRST_DAY + timedelta(days=number) for number in range(DAYS_OF_MONTH if options.month else options.days)
    ]
    again = {day: days[number % len(days)] for number, day in enumerate(of_month) if day not in days}
    of_rounds = {"rounds_per_table_day": options.rounds_per_table_day, "seed": options.seed}
    of_rounds["rounds_in_pool"] = options.rounds_in_pool
    ledgers, known_at = Ledgers(where, **of_rounds), datetime.now(UTC)
    with reporting_stack(dict(each.split("=", 1) for each in options.setting)) as reporting:
        reporting.file(where)
        with reporting.running():
            say(f"house edges counted in {reporting.wait_until_read(seconds=_DEADLINE_SECONDS):.1f} s")
        rounds = (Published(SETTLEMENTS, *each) for each in month(where, gaming_days=days, **of_rounds))
        say(f"on the topics: {reporting.publish(rounds):,} rounds; load {load():.1f}")
        with reporting.running(options.processes):
            measured(reporting, "rounds")
            say(str(baseline(reporting.conninfo)))
            read(reporting, "entries of the other journals", ledgers.play(days))
            if again:
                started = time.monotonic()
                multiply(reporting.conninfo, FIRST_DAY, len(days), len(of_month))
                say(f"multiplied to {len(of_month)} days in {time.monotonic() - started:.0f} s")
                read(reporting, "entries of what people do on these days", ledgers.play_again(again))
            read(reporting, "seals", ledgers.seal())
            if not options.month:
                waited = reporting.wait_until_tested(PROPERTY, of_month, seconds=_DEADLINE_SECONDS)
                say(f"sealed days tested in {waited:.0f} s; load {load():.1f}")
        # A month read within minutes was not vacuumed yet; in production every day of it has been, before it is
        # compared.
        vacuum(reporting.administrator)
        with reporting.running(options.processes):
            reporting.wait_until_read(seconds=_DEADLINE_SECONDS)
            say(f"asked beside comparisons, and the tests of days that are not tested yet; load {load():.1f}")
            answers = ask(reporting, of_month[-1], known_at, options.spans)
            say(worst(answers))
            say("asked again, with what they read in memory")
            repeated = ask(reporting, of_month[-1], known_at, options.spans)
        wrong = [*failures(answers), *differences(answers, repeated, "when it is asked for again")]
        say(worst(repeated))
        say(f"without a row: {', '.join(empty(answers)) or 'none'}; load {load():.1f}")
        if options.rebuild:
            started = time.monotonic()
            reporting.pitledger("rebuild", "reporting")
            say(f"rebuilt in {time.monotonic() - started:.0f} s")
            with reporting.running():
                wrong += differences(
                    answers, ask(reporting, of_month[-1], known_at, options.spans), "after the rebuild"
                )
    return wrong


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit code: 1 if an identity is violated or bytes differ."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.bench.month", description=__doc__.split("\n\n")[0])
    parser.add_argument("--days", type=int, default=1, help="number of gaming days to play (default: %(default)s)")
    parser.add_argument("--tables", type=int, default=200, help="number of tables (default: %(default)s)")
    parser.add_argument(
        "--rounds-per-table-day",
        type=int,
        default=1250,
        help="number of rounds per table and gaming day (default: %(default)s)",
    )
    parser.add_argument(
        "--rounds-in-pool",
        type=int,
        default=ROUNDS_IN_POOL,
        help="number of distinct rounds, which are repeated (default: %(default)s)",
    )
    parser.add_argument(
        "--processes",
        type=int,
        default=1,
        help="number of processes of the reporting service, which share the partitions",
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed of the simulated games (default: %(default)s)")
    parser.add_argument("--spans", nargs="+", choices=SPANS, default=SPANS, help="spans of the reports to request")
    parser.add_argument(
        "--setting", action="append", default=[], help="setting of the reporting service, NAME=VALUE; may be repeated"
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument(
        "--month", action="store_true", help="copy the gaming days in the read model until there are thirty"
    )
    way.add_argument(
        "--rebuild", action="store_true", help="rebuild the read model, and compare all reports before and after"
    )
    wrong = run(parser.parse_args(words))
    for line in wrong:
        say(f"wrong: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
