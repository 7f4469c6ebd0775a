"""Point 16: the clock of a service that jumps, between a proposal and its approval, and between commands.

A second process of the wagering accounts works on the same servers, under a clock of its own: libc is asked through a
few lines of C that add what a file says, and take it off where the kernel is asked to wait until a moment: it has no
other clock. It takes a compiler; without one nothing is tried, and that is said.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

from services.cli.client import Client
from services.cli.demo.pit import ACCOUNTS
from services.cli.operations.keys import PATRON_KEYS
from shared.local.ports import LOOPBACK, free_port
from shared.local.process import log_tail
from tests.attacks.floor import PROPERTY, Floor
from tests.attacks.outcome import Attempt, Sign, say
from tests.attacks.pace import AT_ONCE, looked_seconds
from tests.attacks.stack import Attacked
from tests.support import eventually

_GUEST: Final = "wagering-accounts-under-another-clock"
_ACCOUNT: Final = "GA-clock"
_HOUR: Final = 3_600
_DAY: Final = 24 * _HOUR
_CENTS: Final = 1_000
_SHIM: Final = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static long offset(void) {
    const char *name = getenv("CLOCK_OFFSET_FILE");
    char text[24] = "";
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0) { if (read(file, text, sizeof text - 1) < 0) text[0] = 0; close(file); }
    return strtol(text, 0, 10);
}
int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, clock, now);
    if (!failed && clock == CLOCK_REALTIME) now->tv_sec += offset();
    return failed;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec; now->tv_usec = found.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *into) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (into) *into = found.tv_sec;
    return found.tv_sec;
}
/* The kernel waits by its own clock. librdkafka's deadlines are moments of this one. */
int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until) {
    static int (*real)(cnd_t *, mtx_t *, const struct timespec *);
    struct timespec moved = *until;
    if (!real) real = dlsym(RTLD_NEXT, "cnd_timedwait");
    moved.tv_sec -= offset();
    return real(condition, mutex, &moved);
}
"""


class _Clock:
    """The clock of the guest: so many seconds beside that of the machine."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.jump(0)

    def jump(self, seconds: int) -> None:
        """Set it so many seconds beside the right time."""
        unfinished = self.file.with_suffix(".unfinished")
        unfinished.write_text(str(seconds))
        unfinished.rename(self.file)


def jumps(floor: Floor) -> Iterator[Attempt]:
    """Propose, approve, pay out and send again while the clock jumps by an hour and by days."""
    if (compiler := shutil.which("cc")) is None:
        say("    NO C COMPILER ON THIS MACHINE: NO CLOCK WAS MOVED")
        return
    attacked = floor.attacked
    floor.fund(_ACCOUNT, 100 * _CENTS)
    with _under_another_clock(attacked, compiler) as clock:
        yield _approved(attacked, clock)
        yield _paid_once(attacked, clock)
        yield _nobody_is_let_in(attacked, clock)
        clock.jump(0)
    yield _settled_all_the_same(floor)


def _desk(attacked: Attacked, person: str) -> Client:
    return Client(ACCOUNTS, attacked.urls[_GUEST], attacked.tokens[person])


def _approved(attacked: Attacked, clock: _Clock) -> Attempt:
    wrong: list[str] = []
    path = f"/accounts/{PROPERTY}/{_ACCOUNT}/adjustments"
    for before, after in ((_HOUR, 0), (0, _HOUR)):
        clock.jump(before)
        with _desk(attacked, "demo.adjuster") as desk:
            entered = desk.do(path, {"cents": _CENTS, "reason": "counted again"})
        clock.jump(after)
        with _desk(attacked, "demo.adjustment_approver") as desk:
            one = f"{path}/{entered['adjustment']}"
            desk.approve(f"{one}/approve")
            again = desk.post(
                f"{one}/approve", json={"subject_sha256": desk.read(one)["sha256"]}, headers=_key(f"again.{before}")
            )
            if again.status_code != 409:
                wrong.append(f"approved again: {again.status_code}")
    what = "the clock an hour back, and ahead, between a proposal and its approval"
    return _attempt(attacked, what, "survived", "approved once; no decision asks the clock", wrong)


def _paid_once(attacked: Attacked, clock: _Clock) -> Attempt:
    wrong: list[str] = []
    said: list[object] = []
    body = {"instrument": "cash", "cents": _CENTS}
    with _desk(attacked, "demo.account_cashier") as desk:
        for seconds in (_HOUR, 0, _HOUR // 2, 0):
            clock.jump(seconds)
            answer = desk.post(f"/accounts/{PROPERTY}/{_ACCOUNT}/cash-outs", json=body, headers=_key("paid"))
            said.append((answer.status_code, answer.json()))
    if said != [said[0]] * len(said) or said[0][0] != 200:  # type: ignore[index]
        wrong.append(f"answered {said}")
    counted = attacked.rows(
        f"SELECT count(*) FROM wagering_accounts.entries WHERE kind = 'account.cashed_out' "
        f"AND data ->> 'account' = '{_ACCOUNT}'"
    )
    if counted != [(1,)]:
        wrong.append(f"paid {counted[0][0]} times")
    what = "a cash-out sent four times, the clock jumping by an hour between"
    return _attempt(attacked, what, "survived", "the answer of its key", wrong)


def _nobody_is_let_in(attacked: Attacked, clock: _Clock) -> Attempt:
    wrong: list[str] = []
    for seconds in (365 * _DAY, -_DAY, -365 * _DAY):
        clock.jump(seconds)
        with _desk(attacked, "demo.account_cashier") as desk:
            answer = desk.get(f"/accounts/{PROPERTY}/{_ACCOUNT}")
        if answer.status_code != 401:
            wrong.append(f"{seconds:+} s: {answer.status_code}")
    return _attempt(
        attacked, "the clock a year ahead, a day and a year back", "refused", "401: no token is good", wrong
    )


def _settled_all_the_same(floor: Floor) -> Attempt:
    """Whatever was recorded under a clock that jumped is published, reported, and verified."""
    attacked, wrong = floor.attacked, list[str]()
    floor.settled()
    compared = attacked.command("rebuild", ACCOUNTS, "--check")
    if compared.code:
        wrong.append(f"`rebuild --check`: {compared.said[-300:]}")
    what = "what was recorded under a clock that jumped, verified and projected again"
    return _attempt(attacked, what, "survived", "sequences, not moments", wrong)


def _attempt(attacked: Attacked, what: str, outcome: str, by: str, wrong: list[str]) -> Attempt:
    verified = attacked.command("verify", "--service", ACCOUNTS)
    if verified.code:
        wrong.append(f"`verify`: {verified.said[-300:]}")
    lines = [line for line in verified.said.splitlines() if " all " in line or "problem" in line]
    no = "nothing is wrong, and nothing is said"
    signs = {name: Sign(no) for name in ("metric", "alert", "log", "readyz")}
    said = " ".join(lines[-1].split()) if lines else verified.said[-200:]
    signs["verify"] = Sign(f"exit {verified.code}: {said}", verified.seconds, missing=verified.code != 0)
    stated, within = AT_ONCE
    assert outcome in ("refused", "survived")
    return Attempt(16, what, outcome, by, stated, within + looked_seconds(), signs, wrong)  # type: ignore[arg-type]


def _key(name: str) -> dict[str, str]:
    return {"idempotency-key": f"attack.16.{name}"}


@contextmanager
def _under_another_clock(attacked: Attacked, compiler: str) -> Iterator[_Clock]:
    """Run a second process of the wagering accounts under a clock that is set beside the right time."""
    directory = attacked.directory
    clock, library = _Clock(directory / "clock"), directory / "clock.so"
    source = directory / "clock.c"
    source.write_text(_SHIM)
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    port, log = free_port(), directory / "clock.log"
    run = directory / "run"
    environment = dict(os.environ) | dict(attacked.up.environment)
    environment |= {
        "LD_PRELOAD": str(library),
        "CLOCK_OFFSET_FILE": str(clock.file),
        "PITLEDGER_CHECKPOINT_KEY_FILE": str(run / "keys" / f"{ACCOUNTS}.pem"),
        "PITLEDGER_PATRON_KEYS_FILE": str(run / "keys" / PATRON_KEYS),
        "PITLEDGER_HTTP_PORT": str(port),
    }
    with log.open("w") as said:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "services.cli.main", "run", ACCOUNTS], env=environment, stderr=said
        )
    try:
        with attacked.guest(_GUEST, f"http://{LOOPBACK}:{port}", log):
            eventually(
                lambda: not attacked.not_ready(_GUEST),
                because="the second process is ready",
                seconds=90,
                retry_on=httpx.HTTPError,
            )
            yield clock
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            say(f"    the second process did not end, and said last:\n{log_tail(log)}")
            raise
