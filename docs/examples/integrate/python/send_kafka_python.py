"""Sends the example round with kafka-python: `python send_kafka_python.py BJ-02 2`, the table and its next number."""

import json
import os
import sys
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from kafka import KafkaProducer

table, sequence = sys.argv[1], int(sys.argv[2])
now = datetime.now(ZoneInfo("America/New_York"))
source = f"/properties/riverside/tables/{table}"
data = {
    "property": "riverside",
    "table": table,
    "game": "blackjack",
    "gaming_day": (now - timedelta(hours=6)).date().isoformat(),  # it begins at six
    "opened_at": now.isoformat(),
    "closed_at": now.isoformat(),
    "round_id": f"{table}-{sequence:04}",
    "regulation": "pa-633a-2024",
    "round": json.loads((Path(__file__).parents[1] / "round.json").read_text()),
}
event = {
    "specversion": "1.0",
    "id": f"{table}-{sequence}",
    "source": source,
    "type": "round.completed",
    "time": now.isoformat(),
    "sequence": sequence,
    "data": data,
}
producer = KafkaProducer(
    bootstrap_servers=os.environ["KAFKA_BOOTSTRAP_SERVERS"].split(","), enable_idempotence=True, acks="all"
)
kept = producer.send(
    "table.events",
    key=source.encode(),
    value=json.dumps(event).encode(),
    headers=[("content-type", b"application/cloudevents+json")],
).get(timeout=30)
producer.close()
print(f"{data['round_id']} sent to {kept.topic}/{kept.partition}, offset {kept.offset}")
