"""The verdict of the twin: at rest, everything acknowledged is in every book, once, and verifies."""

import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from loadtest.bench.verdict import Verdict, judge_journal, judge_refused, judge_services
from loadtest.traffic.topic import Stored, stored
from services.cli.exits import ExitCode
from services.cli.services import load
from shared.contracts.topics import SETTLEMENTS, TABLE_EVENTS
from shared.runtime.database_names import role_of
from tests.attacks.stack import Command
from tests.twin.patience import PATIENT_SECONDS, in_time
from tests.twin.play import ACCOUNT, CENTS, Play
from tests.twin.stack import Twin

_POSTED: Final = """
    SELECT count(*), count(DISTINCT data ->> 'round_id') FROM round_settlement.entries WHERE kind = 'settlement.posted'
"""
_BOUGHT_IN: Final = f"""
    SELECT count(*), coalesce(sum((data ->> 'cents')::bigint), 0) FROM wagering_accounts.entries
    WHERE kind = 'account.bought_in' AND data ->> 'account' = '{ACCOUNT}'"""


_UNSIGNED: Final = """
    SELECT count(*) FROM {schema}.shards s
    WHERE s.next_seq - 1 > (SELECT coalesce(max(c.size), 0) FROM {schema}.checkpoints c WHERE c.shard = s.shard)"""


def at_rest(twin: Twin, play: Play) -> None:
    """Wait until every service is ready and has read, recorded, published and signed all there is.

    To `pitledger verify` what a clock that was behind has recorded is old, and has to be signed.
    """
    in_time(lambda: twin.rows(_POSTED)[0][0] >= len(play.sent), because="all that was acknowledged is settled")
    for process in twin.processes:
        process.wait_until_ready()
    twin.wait_until_ready(*twin.services, seconds=PATIENT_SECONDS)
    behind: list[str] = ["not looked yet"]

    def caught_up() -> bool:
        behind[:] = twin.behind()
        return not behind

    for _ in range(2):  # what was read last may have led to an entry that is to be read
        try:
            in_time(caught_up, because="everything is read and published", every=0.3)
        except AssertionError as late:
            raise AssertionError(f"not caught up: {'; '.join(behind)}") from late
    unsigned = [_UNSIGNED.format(schema=role_of(service)) for service in twin.services]
    in_time(lambda: all(twin.rows(query) == [(0,)] for query in unsigned), because="every entry is signed")


def verdict(twin: Twin, play: Play, *, rebuilt: Sequence[str] = ()) -> Verdict:
    """Judge the books at rest; the tables of the services that are `rebuilt` are compared with a rebuild, too."""
    found, expected = Verdict(), play.expected()
    schemas = [role_of(service) for service in twin.services]
    events, published = messages(twin, TABLE_EVENTS.name), messages(twin, SETTLEMENTS.name)
    judge_journal(found, twin.target, list(play.sent), expected, events, published)
    judge_services(found, twin.target, expected, schemas)
    judge_refused(found, twin.target, [role_of(one) for one in twin.services if load(one).readers])
    posted = twin.rows(_POSTED)
    found.require(posted == [(len(play.sent),) * 2], f"{posted} settled, {len(play.sent)} were acknowledged")
    bought_in, wanted = twin.rows(_BOUGHT_IN), (play.bought_in, CENTS * play.bought_in)
    found.require(bought_in == [wanted], f"buy-ins and their cents are {bought_in}; {wanted} were acknowledged")
    found.count("buy-ins", play.bought_in)
    verified = twin.command("verify", *(f"--service={service}" for service in twin.services))
    found.require(verified.code == 0, f"`pitledger verify` exit {verified.code}: {verified.said[-600:]}")
    for service in rebuilt:
        compared = in_time(partial(_compared, twin, service), because=f"{service} is compared with a rebuild")
        found.require(compared.code == 0, f"`pitledger rebuild {service} --check`: {compared.said[-600:]}")
        found.count("services compared with a rebuild")
    return found


def messages(twin: Twin, topic: str) -> Sequence[Stored]:
    """Return all messages of a topic."""
    return in_time(lambda: list(stored(twin.servers, topic)), because=f"{topic} is read")


def _compared(twin: Twin, service: str) -> Command | None:
    """Return what a comparison came to; None where it got no turn: a service that works holds locks.

    The service ends first, as it should before a rebuild: a comparison of its own, which reads its tables all along,
    takes a second for fifty entries.
    """
    with suppress(StopIteration):  # it is not started again yet
        twin.kill_all(service)
    done = twin.command("rebuild", service, "--check")
    return done if done.code in (ExitCode.FINE, ExitCode.NOT_AS_IT_SHOULD_BE) else None


def judged_after(twin: Twin, play: Play, since: float, *, rebuilt: Sequence[str] = ()) -> tuple[float, Verdict]:
    """Wait for rest; return the seconds since a moment until then, and the verdict."""
    at_rest(twin, play)
    seconds = time.monotonic() - since
    return seconds, verdict(twin, play, rebuilt=rebuilt)
