"""Tries the attacks: `python -m tests.attacks [--only 1,7 | --draw 5] [--json FILE]`.

Exit code 1 if one got through, or was not named in its time.
"""

import argparse
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from tests.attacks import (
    altered,
    broken,
    callers,
    clients,
    clocks,
    events,
    every_row,
    exports,
    forged,
    gone,
    killed,
    set_back,
    shown,
    signed,
    topics,
)
from tests.attacks.floor import Floor
from tests.attacks.outcome import Attempt, say, summary
from tests.attacks.pace import FASTER, SETTINGS
from tests.attacks.prometheus import Prometheus, prometheus
from tests.attacks.stack import Attacked
from tests.support.nightly import commit

_REST_SECONDS: Final = 30.0
"""How long a stack may take to come to rest after an attack."""

Attack = Callable[[Floor], Iterator[Attempt]]

POINTS: Final[dict[int, Attack]] = {
    5: killed.secrets,
    12: callers.tokens,
    11: clients.much_and_slow,
    3: events.who_speaks,
    9: events.what_cannot_be,
    2: events.what_is_believed,
    14: shown.approvals,
    15: signed.rows,
    16: clocks.jumps,
    17: exports.killed,
    1: altered.old_entries,
    7: altered.rows,
    8: forged.entries,
    20: every_row.rows,
    4: killed.processes,
    13: set_back.databases,
    6: broken.journals,
    18: gone.newest_hour,
    10: topics.made_anew,
    19: gone.cut_logs,
}
"""In the order in which they are tried: what leaves a stack as it was comes first, what ends it last."""


class Grounds:
    """The stack that attacks share, as long as it can be put right after each; then another one."""

    def __init__(self, prometheus: Prometheus | None) -> None:
        self._prometheus = prometheus
        self._floor: Floor | None = None

    def floor(self) -> Floor:
        """Return a stack in which nothing is wrong: started, with a day in its books."""
        if self._floor is None:
            began = time.monotonic()
            attacked = Attacked(self._prometheus)
            self._floor = Floor(attacked)
            ready = attacked.start()
            self._floor.open()
            told = f"stack ready after {ready:.1f} s, {self._floor.sent} rounds in its books"
            say(f"{told} after {time.monotonic() - began:.1f} s")
        return self._floor

    def leave(self) -> None:
        """End the stack."""
        if self._floor is not None:
            self._floor.attacked.close()
            self._floor = None

    def look(self) -> None:
        """End the stack where the last attack left something wrong."""
        assert self._floor is not None
        if self._floor.spent:
            self.leave()
            return
        attacked = self._floor.attacked
        try:
            attacked.wait_until_ready(seconds=_REST_SECONDS)
        except AssertionError:
            wrong = {name: why for name in attacked.urls if (why := attacked.not_ready(name))}
            say(f"    a new stack from here on: {wrong}")
            self.leave()


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the attacks and print what they came to; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    some = parser.add_mutually_exclusive_group()
    some.add_argument("--only", metavar="1,7", help="only these points")
    some.add_argument("--draw", type=int, metavar="5", help="so many of the points, drawn by the commit")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write what was found as JSON, too")
    given = parser.parse_args(arguments)
    wanted = {int(number) for number in given.only.split(",")} if given.only else set(POINTS)
    if given.draw is not None:
        wanted = set(Random(commit()).sample(sorted(POINTS), given.draw))
    if unknown := wanted - POINTS.keys():
        parser.error(f"there is no point {', '.join(map(str, sorted(unknown)))}: they are 1 to {len(POINTS)}")
    for told in (signal.SIGINT, signal.SIGTERM):  # whoever is told to end in the background ends what it has started
        signal.signal(told, _end)
    began, attempts = time.monotonic(), list[Attempt]()
    with ExitStack() as running:
        watching = running.enter_context(prometheus(Path(running.enter_context(TemporaryDirectory()))))
        grounds = Grounds(watching)
        running.callback(grounds.leave)
        said = [f"the watches of the stack, and what alerts wait for, pass {FASTER} times as fast: {SETTINGS}"]
        if watching is None:
            said.append("NO PROMETHEUS ON THIS MACHINE: ALERTS WERE NOT LOOKED AT (Debian has it as a package)")
        say(*said)
        for point, attack in POINTS.items():
            if point in wanted:
                for attempt in _tried(point, attack, grounds):
                    attempts.append(attempt)
                    say(*attempt.lines())
    attempts.sort(key=lambda each: each.point)
    failed = sum(bool(each.wrong) for each in attempts)
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    say("", *summary(attempts), "")
    say(f"{len(attempts)} attacks at {len(wanted)} points in {time.monotonic() - began:.0f} s; {failed} got through")
    say(f"load of the machine over 1, 5 and 15 minutes: {load}, on {os.cpu_count()} processors")
    if watching is None:
        say(said[-1])
    if given.json is not None:
        document = {"load": os.getloadavg(), "settings": SETTINGS, "prometheus": watching is not None}
        found = [each.as_document() for each in attempts]
        given.json.write_text(json.dumps(document | {"attempts": found}, indent=2) + "\n")
    return 1 if failed else 0


def _tried(point: int, attack: Attack, grounds: Grounds) -> Iterator[Attempt]:
    """Try an attack; one after which the stack does not come to rest has got through."""
    try:
        yield from attack(grounds.floor())
        grounds.look()
    except Exception as error:  # noqa: BLE001 - whatever it is, the attacks after it are tried
        traceback.print_exc()
        yield Attempt(point, "what follows in this attack", "survived", "nothing", "-", 0.0, {}, [repr(error)])
        grounds.leave()


def _end(number: int, frame: object) -> None:
    del frame
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
