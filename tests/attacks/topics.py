"""Point 10: topics that are others than those that were read, and records that are gone from them."""

import os
import signal
from collections.abc import Iterator
from functools import partial
from typing import Final

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient

from services.cli.demo.pit import INVENTORY
from shared.contracts.topics import PIT_EVENTS, TABLE_EVENTS
from tests.attacks.altered import SETTLEMENT
from tests.attacks.floor import Floor, each
from tests.attacks.naming import stopped
from tests.attacks.outcome import Attempt
from tests.attacks.stack import Attacked
from tests.attacks.watching import No, Says, watching
from tests.support import eventually
from tests.support.services import create_topics, produce

_SECONDS: Final = 30


def made_anew(floor: Floor) -> Iterator[Attempt]:
    """Delete records before they are read, then a whole topic, and make one of its name."""
    floor.settled()
    yield _deleted_unread(floor)
    yield _another_topic(floor)


def _deleted_unread(floor: Floor) -> Attempt:
    """Kill a service, send it records, and delete them before it is started again."""
    attacked = floor.attacked
    topic = PIT_EVENTS.name
    key = f"/properties/bayside/tables/{floor.plans[0].name}/pit".encode()
    named = stopped(INVENTORY, topic, No("the journal is as it was: nothing was counted"))
    before, admin = _ends(attacked, topic), AdminClient({"bootstrap.servers": attacked.servers})
    with watching(attacked, named) as watch:
        os.kill(attacked.up.pid_of_service(INVENTORY), signal.SIGKILL)  # it is back after seconds
        produce(attacked.servers, topic, [(key, b"{}")] * 3)
        after = _ends(attacked, topic)
        [moved] = [number for number in after if after[number] > before[number]]
        place = TopicPartition(topic, moved, after[moved])
        admin.delete_records([place])[place].result(timeout=_SECONDS)
        watch.strike()
    why = attacked.not_ready(INVENTORY).partition("not read on: ")[2]
    return watch.attempt(10, "records of a topic deleted before they were read", "found", why[:100])


def _ends(attacked: Attacked, topic: str) -> dict[int, int]:
    """Return the end of each partition."""
    consumer = Consumer({"bootstrap.servers": attacked.servers, "group.id": "an-attacker"})
    try:
        numbers = consumer.list_topics(topic, timeout=_SECONDS).topics[topic].partitions
        offsets = {one: consumer.get_watermark_offsets(TopicPartition(topic, one), timeout=_SECONDS) for one in numbers}
        return {number: found[1] for number, found in offsets.items()}
    finally:
        consumer.close()


def _another_topic(floor: Floor) -> Attempt:
    attacked = floor.attacked
    topic = TABLE_EVENTS.name
    before = floor.posted()
    named = stopped(SETTLEMENT, topic, Says(("verify", "--rederive", "--service", SETTLEMENT), 1, "problem"))
    admin = AdminClient({"bootstrap.servers": attacked.servers, "log_level": 0})
    partitions = len(_ends(attacked, topic))
    with watching(attacked, named) as watch:
        admin.delete_topics([topic])[topic].result(timeout=_SECONDS)
        eventually(partial(_is_gone, admin, topic), because="the topic is gone")
        create_topics(attacked.servers, {topic: partitions})
        others = floor.coming(50)
        produce(attacked.servers, topic, each(others))  # fewer than were read, and none is at its place
    watch.require(floor.posted() == before, f"{floor.posted()} settlements, not {before}: something was counted")
    why = attacked.not_ready(SETTLEMENT).partition("not read on: ")[2]
    return watch.attempt(10, "a topic deleted and made anew under the same cluster id", "found", why[:100])


def _is_gone(admin: AdminClient, topic: str) -> bool:
    return topic not in admin.list_topics(timeout=_SECONDS).topics
