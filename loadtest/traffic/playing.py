"""Play a day on a running stack, and wait until the day is settled and reported."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from loadtest.floor.books import Books
from loadtest.floor.devices import Devices
from loadtest.floor.messages import Message
from loadtest.traffic.progress import POLL_SECONDS, TooSlow, Watch
from loadtest.traffic.publish import Publisher
from loadtest.traffic.target import Target

STALLED_SECONDS: Final = 60.0
"""The time without progress, in seconds, after which the run fails."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a day: records produced and settled, entries recorded and reported, seconds so far."""

    produced: int
    settled: int
    entries: int
    reported: int
    seconds: float


Show = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Played:
    """A played day: the expected books, the numbers of records and entries, and the seconds until each stage."""

    books: Mapping[str, Books]
    """The expected books by property."""
    records: int
    entries: int
    produced_seconds: float
    settled_seconds: float
    reported_seconds: float


def play(target: Target, messages: Iterable[Message], show: Show, devices: Devices | None = None) -> Played:
    """Produce the messages as fast as possible, and wait until reporting has processed the resulting entries.

    `devices` sign the messages, if given. `show` is called regularly with the progress. Raises: NotDelivered, TooSlow.
    """
    books: defaultdict[str, Books] = defaultdict(Books)
    started = shown_at = time.monotonic()
    produced = 0
    with Watch(target) as watch:
        with Publisher(target.bootstrap_servers, devices=devices) as publisher:
            for message in messages:
                books[message.property].add(message)
                publisher.send(message)
                produced += 1
                if time.monotonic() - shown_at > POLL_SECONDS:
                    show(_progress(watch, produced, started))
                    shown_at = time.monotonic()
        produced_seconds = time.monotonic() - started
        settled_seconds = _wait(watch, produced, started, show, lambda now: now.settled >= produced)
        reported_seconds = _wait(watch, produced, started, show, lambda now: now.reported >= now.entries)
        return Played(books, produced, watch.entries(), produced_seconds, settled_seconds, reported_seconds)


def _progress(watch: Watch, produced: int, started: float) -> Progress:
    return Progress(produced, watch.settled(), watch.entries(), watch.reported(), time.monotonic() - started)


def _wait(watch: Watch, produced: int, started: float, show: Show, done: Callable[[Progress], bool]) -> float:
    """Wait until `done(progress)` is true; return the seconds since the start. Raises: TooSlow."""
    moved_at, before = time.monotonic(), -1
    while True:
        now = _progress(watch, produced, started)
        show(now)
        if done(now):
            return now.seconds
        if now.settled + now.reported != before:
            moved_at, before = time.monotonic(), now.settled + now.reported
        elif time.monotonic() - moved_at > STALLED_SECONDS:
            raise TooSlow(
                f"nothing moved for {STALLED_SECONDS:.0f} s: {now.settled} of {now.produced} records settled, "
                f"{now.reported} of {now.entries} entries reported; the logs of the services say why"
            )
        time.sleep(POLL_SECONDS)
