"""`pitledger quarantine`: records that a service refused."""

import asyncio
import sys
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from confluent_kafka import KafkaException
from pydantic import TypeAdapter, ValidationError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.cli import quarantined
from services.cli.database import journal_of, with_connection, with_engine
from services.cli.documents import read_bytes
from services.cli.environment import settings
from services.cli.exits import CheckFailed, NotThere, UsageWrong
from services.cli.output import AsJson, Column, heading, message, print_json, show, table
from services.cli.quarantined import Quarantined
from services.cli.services import ServiceName
from shared.contracts.envelope import Person, Reason
from shared.contracts.tables import Correction
from shared.runtime.kafka import cluster_id

app = typer.Typer(
    help="Look at refused records; mend, replay or dismiss them.", no_args_is_help=True, rich_markup_mode="rich"
)

_SHOWN_MAX = 4096
_BYTES_IN_LINE = 16
_WAIT_SECONDS_MAX = 60.0
_LOOK_SECONDS = 0.2

Service = Annotated[ServiceName, typer.Option(help="Which service refused the record.")]
Number = Annotated[int, typer.Argument(metavar="ID", min=1, help="The record's id, as `list` shows it.")]
By = Annotated[str, typer.Option("--by", metavar="PERSON", help="Who does this.")]
Why = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, in words; it is recorded.")]


@app.command("list")
def list_records(
    service: Service = ServiceName.ROUND_SETTLEMENT,
    everything: Annotated[bool, typer.Option("--all", help="Also the records that are resolved.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the refused records that wait for somebody.

    Example: pitledger quarantine list
    """

    async def work(connection: AsyncConnection) -> list[Quarantined]:
        return list(await quarantined.read_all(connection, journal_of(service), resolved=everything))

    found = with_connection(service, work)
    if as_json:
        for record in found:
            print_json(_document(record))
    elif found:
        rows = [
            [
                str(record.id),
                f"{record.quarantined_at:%Y-%m-%d %H:%M:%S}",
                record.place,
                "waits" if record.resolved_at is None else "resolved",
                record.reason,
            ]
            for record in found
        ]
        columns: list[Column] = [("ID", "number"), ("Since (UTC)", "name"), ("Place", "name"), ("State", "name")]
        show(table([*columns, ("Reason", "words")], rows))
    else:
        message(f"no record of {service} waits in quarantine")


@app.command("show")
def show_record(
    number: Number,
    service: Service = ServiceName.ROUND_SETTLEMENT,
    only_bytes: Annotated[bool, typer.Option("--bytes", help="Write the record's bytes, and nothing else.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a refused record: why, from where, and its bytes.

    Bytes that are text are shown as text, others in hexadecimal; --bytes gives them as they are, to be mended.

    Example: pitledger quarantine show 17
    Example: pitledger quarantine show 17 --bytes > mended.json
    """

    async def work(connection: AsyncConnection) -> Quarantined:
        return await quarantined.read_one(connection, journal_of(service), number)

    record = with_connection(service, work)
    if only_bytes:
        sys.stdout.buffer.write(record.value)
        return
    if as_json:
        key = None if record.key is None else record.key.hex()
        print_json({**_document(record), "key_hex": key, "value_hex": record.value.hex()})
        return
    resolved = "waits" if record.resolved_at is None else f"resolved at {record.resolved_at.isoformat()}"
    show(
        heading(f"Record {record.id} in quarantine of {service}: {resolved}"),
        table(
            [("", "name"), ("", "words")],
            [
                ["reason", record.reason],
                ["place", record.place],
                ["stream", "unknown" if record.source is None else f"{record.source}, sequence {record.sequence}"],
                ["quarantined", record.quarantined_at.isoformat()],
                ["key", "none" if record.key is None else shown_bytes(record.key)],
                ["bytes", f"{len(record.value):,}"],
            ],
        ),
    )
    typer.echo(shown_bytes(record.value))


@app.command()
def replay(
    number: Number,
    by: By,
    reason: Why,
    file: Annotated[
        str | None, typer.Option(metavar="MENDED", help="The mended record; - for stdin. Without it: as it is.")
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until the service has taken it, or refused it again.")
    ] = False,
    service: Service = ServiceName.ROUND_SETTLEMENT,
    as_json: AsJson = False,
) -> None:
    """Send a refused record to its topic again, mended or as it is.

    It takes the place in its stream that it claims. Exit code 3 when its bytes cannot be decoded; with --wait, exit
    code 1 when the service refuses it again.

    Example: pitledger quarantine replay 17 --file mended.json --by jane.roe --reason "card reader fault" --wait
    """
    by, reason = _person("--by", by), _reason(reason)
    servers = settings().kafka_bootstrap_servers
    try:
        cluster = cluster_id(servers)
    except KafkaException as error:
        raise NotThere(f"Kafka at {servers} does not answer: {error.args[0]}") from error

    async def prepare(connection: AsyncConnection) -> tuple[Quarantined, quarantined.Replay]:
        tables = journal_of(service)
        record = await quarantined.read_one(connection, tables, number)
        quarantined.require_open(record)
        value = record.value if file is None else read_bytes(file)
        return record, await quarantined.prepare_replay(
            connection, tables, record, value, by=by, reason=reason, cluster=cluster
        )

    record, prepared = with_connection(service, prepare)
    partition, offset = quarantined.publish(servers, prepared)
    message(f"sent to {record.topic}/{partition}, offset {offset}")

    async def watch(engine: AsyncEngine) -> str | None:
        async with asyncio.timeout(_WAIT_SECONDS_MAX):
            while True:
                async with engine.connect() as connection:
                    said = await quarantined.outcome(
                        connection, journal_of(service), record, partition=partition, offset=offset, cluster=cluster
                    )
                if said is not None:
                    return said
                await asyncio.sleep(_LOOK_SECONDS)

    if wait:
        try:
            said = with_engine(service, watch)
        except TimeoutError:
            raise NotThere(f"{service} has not read it within {_WAIT_SECONDS_MAX:.0f} s; is it running?") from None
        if said:
            raise CheckFailed(said)
        message(f"record {number} is resolved")
    if as_json:
        resolved = {"resolved": True} if wait else {}
        print_json({"id": number, "topic": record.topic, "partition": partition, "offset": offset, **resolved})


@app.command()
def dismiss(
    number: Number,
    by: By,
    approved_by: Annotated[str, typer.Option(metavar="PERSON", help="Who stands for it too; somebody else.")],
    reason: Why,
    service: Service = ServiceName.ROUND_SETTLEMENT,
    as_json: AsJson = False,
) -> None:
    """Close a refused record that can never be mended.

    It is recorded in the journal with the reason and both people. No money moves: what the record should have said
    stays out of the books, and a gap that it left in its stream stays open.

    Example: pitledger quarantine dismiss 17 --by jane.roe --approved-by kim.lee --reason "test message of the vendor"
    """
    correction = Correction(
        reason=_reason(reason), entered_by=_person("--by", by), approved_by=_person("--approved-by", approved_by)
    )
    if correction.entered_by.casefold() == correction.approved_by.casefold():
        raise UsageWrong(f"--by and --approved-by are both {by!r}; it takes two people")

    async def work(engine: AsyncEngine) -> Any:
        return await quarantined.dismiss(
            engine, journal_of(service), service, number, correction, clock=lambda: datetime.now(UTC)
        )

    entry = with_engine(service, work)
    if as_json:
        print_json({"id": number, "shard": entry.shard, "seq": entry.seq, "hash": entry.hash.hex()})
    else:
        message(f"record {number} is dismissed: entry {entry.seq} of shard {entry.shard}, hash {entry.hash.hex()}")


def shown_bytes(value: bytes) -> str:
    """Bytes for people: as text where they are text, otherwise as a hexadecimal dump; cut where there are too many."""
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return _hexadecimal(value[:_SHOWN_MAX]) + _cut(len(value), "bytes")
    shown = (char if char.isprintable() or char in "\n\t" else repr(char)[1:-1] for char in text[:_SHOWN_MAX])
    return "".join(shown) + _cut(len(text), "characters")


def _hexadecimal(value: bytes) -> str:
    lines = (value[at : at + _BYTES_IN_LINE] for at in range(0, len(value), _BYTES_IN_LINE))
    return "\n".join(
        f"{number * _BYTES_IN_LINE:08x}  {line.hex(' '):<{_BYTES_IN_LINE * 3}} "
        + "".join(chr(byte) if 32 <= byte < 127 else "." for byte in line)
        for number, line in enumerate(lines)
    )


def _cut(count: int, unit: str) -> str:
    return "" if count <= _SHOWN_MAX else f"\n… {count - _SHOWN_MAX:,} {unit} more; --bytes gives them all"


def _document(record: Quarantined) -> dict[str, Any]:
    return {
        "id": record.id,
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "source": record.source,
        "sequence": record.sequence,
        "reason": record.reason,
        "bytes": len(record.value),
        "quarantined_at": record.quarantined_at.isoformat(),
        "resolved_at": record.resolved_at and record.resolved_at.isoformat(),
    }


def _person(option: str, text: str) -> str:
    return _valid(TypeAdapter(Person), option, text)


def _reason(text: str) -> str:
    return _valid(TypeAdapter(Reason), "--reason", text)


def _valid(adapter: TypeAdapter[str], option: str, text: str) -> str:
    try:
        return adapter.validate_python(text)
    except ValidationError:
        raise UsageWrong(f"{option} {text!r}: must not be empty, too long, or hold control characters") from None
