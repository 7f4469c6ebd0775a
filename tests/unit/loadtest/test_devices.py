"""The simulated floor signs as its property demands."""

from datetime import date

from loadtest.floor.devices import Devices
from loadtest.floor.games import pit
from loadtest.floor.messages import day
from loadtest.floor.property import property_document
from services.paytable_registry.domain.property_checks import problems
from shared.contracts.envelope import pit_source
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.ratings import rating_source
from shared.contracts.tables import READER
from shared.contracts.topics import PIT_EVENTS, RATING_EVENTS, TABLE_EVENTS
from shared.rules.errors import Refused
from shared.runtime.ingest.device_check import require_device
from shared.runtime.ingest.handler import InputRecord
from tests.support.properties import approved

DAY = date(2026, 11, 20)


def test_every_message_is_signed_by_who_may_speak_for_its_table() -> None:
    """Rounds by the terminal of their table, pit and ratings by their systems; the property takes nothing else."""
    plans = pit(2)
    devices = Devices([property_document("bayside", plans, DAY)])
    [document] = devices.documents
    assert [] == problems(document)
    place = PropertySnapshot.of(approved().model_copy(update=dict(document)))
    at = document.effective_from
    sent = list(day(property_name="bayside", plans=plans, gaming_day=DAY, seed=1, rounds=30, plants=True))
    in_pit = pit_source("bayside", plans[0].name)
    for topic, source, value in (
        *((TABLE_EVENTS, one.key, one.value) for one in sent),
        (PIT_EVENTS, in_pit, b"what nobody reads here"),
        (RATING_EVENTS, rating_source("bayside", plans[0].name), b"nor this"),
    ):
        headers = tuple((name, text) for name, text in devices.headers(topic.name, source, value))
        assert all(isinstance(text, bytes) for _, text in headers)
        record = InputRecord(topic.name, 0, 0, source.encode(), value, at, headers)  # type: ignore[arg-type]
        try:
            event = READER.decode(value)
        except Refused as refused:
            require_device(topic, record, refused, lambda *_: place, at)
        else:
            require_device(topic, record, event, lambda *_: place, at)
