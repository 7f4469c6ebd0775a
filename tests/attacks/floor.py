"""The day that is in the books of an attacked stack: signed rounds, what the pit reported, and rounds still to come."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from loadtest.floor.devices import Devices
from loadtest.floor.electronic import electronic_tables
from loadtest.floor.floor_day import initial_meters, opening
from loadtest.floor.games import pit, rules_submissions
from loadtest.floor.messages import Message, day
from loadtest.floor.pit import PitBook, PitDay
from loadtest.floor.property import property_document
from loadtest.traffic.progress import Watch
from loadtest.traffic.publish import Publisher
from loadtest.traffic.registry import file_and_approve
from services.cli.client import Client
from services.cli.demo.gaming_day import gaming_day_of
from services.cli.demo.pit import ACCOUNTS, People, report_pit
from shared.contracts.device_signatures import encoded_key
from shared.contracts.devices import DeviceKey
from shared.contracts.properties import Device, PropertyDocument
from shared.contracts.topics import PIT_EVENTS, SETTLEMENTS, TABLE_EVENTS
from tests.attacks.stack import Attacked
from tests.support import eventually

PROPERTY: Final = "bayside"
STOLEN: Final = "stolen-terminal"
ROUNDS: Final = 240
"""So many are in the books before anything is attacked."""
_ALL_ROUNDS: Final = 3_000
_SECONDS: Final = 120.0
_READERS: Final = ("table_inventory", "vigorish", "progressive_meters", "wagering_accounts", "reporting")

_POSTED: Final = """
    SELECT count(*), count(DISTINCT data ->> 'round_id') FROM round_settlement.entries WHERE kind = 'settlement.posted'
"""


class Desks(People):
    """The people of an attacked stack at their desks, over HTTP."""

    def __init__(self, attacked: Attacked) -> None:
        super(People, self).__init__()
        self._attacked = attacked

    def at(self, service: str, person: str = "demo.auditor") -> Client:
        """Return a service as a person calls it."""
        return self.enter_context(Client(service, self._attacked.urls[service], self._attacked.tokens[person]))


class Floor:
    """The tables of the property: what they have sent, and what they will send. Devices sign all of it."""

    def __init__(self, attacked: Attacked) -> None:
        self.attacked = attacked
        every = pit(12)
        simple = [plan for plan in every if not initial_meters(plan) and plan.name not in electronic_tables(every)]
        self.plans = tuple(simple)
        self.gaming_day = gaming_day_of(datetime.now(UTC))
        self.stolen = Ed25519PrivateKey.generate()
        self._filed = self._document()
        self.devices = Devices([self._filed])
        self.sent = 0
        self.spent = False
        """Whether the stack does not have any more what was sent: nobody goes on with it."""
        self._coming = day(
            property_name=PROPERTY,
            plans=self.plans,
            gaming_day=self.gaming_day,
            seed=1,
            rounds=_ALL_ROUNDS,
            plants=False,
        )
        self.pit: PitDay

    def _document(self) -> PropertyDocument:
        """Return the property; at its first table is a second terminal, whose key will be stolen."""
        document = property_document(PROPERTY, self.plans, self.gaming_day)
        key = DeviceKey(
            kid=STOLEN, public_key=encoded_key(self.stolen.public_key()), valid_from=document.effective_from
        )
        terminal = Device(kind="terminal", asset_number=STOLEN, signs=(TABLE_EVENTS.name,), signing_keys=(key,))
        first, *others = document.tables
        with_it = first.model_copy(update={"devices": (*first.devices, terminal)})
        return document.model_copy(update={"tables": (with_it, *others)})

    def revoke(self) -> None:
        """File a version of the property that takes effect tomorrow, in which the stolen key is revoked."""
        [document] = self.devices.documents
        first, *others = document.tables
        revoked = tuple(
            device.model_copy(update={"signing_keys": tuple(_revoked(key) for key in device.signing_keys)})
            for device in first.devices
        )
        self._file(document.model_copy(update={"tables": (first.model_copy(update={"devices": revoked}), *others)}))

    def file_again(self) -> None:
        """File the property again as it was filed last, as another version."""
        self._file(self._filed)

    def _file(self, document: PropertyDocument) -> None:
        """File a version of the property that takes effect days from now."""
        [(versions,)] = self.attacked.rows("SELECT count(*) FROM round_settlement.properties")
        begins = document.effective_from + timedelta(days=3 + versions)
        file_and_approve(self.attacked.target, [document.model_copy(update={"effective_from": begins})], [])
        with Watch(self.attacked.target) as watch:
            watch.wait_for_properties(versions + 1, seconds=_SECONDS)
        self._filed = document

    def open(self) -> None:
        """File what is to be filed, play the first rounds, and have the pit report."""
        target, since = self.attacked.target, opening(self.gaming_day)
        file_and_approve(target, self.devices.documents, rules_submissions(PROPERTY, self.plans, since))
        submissions = len({plan.game for plan in self.plans})
        with Watch(target) as watch:
            for schema in ("round_settlement", "vigorish", "table_inventory"):
                watch.wait_for_properties(1, seconds=_SECONDS, schemas=(schema,))
            watch.wait_for_submissions(submissions, seconds=_SECONDS)
            watch.wait_for_submissions(submissions, seconds=_SECONDS, schemas=("vigorish",))
        book = PitBook(PROPERTY, self.plans, self.gaming_day)
        self.play(ROUNDS, book)
        self.pit = book.day()
        with Desks(self.attacked) as people:
            reports = report_pit(people, self.pit, self.attacked.servers, self.devices)
        with Watch(target) as watch:
            watch.wait_for_topic("table_inventory", PIT_EVENTS.name, reports, seconds=_SECONDS)
        self.settled()

    def coming(self, count: int) -> list[Message]:
        """Return the rounds that come next: whoever asks sends them."""
        return list(islice(self._coming, count))

    def next_at(self, message: Message) -> Message:
        """Return the next round of the same table; those of others that come before it are played."""
        while (found := self.coming(1)[0]).table != message.table:
            self.send(found)
        return found

    def send(self, *messages: Message) -> None:
        """Send rounds, signed, and return when the broker has acknowledged them."""
        with Publisher(self.attacked.servers, devices=self.devices) as publisher:
            for message in messages:
                publisher.send(message)
        self.sent += len(messages)

    def play(self, count: int, book: PitBook | None = None) -> None:
        """Send the next rounds, and wait until they are settled."""
        messages = self.coming(count)
        for message in messages if book is not None else ():
            assert book is not None
            book.look(message)
        self.send(*messages)
        eventually(self.all_posted, because="what was acknowledged is settled", seconds=_SECONDS)

    def posted(self) -> tuple[int, int]:
        """Return how many settlements are posted, and of how many different rounds."""
        [(count, different)] = self.attacked.rows(_POSTED)
        return count, different

    def all_posted(self) -> bool:
        """Whether each round that was sent is posted once, and no other."""
        return self.posted() == (self.sent, self.sent)

    def settled(self) -> None:
        """Wait until everybody has read all settlements, and signed all that followed."""
        with Watch(self.attacked.target) as watch:
            eventually(lambda: watch.published() >= watch.entries(), because="all is published", seconds=_SECONDS)
            for schema in _READERS:
                watch.wait_for_topic(schema, SETTLEMENTS.name, watch.entries(), seconds=_SECONDS)
            signed = partial(watch.wait_for_checkpoints, seconds=_SECONDS)
            signed(schemas=("round_settlement", "wagering_accounts", "table_inventory"))

    def fund(self, account: str, cents: int) -> None:
        """Open a game account at the first table and buy in."""
        with Desks(self.attacked) as people:
            opened = {"property": PROPERTY, "account": account, "table": self.plans[0].name}
            people.does("demo.account_cashier", ACCOUNTS, "/accounts", opened)
            money = {"instrument": "cash", "cents": cents}
            people.does("demo.account_cashier", ACCOUNTS, f"/accounts/{PROPERTY}/{account}/buy-ins", money)


def _revoked(key: DeviceKey) -> DeviceKey:
    return key.model_copy(update={"revoked_at": datetime.now(UTC)}) if key.kid == STOLEN else key


def event_of(message: Message, data: Mapping[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """Return the event of a message, with other content."""
    event: dict[str, Any] = json.loads(message.value)
    event["data"] |= data or {}
    return event | changes


def raw(event: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """Return the key and the bytes of an event, as they go to a topic."""
    return str(event["source"]).encode(), json.dumps(event).encode()


def each(messages: list[Message]) -> Iterator[tuple[bytes, bytes]]:
    """Give messages as keys and bytes."""
    for message in messages:
        yield message.key.encode(), message.value
