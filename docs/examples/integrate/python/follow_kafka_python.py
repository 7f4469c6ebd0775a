"""Follows the settlements with kafka-python until a round is settled: `python follow_kafka_python.py BJ-02-0002`.

It reads the topic from its beginning and keeps the streams in memory; `follow.py` keeps them with what it derives.
"""

import json
import os
import sys
import time
from typing import Any

from kafka import KafkaConsumer, TopicPartition

TOPIC, round_id = "settlements", sys.argv[1]
last: dict[str, int] = {}


def take(event: dict[str, Any]) -> bool:
    """Return whether an event is the next of its stream; one that was seen before is not. Ends where one is missing."""
    source, sequence = event["source"], event["sequence"]
    expected = last.get(source, 0) + 1
    if sequence > expected:
        sys.exit(f"{source}: {expected} is missing before {sequence}")
    if sequence == expected:
        last[source] = sequence
    return bool(sequence == expected)


consumer = KafkaConsumer(
    bootstrap_servers=os.environ["KAFKA_BOOTSTRAP_SERVERS"].split(","),
    enable_auto_commit=False,
    consumer_timeout_ms=1000,
)
partitions = [TopicPartition(TOPIC, number) for number in consumer.partitions_for_topic(TOPIC)]
consumer.assign(partitions)
consumer.seek_to_beginning(*partitions)
deadline = time.monotonic() + 60
while time.monotonic() < deadline:
    for record in consumer:
        event = json.loads(record.value)
        if not take(event) or event["type"] != "settlement.posted" or event["data"]["round_id"] != round_id:
            continue
        totals = event["data"]["totals"]
        handle, payout = (sum(total.get(name, 0) for total in totals) for name in ("handle_cents", "payout_cents"))
        revision = event["data"]["revision"]
        print(f"{round_id} revision {revision}: handle {handle}, payout {payout}, win {handle - payout} cents")
        consumer.close()
        sys.exit()
sys.exit(f"{round_id} was not settled within a minute: look at `pitledger quarantine list`")
