"""Sends the example round with confluent-kafka: `python send.py BJ-02 1`, the table and its next number."""

import json
import os
import sys
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from confluent_kafka import Message, Producer

table, sequence = sys.argv[1], int(sys.argv[2])
now = datetime.now(ZoneInfo("America/New_York"))
source = f"/properties/riverside/tables/{table}"
event = {
    "specversion": "1.0",
    "id": f"{table}-{sequence}",
    "source": source,
    "type": "round.completed",
    "time": now.isoformat(),
    "sequence": sequence,
    "data": {
        "property": "riverside",
        "table": table,
        "game": "blackjack",
        "gaming_day": (now - timedelta(hours=6)).date().isoformat(),  # it begins at six
        "opened_at": now.isoformat(),
        "closed_at": now.isoformat(),
        "round_id": f"{table}-{sequence:04}",
        "regulation": "pa-633a-2024",
        "round": json.loads((Path(__file__).parents[1] / "round.json").read_text()),
    },
}


def delivered(error: object, message: Message) -> None:
    """Say where the broker keeps the event; a sequence is used up only then."""
    if error is not None:
        sys.exit(f"not sent: {error}")
    print(f"{table}-{sequence:04} sent to {message.topic()}/{message.partition()}, offset {message.offset()}")


producer = Producer(
    {
        "bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"],
        "enable.idempotence": True,  # and with it acks=all: no loss, no order but the one of sending
        "partitioner": "murmur2_random",  # as Java's clients choose it: one stream, one partition, whoever writes
    }
)
producer.produce(
    "table.events",
    key=source,
    value=json.dumps(event),
    headers={"content-type": "application/cloudevents+json"},
    on_delivery=delivered,
)
if producer.flush(30):
    sys.exit("not sent: the broker did not answer; send the same bytes again")
