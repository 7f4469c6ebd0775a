"""Follows the settlements exactly once with confluent-kafka: `python follow.py BJ-02-0001 books.sqlite`.

What a message changes and how far the topic was read are committed together, so it may be killed anywhere and started
again. It ends when the settlement of the round is in the books.
"""

import json
import os
import sqlite3
import sys
import time
from pathlib import Path

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, Message, TopicPartition
from signatures import public_keys, require_signed

TOPIC, PUBLISHER = "settlements", "round-settlement"
KNOWN = {"settlement.posted", "settlement.reversed"}
round_id, books = sys.argv[1], sqlite3.connect(sys.argv[2])
keys = public_keys(
    Path(os.environ["PITLEDGER_CHECKPOINT_VERIFIERS_FILE"]).read_text(encoding="utf-8").splitlines(), PUBLISHER
)
books.executescript(
    """
    CREATE TABLE IF NOT EXISTS positions (partition INTEGER PRIMARY KEY, next_offset INTEGER);
    CREATE TABLE IF NOT EXISTS streams (source TEXT PRIMARY KEY, sequence INTEGER);
    CREATE TABLE IF NOT EXISTS settlements (
        source TEXT, sequence INTEGER, kind TEXT, round_id TEXT, revision INTEGER, handle INTEGER, payout INTEGER,
        PRIMARY KEY (source, sequence));
    """
)


def take(message: Message) -> None:
    """Enter a message into the books: the next of its stream once, one that was seen before not again."""
    proof = dict(message.headers() or ()).get("pitledger-signature")
    key, value = message.key() or b"", message.value() or b""
    require_signed(keys, PUBLISHER, TOPIC, key, value, proof if isinstance(proof, bytes) else None)
    event = json.loads(value)
    source, sequence, kind = event["source"], event["sequence"], event["type"]
    row = books.execute("SELECT sequence FROM streams WHERE source = ?", (source,)).fetchone()
    last = row[0] if row else 0
    if sequence > last + 1:
        sys.exit(f"{source}: {last + 1} is missing before {sequence}")
    if sequence == last + 1:
        if kind in KNOWN:
            data = event["data"]
            handle, payout = (
                sum(total.get(name, 0) for total in data["totals"]) for name in ("handle_cents", "payout_cents")
            )
            entered = (source, sequence, kind, data["round_id"], data["revision"], handle, payout)
            books.execute("INSERT INTO settlements VALUES (?, ?, ?, ?, ?, ?, ?)", entered)
        elif event.get("movesmoney") and kind.startswith("settlement."):
            sys.exit(f"{source}: {sequence} is of a kind {kind!r} that is not known here and moves money")
        books.execute("INSERT OR REPLACE INTO streams VALUES (?, ?)", (source, sequence))
    books.execute("INSERT OR REPLACE INTO positions VALUES (?, ?)", (message.partition(), (message.offset() or 0) + 1))


consumer = Consumer(
    {
        "bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"],
        "group.id": "example",  # librdkafka wants a name; nothing is committed under it
        "enable.auto.commit": False,
    }
)
offsets = dict(books.execute("SELECT partition, next_offset FROM positions"))
partitions = consumer.list_topics(TOPIC, timeout=20).topics[TOPIC].partitions
consumer.assign([TopicPartition(TOPIC, number, offsets.get(number, OFFSET_BEGINNING)) for number in partitions])
deadline = time.monotonic() + 60
found = "SELECT revision, handle, payout FROM settlements WHERE round_id = ? AND kind = 'settlement.posted'"
while not (settled := books.execute(found, (round_id,)).fetchall()):
    if time.monotonic() > deadline:
        sys.exit(f"{round_id} was not settled within a minute: look at `pitledger quarantine list`")
    message = consumer.poll(1)
    if message is None:
        continue
    error = message.error()
    if error is not None:
        raise KafkaException(error)
    with books:  # one transaction
        take(message)
consumer.close()
revision, handle, payout = settled[-1]
print(f"{round_id} revision {revision}: handle {handle}, payout {payout}, win {handle - payout} cents")
