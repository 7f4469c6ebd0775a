"""Watches what names an attack: a metric, readiness, an alert, a line of the log, and `pitledger verify`."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

import httpx

from tests.attacks.outcome import Attempt, Outcome, Sign
from tests.attacks.pace import FASTER, Stated, looked_seconds
from tests.attacks.stack import Attacked, Command

_PATIENCE_SECONDS: Final = 30.0
"""How much longer than stated is waited, so that what comes late is known from what never comes."""

_LOOK_SECONDS: Final = 0.1
_ALERT_SECONDS: Final = {
    "PitledgerServiceDown": 60,
    "PitledgerVerificationFailed": 60,
    "PitledgerClientsCutOff": 300,
    "PitledgerCallersRefused": 300,
    "PitledgerLogLinesLeftOut": 600,
}
"""What the rules let pass before these alerts fire; the others fire at once."""


@dataclass(frozen=True, slots=True)
class No:
    """A channel that has nothing to say of an attack, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure of a service that changes: to a value, by so much, or by anything at all."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    to: float | None = None
    by: float | None = None
    with_readyz: bool = False
    """Whether it counts only together with what /readyz says: a service that has just started says 0 of itself."""

    def changed(self, before: float, now: float) -> bool:
        """Return whether it has done that."""
        if self.to is not None:
            return now == self.to
        return now - before >= self.by if self.by is not None else now > before

    def __str__(self) -> str:
        labels = ",".join(f'{name}="{value}"' for name, value in self.labels.items())
        return f"{self.name}{{{labels}}}" if labels else self.name


@dataclass(frozen=True, slots=True)
class Says:
    """A command of ours that is to end so, with these words in what it says."""

    words: tuple[str, ...]
    code: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """How an attack is to be named: by which service, in which words, within which time."""

    service: str
    stated: Stated
    metric: Metric | No
    readyz: str | No
    alert: str | No
    log: str | No
    verify: Says | No


@dataclass(slots=True)
class Watch:
    """What has been seen since an attack began."""

    attacked: Attacked
    named: Named
    signs: dict[str, Sign] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    _struck: float = 0.0
    _ended: float | None = None
    _given_up: bool = False
    _seen: dict[str, tuple[str, float]] = field(default_factory=dict)

    def strike(self) -> None:
        """Begin to count from now: the block began earlier, to bring the attack about."""
        self._struck = time.monotonic()

    def require(self, good: bool, otherwise: str) -> None:
        """Note what should not have been possible."""
        if not good:
            self.wrong.append(otherwise)

    def attempt(self, point: int, what: str, outcome: Outcome, by: str) -> Attempt:
        """Return what the attack came to."""
        stated, within = self.named.stated
        return Attempt(point, what, outcome, by, stated, within + looked_seconds(), self.signs, self.wrong)

    def _looks(self) -> dict[str, Callable[[], str | None]]:
        named, attacked, service = self.named, self.attacked, self.named.service
        looks: dict[str, Callable[[], str | None]] = {}
        if not isinstance(metric := named.metric, No):
            before = attacked.metric(service, metric.name, metric.labels)

            def look_at_metric() -> str | None:
                now = attacked.metric(service, metric.name, metric.labels)
                if metric.with_readyz and _holding(attacked.not_ready(service), str(named.readyz)) is None:
                    return None
                return f"{metric} {before:g} → {now:g}" if metric.changed(before, now) else None

            looks["metric"] = look_at_metric
        if not isinstance(readyz := named.readyz, No):
            looks["readyz"] = lambda: _holding(attacked.not_ready(service), readyz)
        if not isinstance(alert := named.alert, No):
            looks["alert"] = self._alert(alert)
        if not isinstance(words := named.log, No):
            log = attacked.log(service)
            skipped = log.stat().st_size
            looks["log"] = lambda: _line(log.read_bytes()[skipped:].decode(errors="replace"), words)
        return looks

    def _alert(self, alert: str) -> Callable[[], str | None]:
        prometheus = self.attacked.prometheus
        if prometheus is None:
            return lambda: "not looked at: there is no Prometheus here"
        before = {"firing"} & {prometheus.state(alert, self.named.service)}

        def look() -> str | None:
            state = prometheus.state(alert, self.named.service)
            return f"{alert} firing{' (as before)' if before else ''}" if state == "firing" else None

        return look

    def _limit(self, channel: str) -> float:
        alert, (_, within) = self.named.alert, self.named.stated
        more = _ALERT_SECONDS.get(alert, 0) / FASTER if channel == "alert" and isinstance(alert, str) else 0.0
        return within + looked_seconds() + more

    def wait(self, looks: dict[str, Callable[[], str | None]]) -> None:
        """Look until everything was seen, or cannot be expected any more."""
        waiting = dict(looks)
        while waiting and self._may_come(waiting):
            for channel, look in list(waiting.items()):
                with suppress(httpx.HTTPError):  # it was killed, and is not there again
                    if (said := look()) is not None:
                        self._seen[channel] = said, time.monotonic()
                        del waiting[channel]
            time.sleep(_LOOK_SECONDS)

    def _may_come(self, channels: Iterable[str]) -> bool:
        if self._ended is None:
            return not self._given_up
        return time.monotonic() - self._ended < max(map(self._limit, channels)) + _PATIENCE_SECONDS

    def judge(self, channels: Iterable[str]) -> None:
        """Note what was seen in time, late, or never."""
        for channel in channels:
            if channel not in self._seen:
                self.signs[channel] = Sign(f"{getattr(self.named, channel)} was waited for in vain", missing=True)
                self.wrong.append(f"{channel} does not name it")
                continue
            said, moment = self._seen[channel]
            seconds = max(0.0, moment - self._struck)
            self.signs[channel] = Sign(said, seconds)
            if seconds > (limit := self._limit(channel)):
                self.wrong.append(f"{channel} names it after {seconds:.1f} s, not {limit:.1f} s")

    def say(self, says: Says, ended: Command) -> None:
        """Note what a command of ours said."""
        found = _holding(ended.said, says.text)
        words = f"`pitledger {' '.join(says.words)}` exit {ended.code}"
        if ended.code == says.code and found is not None:
            self._see_command(Sign(f"{words}: {found}", ended.seconds))
        else:
            self._see_command(Sign(f"{words}: {ended.said[-400:]!r}", ended.seconds, missing=True))

    def _see_command(self, sign: Sign) -> None:
        self.signs["verify"] = sign
        if sign.missing:
            self.wrong.append(f"verify does not name it: {sign.said}")


@contextmanager
def watching(attacked: Attacked, named: Named) -> Iterator[Watch]:
    """Watch while an attack goes on, which is the block; at its end, wait until it was named, or should have been.

    `verify` is asked at the end of the block.
    """
    watch = Watch(attacked, named)
    for channel in ("metric", "readyz", "alert", "log", "verify"):
        if isinstance(no := getattr(named, channel), No):
            watch.signs[channel] = Sign(no.why)
    looks = watch._looks()
    with ThreadPoolExecutor(1) as pool:
        watch.strike()
        seen = pool.submit(watch.wait, looks)
        try:
            yield watch
        except BaseException:
            watch._given_up = True
            raise
        watch._ended = time.monotonic()
        if isinstance(says := named.verify, Says):
            watch.say(says, attacked.command(*says.words))
        seen.result()
    watch.judge(looks)


def _holding(text: str, words: str) -> str | None:
    """Return the line of a text that holds these words, shortened."""
    return next((line.strip()[:240] for line in text.splitlines() if words in line), None)


def _line(text: str, words: str) -> str | None:
    """Return the line of a log in which an event of this name, or these words, stand: as people read it."""
    found = next((line for line in text.splitlines() if words in line), None)
    if found is None or not found.startswith("{"):
        return found
    said = json.loads(found)
    left_out = ("timestamp", "service", "level", "event")
    facts = ", ".join(f"{name}={value}" for name, value in said.items() if name not in left_out)
    return f"{said['level']}: {said['event']} ({facts})"[:240]
