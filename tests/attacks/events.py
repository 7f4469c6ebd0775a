"""Points 2, 3 and 9: whoever can write to a topic writes what no service, no device and no day has said."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

from confluent_kafka import Consumer, TopicPartition

from loadtest.floor.messages import Message
from services.cli.demo.pit import REPORTING, VIGORISH
from shared.contracts.device_signatures import HEADER, sign
from shared.contracts.topics import PIT_EVENTS, SETTLEMENTS, TABLE_EVENTS
from shared.journal.signed_batch import HEADER as PROOF
from tests.attacks.altered import SETTLEMENT
from tests.attacks.floor import STOLEN, Floor, event_of, raw
from tests.attacks.naming import at_the_door
from tests.attacks.outcome import Attempt
from tests.attacks.watching import Metric, watching
from tests.support import eventually
from tests.support.devices import key_of
from tests.support.services import produce

Header = Callable[[bytes], tuple[str, bytes]]

_REFUSED: Final = "SELECT reason FROM {0}.quarantine ORDER BY id DESC LIMIT {1}"


def reasons(floor: Floor, service: str, count: int) -> list[str]:
    """Return why a service has put the last records into quarantine, the latest first."""
    return [reason for (reason,) in floor.attacked.rows(_REFUSED.format(service.replace("-", "_"), count))]


def who_speaks(floor: Floor) -> Iterator[Attempt]:
    """Send rounds that no device of the table signed."""
    floor.revoke()
    first = floor.plans[0].name
    other = floor.plans[1].name
    mine = floor.devices

    def by_stolen(value: bytes) -> tuple[str, bytes]:
        return HEADER, sign(floor.stolen, STOLEN, TABLE_EVENTS.name, value)

    def by_other(value: bytes) -> tuple[str, bytes]:
        return _header(mine.headers(TABLE_EVENTS.name, f"/properties/bayside/tables/{other}", value))

    def by_nobody(value: bytes) -> tuple[str, bytes]:
        return HEADER, sign(key_of("nobody"), f"{first}-terminal", TABLE_EVENTS.name, value)

    def of_something_else(value: bytes) -> tuple[str, bytes]:
        return _header(mine.headers(TABLE_EVENTS.name, f"/properties/bayside/tables/{first}", value + b" "))

    tries: dict[str, Header | None] = {
        "without a signature": None,
        "signed with a key that nobody registered": by_nobody,
        "signed by the terminal of another table": by_other,
        "with the signature of another event": of_something_else,
        "signed with a key that was stolen, and revoked": by_stolen,
    }
    metric = Metric("pitledger_not_from_device_records_total", {"topic": TABLE_EVENTS.name}, by=1)
    for how, header in tries.items():
        true = _next_at(floor, first)
        named = at_the_door(SETTLEMENT, metric, alert="PitledgerNotFromDevice", log="not from a device")
        with watching(floor.attacked, named) as watch:
            forged = event_of(true, {"round_id": f"forged {how[:12]}"})
            produce(floor.attacked.servers, TABLE_EVENTS.name, [raw(forged)], header=header)
        _true_one_counts(floor, watch.require, true)
        [reason] = reasons(floor, SETTLEMENT, 1)
        yield watch.attempt(3, f"a round for the next place of a table, {how}", "refused", reason[:80])
    yield from _pit(floor)


def _pit(floor: Floor) -> Iterator[Attempt]:
    metric = Metric("pitledger_not_from_device_records_total", {"topic": PIT_EVENTS.name}, by=1)
    named = at_the_door("table-inventory", metric, alert="PitledgerNotFromDevice", log="not from a device")
    source = f"/properties/bayside/tables/{floor.plans[0].name}/pit"
    event = {
        "specversion": "1.0",
        "id": "forged",
        "source": source,
        "type": "chips.sold",
        "sequence": 9_999,
        "time": datetime.now(UTC).isoformat(),
        "data": {},
    }
    with watching(floor.attacked, named) as watch:
        produce(floor.attacked.servers, PIT_EVENTS.name, [raw(event)])
    yield watch.attempt(3, "chips sold, reported to the pit without a signature", "refused", "the door of the service")


def _header(headers: list[tuple[str, str | bytes | None]]) -> tuple[str, bytes]:
    [(name, value)] = headers
    assert isinstance(value, bytes)
    return name, value


def _next_at(floor: Floor, table: str) -> Message:
    """Return the next round of a table; those of others that come before it are played."""
    while (found := floor.coming(1)[0]).table != table:
        floor.send(found)
    return found


def _true_one_counts(floor: Floor, require: Callable[[bool, str], None], true: Message) -> None:
    floor.send(true)
    eventually(floor.all_posted, because="the true round is settled, and no other")
    gaps = floor.attacked.metric(SETTLEMENT, "pitledger_gaps_open")
    require(not gaps, f"{gaps:g} gaps are open")


def what_cannot_be(floor: Floor) -> Iterator[Attempt]:
    """Send signed events whose moments, days and places cannot be."""
    now = datetime.now(UTC)
    later = (now + timedelta(days=5 * 365)).isoformat()
    far = {"opened_at": "9999-12-30T00:00:00Z", "closed_at": "9999-12-30T00:01:00Z"}
    yesterday = (floor.gaming_day - timedelta(days=1)).isoformat()
    jump = {"sequence": 2**31 - 1, "id": "jump"}
    ahead, age, place = "ahead_minutes_max", "age_days_max", "sequence_jump_max"
    tries: list[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]] = [
        ("a round that was closed in the year 9999", ahead, far, {}),
        ("a gaming day of 2020", age, {"gaming_day": "2020-05-09"}, {}),
        ("a gaming day five years ahead", ahead, {"gaming_day": later[:10]}, {}),
        ("sequence 2,147,483,647, a gap of two billion", place, {"round_id": "jump"}, jump),
    ]
    for what, limit, data, changes in tries:
        labels = {"topic": TABLE_EVENTS.name, "limit": limit, "outcome": "refused"}
        metric = Metric("pitledger_implausible_events_total", labels, by=1)
        yield from _implausible(floor, what, metric, "PitledgerImplausibleEvents", "not plausible", data, changes)
    metric = Metric("pitledger_quarantined_records_total", {"topic": TABLE_EVENTS.name}, by=1)
    what = "a gaming day other than the property's zone and cut-off give"
    day = {"gaming_day": yesterday}
    yield from _implausible(floor, what, metric, "PitledgerQuarantineOpen", "is in gaming day", day, {})


def _implausible(
    floor: Floor, what: str, metric: Metric, alert: str, log: str, data: Mapping[str, Any], changes: Mapping[str, Any]
) -> Iterator[Attempt]:
    true = floor.coming(1)[0]
    with watching(floor.attacked, at_the_door(SETTLEMENT, metric, alert=alert, log=log)) as watch:
        produce(
            floor.attacked.servers,
            TABLE_EVENTS.name,
            [raw(event_of(true, data, **changes))],
            header=partial(_signed, floor, true),
        )
    _true_one_counts(floor, watch.require, true)
    [reason] = reasons(floor, SETTLEMENT, 1)
    yield watch.attempt(9, what, "refused", reason[:80])


def _signed(floor: Floor, message: Message, value: bytes) -> tuple[str, bytes]:
    return _header(floor.devices.headers(TABLE_EVENTS.name, message.key, value))


def what_is_believed(floor: Floor) -> Iterator[Attempt]:
    """Copy a record of `settlements` to the next place of its journal, and send an event again with other content."""
    for how in ("without a signature", "with the signature that it had"):
        yield from _copied(floor, signed=how.startswith("with the"), how=how)
    true = floor.coming(1)[0]
    floor.send(true)
    eventually(floor.all_posted, because="the round is settled")
    metric = Metric("pitledger_conflicts_total", {"topic": TABLE_EVENTS.name}, by=1)
    named = at_the_door(SETTLEMENT, metric, alert="PitledgerConflict", log="conflict: sequence")
    with watching(floor.attacked, named) as watch:
        again = event_of(true, {"dealer_id": "somebody-else"})
        header = partial(_signed, floor, true)
        produce(floor.attacked.servers, TABLE_EVENTS.name, [raw(again)], header=header)
    eventually(floor.all_posted, because="nothing else is settled")
    [reason] = reasons(floor, SETTLEMENT, 1)
    yield watch.attempt(2, "a table event again: its id and sequence, other content", "refused", reason[:80])


def _copied(floor: Floor, *, signed: bool, how: str) -> Iterator[Attempt]:
    attacked = floor.attacked
    floor.settled()
    place, key, value, proof = _last_settlement(attacked.servers)
    copy = json.loads(value)
    copy |= {"sequence": copy["sequence"] + 1, "id": f"{copy['id']}-forged"}
    copy["data"]["round_id"] = f"forged-{place.partition}-{place.offset}"
    header: Header | None = (lambda _: (PROOF, proof)) if signed else None
    metric = Metric("pitledger_not_authentic_records_total", {"topic": SETTLEMENTS.name}, by=1)
    named = at_the_door(REPORTING, metric, alert="PitledgerNotAuthentic", log="not authentic")
    with watching(attacked, named) as watch:
        produce(attacked.servers, SETTLEMENTS.name, [(key, json.dumps(copy).encode())], header=header)
    before = attacked.metric(VIGORISH, "pitledger_not_authentic_records_total", {"topic": SETTLEMENTS.name})
    watch.require(before > 0, f"{VIGORISH} has taken it")
    floor.play(10)
    floor.settled()
    [reason] = reasons(floor, REPORTING, 1)
    yield watch.attempt(2, f"a settlement copied to the next place, with another round, {how}", "refused", reason[:80])


def _last_settlement(servers: str) -> tuple[TopicPartition, bytes, bytes, bytes]:
    """Return the last record of a partition of `settlements` that has one: its place, key, value and signature."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "an-attacker", "enable.auto.commit": False})
    try:
        for number in consumer.list_topics(SETTLEMENTS.name, timeout=20).topics[SETTLEMENTS.name].partitions:
            low, high = consumer.get_watermark_offsets(TopicPartition(SETTLEMENTS.name, number), timeout=20)
            if high > low:
                place = TopicPartition(SETTLEMENTS.name, number, high - 1)
                consumer.assign([place])
                message = consumer.poll(30)
                assert message is not None, "a record is there"
                assert message.error() is None, message.error()
                proof = dict(message.headers() or [])[PROOF]
                assert isinstance(proof, bytes)
                return place, message.key() or b"", message.value() or b"", proof
        raise AssertionError("nothing was settled")
    finally:
        consumer.close()
