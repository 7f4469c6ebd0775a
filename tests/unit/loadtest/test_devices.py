"""The simulated floor signs as its property demands."""

from datetime import date
from typing import Any

from loadtest.floor.devices import Devices
from loadtest.floor.games import pit
from loadtest.floor.messages import day
from loadtest.floor.property import property_document
from services.cli.demo.beside_rounds import with_card_reader
from services.paytable_registry.domain.property_checks import problems
from shared.contracts.envelope import Event, pit_source
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
    """Rounds by the terminal, ratings by a card reader where there is one, and the rest by systems; nothing else."""
    plans = pit(2)
    filed = property_document("bayside", plans, DAY)
    filed = filed.model_copy(update={"tables": with_card_reader(filed, plans[0].name)})
    devices = Devices([filed])
    [document] = devices.documents
    assert [] == problems(document)
    place = PropertySnapshot.of(approved().model_copy(update=dict(document)))
    at = document.effective_from
    sent = list(day(property_name="bayside", plans=plans, gaming_day=DAY, seed=1, rounds=30, plants=True))
    in_pit = pit_source("bayside", plans[0].name)
    for topic, source, value in (
        *((TABLE_EVENTS, one.key, one.value) for one in sent),
        (PIT_EVENTS, in_pit, b"what nobody reads here"),
        *((RATING_EVENTS, rating_source("bayside", plan.name), b"nor this") for plan in plans),
    ):
        headers = tuple((name, text) for name, text in devices.headers(topic.name, source, value))
        assert all(isinstance(text, bytes) for _, text in headers)
        record = InputRecord(topic.name, 0, 0, source.encode(), value, at, headers)  # type: ignore[arg-type]
        event: Event[Any] | Refused
        try:
            event = READER.decode(value)
        except Refused as refused:
            event = refused
        signer = require_device(topic, record, event, lambda *_: place, at)
        assert signer is not None
        is_device = topic is TABLE_EVENTS or source == rating_source("bayside", plans[0].name)
        assert is_device == signer.is_device
    assert [True, False] == [place.ties_seats(plan.name) for plan in plans]
