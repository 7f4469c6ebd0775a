"""`pitledger quarantine`: records that a service refused."""

import sys
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from services.cli.documents import read_bytes
from services.cli.exits import InputRefused, UsageWrong
from services.cli.output import AsJson, heading, message, names, numbers, print_json, show, table, words
from services.cli.quarantined import Quarantine, with_quarantine
from services.cli.services import SETTLEMENT, service_option
from shared.contracts.envelope import Person, Reason
from shared.journal.quarantine import Quarantined, list_quarantined
from shared.runtime.command.quarantine import AskDismissal, AskReplay

app = typer.Typer()

_SHOWN_MAX = 4096
_BYTES_IN_LINE = 16

Service = Annotated[str, service_option("Which service refused the record.")]
Number = Annotated[int, typer.Argument(metavar="ID", min=1, help="The record's id, as `list` shows it.")]
By = Annotated[str, typer.Option("--by", metavar="PERSON", help="Who asks for it.")]
ApprovedBy = Annotated[str, typer.Option("--approved-by", metavar="PERSON", help="Who approves it; somebody else.")]
Why = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, in words; it is recorded.")]


@app.command("list")
def list_records(
    service: Service = SETTLEMENT,
    everything: Annotated[bool, typer.Option("--all", help="Also the records that are resolved.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the refused records that wait for somebody.

    Example: pitledger quarantine list
    """

    async def work(quarantine: Quarantine) -> list[Quarantined]:
        return list(
            await quarantine.read(lambda connection, tables: list_quarantined(connection, tables, resolved=everything))
        )

    found = with_quarantine(service, work)
    if as_json:
        for record in found:
            print_json(_document(record))
    elif found:
        rows = []
        for record in found:
            state = "waits" if record.resolved_at is None else "resolved"
            since = f"{record.quarantined_at:%Y-%m-%d %H:%M:%S}"
            rows.append([str(record.id), since, record.place, state, record.reason])
        show(table(numbers("ID") + names("Since (UTC)", "Place", "State") + words("Reason"), rows))
    else:
        message(f"no record of {service} waits in quarantine")


@app.command("show")
def show_record(
    number: Number,
    service: Service = SETTLEMENT,
    only_bytes: Annotated[bool, typer.Option("--bytes", help="Write the record's bytes, and nothing else.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a refused record: why, from where, and its bytes.

    Bytes that are text are shown as text, others in hexadecimal; --bytes gives them as they are, to be mended.

    Example: pitledger quarantine show 17
    Example: pitledger quarantine show 17 --bytes > mended.json
    """

    record = with_quarantine(service, lambda quarantine: quarantine.record(number))
    if only_bytes:
        sys.stdout.buffer.write(record.value)
        return
    if as_json:
        key = None if record.key is None else record.key.hex()
        print_json({**_document(record), "key_hex": key, "value_hex": record.value.hex()})
        return
    resolved = "waits" if record.resolved_at is None else f"resolved at {record.resolved_at.isoformat()}"
    facts = [
        ["reason", record.reason],
        ["place", record.place],
        ["stream", "unknown" if record.source is None else f"{record.source}, sequence {record.sequence}"],
        ["quarantined", record.quarantined_at.isoformat()],
        ["key", "none" if record.key is None else shown_bytes(record.key)],
        ["bytes", f"{len(record.value):,}"],
    ]
    show(
        heading(f"Record {record.id} in quarantine of {service}: {resolved}"),
        table(names("") + words(""), facts),
    )
    typer.echo(shown_bytes(record.value))


@app.command()
def replay(
    number: Number,
    by: By,
    approved_by: ApprovedBy,
    reason: Why,
    file: Annotated[
        str | None, typer.Option(metavar="MENDED", help="The mended record; - for stdin. Without it: as it is.")
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until the service has taken it, or refused it again.")
    ] = False,
    service: Service = SETTLEMENT,
    as_json: AsJson = False,
) -> None:
    """Send a refused record to its topic again, mended or as it is.

    It takes the place in its stream that it claims. Exit code 3 when its bytes cannot be decoded; with --wait, exit
    code 1 when the service refuses it again.

    Example: pitledger quarantine replay 17 --file mended.json --by jane.roe --approved-by kim.lee --reason "misread"
    """
    by, approved_by = _two_people(by, approved_by)
    mended = None if file is None else _mended(file)
    ask = AskReplay(quarantine=number, reason=_reason(reason), mended=mended)

    async def work(quarantine: Quarantine) -> tuple[Quarantined, int, int]:
        record = await quarantine.record(number)
        partition, offset = await quarantine.send(await quarantine.do(ask, by=by, approved_by=approved_by))
        message(f"sent to {record.topic}/{partition}, offset {offset}")
        if wait:
            await quarantine.wait(record, partition, offset)
            message(f"record {number} is resolved")
        return record, partition, offset

    record, partition, offset = with_quarantine(service, work)
    if as_json:
        resolved = {"resolved": True} if wait else {}
        print_json({"id": number, "topic": record.topic, "partition": partition, "offset": offset, **resolved})


@app.command()
def dismiss(
    number: Number,
    by: By,
    approved_by: ApprovedBy,
    reason: Why,
    service: Service = SETTLEMENT,
    as_json: AsJson = False,
) -> None:
    """Close a refused record that can never be mended.

    It is recorded in the journal with the reason and both people. No money moves: what the record should have said
    stays out of the books, and a gap that it left in its stream stays open.

    Example: pitledger quarantine dismiss 17 --by jane.roe --approved-by kim.lee --reason "test message of the vendor"
    """
    by, approved_by = _two_people(by, approved_by)
    ask = AskDismissal(quarantine=number, reason=_reason(reason))

    with_quarantine(service, lambda quarantine: quarantine.do(ask, by=by, approved_by=approved_by))
    if as_json:
        print_json({"id": number, "resolved": True})
    else:
        message(f"record {number} is dismissed")


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


def _mended(file: str) -> dict[str, Any]:
    try:
        document = from_json(read_bytes(file))
    except ValueError as error:
        raise InputRefused(f"{file}: no JSON: {error}") from error
    if not isinstance(document, dict):
        raise InputRefused(f"{file}: must be an event, a JSON object")
    return document


def _two_people(by: str, approved_by: str) -> tuple[str, str]:
    people = _valid(TypeAdapter(Person), "--by", by), _valid(TypeAdapter(Person), "--approved-by", approved_by)
    if people[0].casefold() == people[1].casefold():
        raise UsageWrong(f"--by and --approved-by are both {by!r}; it takes two people")
    return people


def _reason(text: str) -> str:
    return _valid(TypeAdapter(Reason), "--reason", text)


def _valid(adapter: TypeAdapter[str], option: str, text: str) -> str:
    try:
        return adapter.validate_python(text)
    except ValidationError:
        raise UsageWrong(f"{option} {text!r}: must not be empty, too long, or hold control characters") from None
