"""Brings about one fault after the other, with rounds on the way, and gives the verdict after each."""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from random import Random
from subprocess import SubprocessError
from typing import Any, Final

from loadtest.traffic.progress import TooSlow
from loadtest.traffic.publish import NotDelivered
from shared.runtime.errors import FatalServiceError
from tests.twin import faults, losses
from tests.twin.faults import Fault, Skipped
from tests.twin.patience import NOT_NOW
from tests.twin.play import Play
from tests.twin.stack import Twin
from tests.twin.verdict import at_rest, judged_after

FAULTS: Final[Mapping[str, Fault]] = {
    "kill-service": faults.killed_service,
    "kill-postgresql": partial(faults.killed_server, kafka=False),
    "kill-kafka": partial(faults.killed_server, kafka=True),
    "stop-service": faults.stopped_service,
    "stop-postgresql": partial(faults.stopped_server, kafka=False),
    "stop-kafka": partial(faults.stopped_server, kafka=True),
    "cut-commit": faults.cut_at_commit,
    "cut-kafka": faults.cut_kafka,
    "fence-kafka": faults.fenced_kafka,
    "disk-full-postgresql": partial(losses.disk_full, kafka=False),
    "disk-full-kafka": partial(losses.disk_full, kafka=True),
    "clock": faults.clock_jumped,
    "lost-tail": losses.lost_tail,
    "failover": losses.failover,
    "failover-asynchronous": losses.failover_asynchronous,
    "upgrade": faults.upgraded,
}
"""By the name that `--only` takes."""

REBUILD: Final = "rebuild"
"""The verdict at the end of a stack, after its last fault."""

AT_REST: Final = frozenset({"lost-tail"})
"""Faults that begin when nothing is on the way: what is lost is known then."""

_SETTLE_SECONDS: Final = 1.5
WRONG: Final = (
    *NOT_NOW,
    AssertionError,
    LookupError,
    NotDelivered,
    OSError,
    FatalServiceError,
    SubprocessError,
    TooSlow,
)
"""What is raised where something is not as it has to be, or cannot be looked at."""


@dataclass(slots=True)
class Result:
    """What one fault came to: what was seen, after how many seconds all was at rest again, and what is wrong."""

    fault: str
    said: str
    seconds: float | None = None
    compared: Mapping[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    skipped: bool = False

    @property
    def came_to(self) -> str:
        """Return the verdict in a word."""
        return "skipped" if self.skipped else "WRONG" if self.wrong else "holds"

    def as_document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self) | {"verdict": self.came_to}

    def lines(self) -> Iterator[str]:
        """Yield it for people."""
        after = "" if self.seconds is None else f", at rest after {self.seconds:.1f} s"
        yield f"{self.fault}: {self.came_to}{after}: {self.said}"
        yield from (f"    WRONG  {one}" for one in self.wrong)


def suffered(twin: Twin, play: Play, name: str, rng: Random, *, fault: Fault | None = None) -> Result:
    """Bring a fault about with rounds on the way; wait until all is at rest; judge."""
    work = fault or FAULTS[name]
    result = Result(name, "")
    try:
        if name in AT_REST:
            with play.running():
                time.sleep(_SETTLE_SECONDS)
            at_rest(twin, play)
            result.said = work(twin, play, rng)
            ended = time.monotonic()
            with play.running():
                time.sleep(_SETTLE_SECONDS)
        else:
            with play.running():
                time.sleep(_SETTLE_SECONDS)
                result.said = work(twin, play, rng)
                ended = time.monotonic()
        result.seconds, found = judged_after(twin, play, ended)
        result.compared, result.wrong = found.compared, found.differences
    except Skipped as skipped:
        result.said, result.skipped = str(skipped), True
    except WRONG as error:
        result.wrong.append(f"{type(error).__name__}: {error}")
    return result


def order(names: Iterable[str], rng: Random) -> Iterator[str]:
    """Yield faults for ever: all of them in some order, then all of them in another one."""
    pool = list(names)
    while True:
        yield from rng.sample(pool, len(pool))


def table(results: Iterable[Result]) -> list[str]:
    """Return what was done, how often, how long it took to recover, and the verdict, one fault a line."""
    by_name: dict[str, list[Result]] = {}
    for one in results:
        by_name.setdefault(one.fault, []).append(one)
    lines = ["| fault | times | at rest after, s | verdict | seen, the last time |", "|---|---|---|---|---|"]
    for name in (*FAULTS, REBUILD):
        if some := by_name.get(name):
            seconds = sorted(one.seconds for one in some if one.seconds is not None)
            after = f"{seconds[0]:.1f} to {seconds[-1]:.1f}" if seconds else "-"
            wrong = sum(bool(one.wrong) for one in some)
            came_to = f"{wrong} WRONG" if wrong else some[-1].came_to
            lines.append(f"| `{name}` | {len(some)} | {after} | {came_to} | {some[-1].said} |")
    return lines
