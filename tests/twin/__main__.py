"""Runs the twin: `python -m tests.twin [--minutes 60] [--seed 1] [--only kill-kafka,...] [--json FILE]`.

Exit code 1 where one verdict does not hold.
"""

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

from services.cli.services import NAMES
from tests.attacks.outcome import say
from tests.twin import faults
from tests.twin.play import Play
from tests.twin.run import FAULTS, REBUILD, WRONG, Result, order, suffered, table
from tests.twin.servers import can_mount
from tests.twin.stack import Twin
from tests.twin.verdict import judged_after

_ROUNDS_PER_MINUTE: Final = 600
_ROUNDS_LEFT: Final = 300
_ROUNDS: Final = 3_000


def main(words: Sequence[str] | None = None) -> int:
    """Bring faults about until the time is over, each at least once; print what they came to; return the exit code.

    Where a verdict does not hold, the others would not: a new stack goes on.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.twin", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60, help="at least so long (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the rounds, and of when what happens")
    parser.add_argument("--only", metavar=",".join(list(FAULTS)[:2]), help=f"only these of {', '.join(FAULTS)}")
    parser.add_argument("--old", metavar="COMMIT", help="the earlier release; by default the first with this schema")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write what was found as JSON, too")
    given = parser.parse_args(words)
    names = given.only.split(",") if given.only else list(FAULTS)
    if unknown := set(names) - FAULTS.keys():
        parser.error(f"there is no fault {', '.join(sorted(unknown))}: they are {', '.join(FAULTS)}")
    for told in (signal.SIGINT, signal.SIGTERM):  # whoever is told to end ends what it has started
        signal.signal(told, _end)
    began, results, rng = time.monotonic(), list[Result](), Random(given.seed)
    rounds, buy_ins, again = 0, 0, list[str]()
    left = order(names, rng)

    def over() -> bool:
        tried = sum(one.fault != REBUILD for one in results)
        return tried >= len(names) and time.monotonic() - began > 60 * given.minutes

    while not over():
        twin = Twin()
        twin.both.small_disks = can_mount(twin.directory)
        try:
            say(f"seed {given.seed}; ready after {twin.start():.1f} s; {twin.directory}")
            play = Play(twin, seed=given.seed, rounds=_ROUNDS + int(_ROUNDS_PER_MINUTE * given.minutes))
            play.open()
            while not over() and play.left > _ROUNDS_LEFT:
                name = next(left)
                fault = partial(faults.upgraded, commit=given.old) if name == "upgrade" else None
                results.append(suffered(twin, play, name, rng, fault=fault))
                say(f"{time.monotonic() - began:6.0f} s, {len(play.sent)} rounds", *results[-1].lines())
                if results[-1].wrong:
                    break
            else:
                results.append(_rebuilt(twin, play))
                say(*results[-1].lines())
            if results[-1].wrong:
                say(f"what it wrote is in {twin.keep()}; another one goes on")
            rounds, buy_ins = rounds + len(play.sent), buy_ins + play.bought_in
            again += twin.started_again
        finally:
            twin.close()
    failed = sum(bool(one.wrong) for one in results)
    say("", *table(results), "")
    took, load = time.monotonic() - began, f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    say(f"{len(results)} verdicts in {took:.0f} s with seed {given.seed}; {failed} WRONG")
    say(f"{rounds} rounds, {buy_ins} buy-ins; {load}")
    if given.json is not None:
        document = {"seed": given.seed, "rounds": rounds, "buy_ins": buy_ins, "started_again": again}
        found = [one.as_document() for one in results]
        given.json.write_text(json.dumps(document | {"results": found}, indent=2) + "\n")
    return 1 if failed else 0


def _rebuilt(twin: Twin, play: Play) -> Result:
    """Give the last verdict: with every table compared with a rebuild."""
    result = Result(REBUILD, "every service: `pitledger rebuild --check`")
    try:
        result.seconds, found = judged_after(twin, play, time.monotonic(), rebuilt=NAMES)
        result.compared, result.wrong = found.compared, found.differences
    except WRONG as error:
        result.wrong.append(f"{type(error).__name__}: {error}")
    return result


def _end(number: int, frame: object) -> None:
    del frame
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
