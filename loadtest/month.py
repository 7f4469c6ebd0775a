"""A month of a casino read into the read model of reporting, and reported.

    python -m loadtest.month --days 1

Starts a database, a broker and reporting alone. What round settlement publishes of the days is on the topic before the
clock starts.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from loadtest.casino import casino
from loadtest.fast import month
from loadtest.games import pit
from loadtest.processes import processes_below
from loadtest.reading import Reporting, reporting_stack
from shared.contracts.topics import SETTLEMENTS

PROPERTY: Final = "grand"
FIRST_DAY: Final = date(2026, 10, 1)


def cpu() -> dict[str, float]:
    used = {}
    for one in processes_below(os.getpid()):
        words = one.words
        name = words[0].rpartition("/")[2] if words else "?"
        if "run" in words:
            name = words[words.index("run") + 1]
        if one.pid == os.getpid():
            name = "harness"
        if name.startswith("postgres"):
            name = "postgres"
        used[name] = used.get(name, 0.0) + one.cpu_seconds
    return used


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m loadtest.month", description=__doc__.split("\n\n")[0])
    parser.add_argument("--days", type=int, default=1)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--rounds-per-table-day", type=int, default=1250)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--spy", default="")
    parser.add_argument("--sleep", type=int, default=0)
    options = parser.parse_args(words)
    where = casino(PROPERTY, pit(options.tables), FIRST_DAY)
    days = [FIRST_DAY + timedelta(days=n) for n in range(options.days)]
    settings = {"PITLEDGER_BATCH_RECORDS_MAX": str(options.batch)} if options.batch else {}
    with reporting_stack(settings) as reporting:
        with reporting.running():
            reporting.file(where)
        n = reporting.publish(
            SETTLEMENTS,
            month(
                where, gaming_days=days, rounds_per_table_day=options.rounds_per_table_day, seed=1, rounds_in_pool=200
            ),
        )
        before = cpu()
        print("published", n, {k: round(v, 1) for k, v in before.items()}, flush=True)
        with reporting.running(options.processes) as pids:
            if options.spy:
                import subprocess

                spy = subprocess.Popen(
                    [
                        options.spy,
                        "record",
                        "-p",
                        str(pids[0]),
                        "-d",
                        "12",
                        "-f",
                        "raw",
                        "-o",
                        "/tmp/h10/spy.txt",
                        "-r",
                        "200",
                    ]
                )
            reporting.wait_for(SETTLEMENTS, min(n, 5000), seconds=3600); mid = cpu()
            seen = reporting.wait_for(SETTLEMENTS, n, seconds=3600)
            after = cpu()
            print("load", os.getloadavg())
            (t0, n0), (t1, n1) = seen[0], seen[-1]
            print(
                "rounds/s",
                round((n1 - n0) / (t1 - t0)),
                "cpu us/round",
                {k: round((v - before.get(k, 0)) / n * 1e6) for k, v in after.items()},
            )
            if options.sleep:
                print(reporting.conninfo, reporting._url, reporting._token, flush=True)
                import time

                time.sleep(options.sleep)
    return 0


if __name__ == "__main__":
    sys.exit(main())
