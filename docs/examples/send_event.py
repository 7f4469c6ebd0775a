"""Sends a round of play from a system of one's own; any Kafka client in any language does."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import yaml
from confluent_kafka import Producer

source, now = "/properties/riverside/tables/BJ-01", datetime.now(UTC).isoformat()
played = yaml.safe_load(Path("docs/examples/round.yaml").read_text())["round"]
data = {"property": "riverside", "table": "BJ-01", "game": "blackjack", "gaming_day": now[:10], "opened_at": now,
        "closed_at": now, "round_id": "BJ-01-0001", "regulation": "pa-633a-2024", "round": played}  # fmt: skip
event = {"specversion": "1.0", "id": "BJ-01-1", "source": source, "type": "round.completed", "time": now,
         "sequence": 1, "data": data}  # fmt: skip
producer = Producer({"bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"], "enable.idempotence": True})
producer.produce("table.events", key=source, value=json.dumps(event))
producer.flush()
