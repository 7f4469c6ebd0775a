"""A database with the rows of every service, and the records of the topics: every later release loads it.

The archive is a tar file: `<schema>/<table>.copy` as PostgreSQL's COPY writes it behind a line with the columns,
`topics/<topic>.jsonl` with the records, `reports/<report>.json` as reporting answered, `verifiers.txt` with the public
keys, and `archive.json` with what it takes to ask again.
"""

import io
import json
import tarfile
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from contextlib import closing
from itertools import count
from typing import Any, Final

import psycopg
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from sqlalchemy import make_url

from services.cli.services import NAMES, migrations
from shared.runtime.database_names import role_of
from shared.runtime.ingest.kafka_records import record_of
from shared.runtime.kafka import topic_log
from shared.runtime.kafka_settings import KafkaSettings
from shared.runtime.process.migrations import upgrade
from tests.support import eventually

Files = dict[str, bytes]
"""The files of an archive, by path."""

ABOUT: Final = "archive.json"
_COLUMNS = """
    SELECT c.relname::text, array_agg(quote_ident(attname) ORDER BY attnum) FROM pg_class c
    JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
    WHERE relnamespace = to_regnamespace(%s) AND relkind IN ('r', 'p') GROUP BY 1 ORDER BY 1"""
_IDENTITIES = """
    SELECT c.relname::text, attname::text FROM pg_class c JOIN pg_attribute ON attrelid = c.oid AND attidentity <> ''
    WHERE relnamespace = to_regnamespace(%s)"""
_VERSIONS: Final = "alembic_version"


def pack(files: Files) -> bytes:
    """Return an archive: the same bytes for the same files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz", preset=9) as archive:
        for name, content in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def unpack(packed: bytes) -> Files:
    """Return the files of an archive."""
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:xz") as archive:
        return {member.name: _content(archive, member) for member in archive}


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    found = archive.extractfile(member)
    assert found is not None, f"{member.name} is no file"
    return found.read()


def connect(url: str) -> psycopg.Connection[Any]:
    """Return a connection as the owner of a database."""
    return psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(hide_password=False))


def dump(url: str) -> Files:
    """Return every row of every table of every service, as they stand at one moment."""
    files: Files = {}
    with closing(connect(url)) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        for schema in map(role_of, NAMES):
            for table, columns in connection.execute(_COLUMNS, (schema,)).fetchall():
                names = ", ".join(columns)
                statement = f'COPY (SELECT {names} FROM {schema}."{table}" t ORDER BY t::text) TO STDOUT'
                with connection.cursor().copy(statement) as rows:
                    files[f"{schema}/{table}.copy"] = f"{names}\n".encode() + b"".join(map(bytes, rows))
    return files


def load(files: Files, url: str) -> None:
    """Make the schemas as they were, and fill them."""
    for service in NAMES:
        if f"{role_of(service)}/{_VERSIONS}.copy" in files:
            upgrade(service, migrations(service), url, to=versions_of(files, role_of(service)))
    with closing(connect(url)) as connection, connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")  # rows come as they stand: no rule holds yet
        for path, content in files.items():
            schema, _, name = path.removesuffix(".copy").partition("/")
            names, _, rows = content.partition(b"\n")
            if not path.endswith(".copy") or name == _VERSIONS:
                continue
            with connection.cursor().copy(f'COPY {schema}."{name}" ({names.decode()}) FROM STDIN') as into:
                into.write(rows)
        for schema in sorted({path.partition("/")[0] for path in files if path.endswith(".copy")}):
            for table, column in connection.execute(_IDENTITIES, (schema,)).fetchall():
                connection.execute(
                    f"SELECT setval(pg_get_serial_sequence('{schema}.{table}', '{column}'), max({column})) "
                    f"FROM {schema}.{table} HAVING max({column}) IS NOT NULL"
                )


def versions_of(files: Files, schema: str) -> list[str]:
    """Return the revisions at which a schema stood."""
    return files[f"{schema}/{_VERSIONS}.copy"].decode().splitlines()[1:]


def empty_tables(files: Files) -> list[str]:
    """Return the tables without a row, each behind its schema."""
    found = (path.removesuffix(".copy").replace("/", ".") for path, text in files.items() if text.count(b"\n") == 1)
    return sorted(name for name in found if not name.startswith(("topics.", "reports.")))


def dump_topics(servers: str, topics: Iterable[str]) -> Files:
    """Return every record that topics hold."""
    return {f"topics/{topic}.jsonl": b"".join(_records(servers, topic)) for topic in topics}


def _records(servers: str, topic: str) -> Iterable[bytes]:
    settings = KafkaSettings(KAFKA_BOOTSTRAP_SERVERS=servers)
    own = {"group.id": "archive", "enable.auto.commit": False, "enable.partition.eof": True}
    consumer = Consumer({**settings.librdkafka(), **own})
    try:
        partitions = sorted(consumer.list_topics(topic, timeout=20).topics[topic].partitions)
        yield json.dumps({"partitions": len(partitions)}).encode() + b"\n"
        for partition in partitions:
            consumer.assign([TopicPartition(topic, partition, 0)])
            for offset in count():
                message = consumer.poll(20)
                assert message is not None, f"{topic}/{partition} did not come to its end"
                if (error := message.error()) is not None:
                    assert error.code() == KafkaError._PARTITION_EOF, error
                    break
                record = record_of(message)
                assert (partition, offset) == (record.partition, record.offset)
                line = {
                    "partition": partition,
                    "at_ms": message.timestamp()[1],
                    "key": None if record.key is None else b64encode(record.key).decode(),
                    "value": b64encode(record.value).decode(),
                    "headers": [[name, b64encode(value or b"").decode()] for name, value in record.headers],
                }
                yield json.dumps(line).encode() + b"\n"
    finally:
        consumer.close()


def values_of(files: Files) -> Mapping[str, list[bytes]]:
    """Return what the records of the topics say, by topic."""
    return {
        path.removeprefix("topics/").removesuffix(".jsonl"): [
            b64decode(json.loads(line)["value"]) for line in text.splitlines()[1:]
        ]
        for path, text in files.items()
        if path.startswith("topics/")
    }


def load_topics(files: Files, servers: str, url: str) -> None:
    """Fill a broker of the same cluster id: every record at its offset. The database is told of the topics' new ids."""
    settings = KafkaSettings(KAFKA_BOOTSTRAP_SERVERS=servers)
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
    lines = {
        path.removeprefix("topics/").removesuffix(".jsonl"): [json.loads(line) for line in text.splitlines()]
        for path, text in files.items()
        if path.startswith("topics/")
    }
    made = admin.create_topics([NewTopic(topic, said[0]["partitions"], 1) for topic, said in lines.items()])
    for creation in made.values():
        creation.result(timeout=30)
    eventually(lambda: lines.keys() <= admin.list_topics(timeout=10).topics.keys(), because="the topics exist")
    producer = Producer(
        {"bootstrap.servers": servers, "max.in.flight.requests.per.connection": 1, "message.max.bytes": 20_000_000}
    )
    for topic, (_, *records) in lines.items():
        for one in records:
            producer.produce(
                topic,
                partition=one["partition"],
                key=None if one["key"] is None else b64decode(one["key"]),
                value=b64decode(one["value"]),
                headers=[(name, b64decode(value)) for name, value in one["headers"]],
                timestamp=one["at_ms"],
            )
            producer.poll(0)
    assert 0 == producer.flush(60)
    with closing(connect(url)) as connection, connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        for topic in lines:
            new = topic_log(settings, topic).topic_id
            for schema in map(role_of, NAMES):
                connection.execute(f"UPDATE {schema}.inputs SET topic_id = %s WHERE topic = %s", (new, topic))
