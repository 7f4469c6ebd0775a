"""Sends a round of play from a system of one's own; any Kafka client in any language does."""

import json
import os
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import yaml
from confluent_kafka import Producer

source, now = "/properties/riverside/tables/BJ-01", datetime.now(ZoneInfo("America/New_York"))
played = yaml.safe_load(Path("docs/examples/round.yaml").read_text())["round"]
day, at = (now - timedelta(hours=6)).date().isoformat(), now.isoformat()  # the gaming day begins at six
data = {"property": "riverside", "table": "BJ-01", "game": "blackjack", "gaming_day": day, "opened_at": at,
        "closed_at": at, "round_id": "BJ-01-0001", "regulation": "pa-633a-2024", "round": played}  # fmt: skip
event = {"specversion": "1.0", "id": "BJ-01-1", "source": source, "type": "round.completed", "time": at,
         "sequence": 1, "data": data}  # fmt: skip
producer = Producer({"bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"], "enable.idempotence": True})
producer.produce("table.events", key=source, value=json.dumps(event))
producer.flush()
