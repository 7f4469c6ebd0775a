"""What goes on in the casino of the twin: signed rounds to Kafka, and money to an account over HTTP."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import httpx

from loadtest.bench.expected_journal import Expected
from loadtest.floor.devices import Devices
from loadtest.traffic.corpus import Head, Record, played
from loadtest.traffic.opening import open_all
from loadtest.traffic.progress import Watch
from loadtest.traffic.publish import Publisher
from loadtest.traffic.registry import file_and_approve
from services.cli.services import NAMES
from shared.contracts.submissions import RulesSubmission
from shared.runtime.database_names import role_of
from tests.support.answers import post
from tests.twin.patience import PATIENT_SECONDS, in_time
from tests.twin.stack import ACCOUNTS, SETTLEMENT, Twin

PROPERTY: Final = "loadtest-1"
ACCOUNT: Final = "twin"
CENTS: Final = 100_00
TABLES: Final = 4
_ASK_SECONDS: Final = 5.0
_AGAIN_SECONDS: Final = 0.2
_ENDING_SECONDS: Final = 2 * PATIENT_SECONDS


class Play:
    """The rounds that are played, those that the broker has acknowledged, and the buy-ins that were answered."""

    def __init__(self, twin: Twin, *, seed: int, rounds: int, rate: float = 10.0) -> None:
        self._twin = twin
        self._head = Head(rounds, TABLES, 1, seed)
        self._records = list(played(self._head))
        self._devices = Devices([site.document for site in self._head.sites])
        self._seconds = 1 / rate
        self._over = threading.Event()
        self.sent: list[Record] = []
        self.bought_in = 0

    @property
    def left(self) -> int:
        """Return how many rounds are still to be played."""
        return len(self._records) - len(self.sent)

    def open(self) -> None:
        """File what is to be filed, and open pools and accounts."""
        twin, sites = self._twin, self._head.sites
        submissions = [each for site in sites for each in site.submissions]
        under = [role_of(name) for name in twin.services if name in (SETTLEMENT, "vigorish", "progressive-meters")]
        everybody = [role_of(name) for name in twin.services if name != "paytable-registry"]
        with Watch(twin.target) as watch:
            file_and_approve(twin.target, self._devices.documents, [])
            watch.wait_for_properties(1, seconds=PATIENT_SECONDS, schemas=everybody)
            # Its keys make a repetition harmless: counting paybacks takes long on a busy machine.
            in_time(lambda: self._filed(submissions), because="the submissions are approved")
            watch.wait_for_submissions(len(submissions), seconds=PATIENT_SECONDS, schemas=under)
        services = {name: url for name, url in twin.urls.items() if name in NAMES}
        open_all(services, twin.tokens, sites, self._records)
        answer = self._ask("/accounts", "open", {"account": ACCOUNT, "property": PROPERTY, "table": self._table})
        assert answer.is_success, answer.text

    def _filed(self, submissions: Sequence[RulesSubmission]) -> bool:
        file_and_approve(self._twin.target, [], submissions)
        return True

    @property
    def _table(self) -> str:
        return self._head.sites[0].plans[0].name

    def expected(self) -> Expected:
        """Return who settles the rounds once more."""
        return Expected(self._head.sites)

    def again(self, partition: int, sent: list[tuple[str, bytes]]) -> None:
        """Send events again that the broker has lost, signed as before."""
        with self._publisher(partition) as publisher:
            for key, value in sent:
                publisher.send(Record(key, 0, value))

    def _publisher(self, partition: int | None = None) -> Publisher:
        return Publisher(
            self._twin.servers, devices=self._devices, partition=partition, answer_seconds_max=PATIENT_SECONDS
        )

    @contextmanager
    def running(self) -> Iterator[None]:
        """Play until the end of the block, and return when all that was sent is acknowledged."""
        self._over.clear()
        failed: list[BaseException] = []

        def guarded(work: object) -> None:
            try:
                work()  # type: ignore[operator]
            except BaseException as error:  # noqa: BLE001 - it is raised where the block ends
                failed.append(error)

        threads = [threading.Thread(target=guarded, args=(work,)) for work in (self._send, self._buy_in)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._over.set()
            for thread in threads:
                thread.join(_ENDING_SECONDS)
        if failed:
            raise failed[0]
        assert not any(thread.is_alive() for thread in threads), "all that was sent is answered"

    def _send(self) -> None:
        before = len(self.sent)
        given: list[Record] = []
        with self._publisher() as publisher:
            while not self._over.wait(self._seconds) and before + len(given) < len(self._records):
                record = self._records[before + len(given)]
                publisher.send(record)
                given.append(record)
        self.sent += given

    def _buy_in(self) -> None:
        """Buy in again and again, each time with the same key until it is answered."""
        while not self._over.wait(5 * self._seconds):
            body = {"instrument": "cash", "cents": CENTS}
            while True:
                try:
                    answer = self._ask(f"/accounts/{PROPERTY}/{ACCOUNT}/buy-ins", f"in-{self.bought_in}", body)
                except httpx.HTTPError:
                    answer = None
                if answer is not None and answer.is_success:
                    self.bought_in += 1
                    break
                if answer is not None and answer.is_client_error and answer.status_code != httpx.codes.UNAUTHORIZED:
                    raise AssertionError(f"a buy-in was answered {answer.status_code}: {answer.text}")
                time.sleep(_AGAIN_SECONDS)

    def _ask(self, path: str, key: str, body: object) -> httpx.Response:
        twin = self._twin
        headers = {
            "authorization": f"Bearer {twin.tokens['demo.account_cashier']}",
            "idempotency-key": f"twin-{key}",
        }
        url = f"{twin.urls[ACCOUNTS]}{path}"
        return post(url, json=body, headers=headers, timeout=_ASK_SECONDS)
