"""`pitledger quarantine`: show, replay and dismiss records that a service refused."""

import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final

import typer

from services.cli.client import Client, Clocks, client_of
from services.cli.documents import read_bytes
from services.cli.exits import CheckFailed, InputRefused, NotFound
from services.cli.operations import dismissals
from services.cli.output import AsJson, heading, message, names, numbers, print_json, show, table, words
from services.cli.services import SETTLEMENT, service_option
from services.cli.subjects import Shown
from shared.contracts.envelope import property_of
from shared.contracts.json_text import read_json
from shared.runtime.retrying import wait_while

app = typer.Typer()
app.add_typer(dismissals.app)

_SHOWN_MAX: Final = 4096
_BYTES_IN_LINE: Final = 16
_WAIT_SECONDS_MAX: Final = 60.0
_LOOK_SECONDS: Final = 0.2

Service = Annotated[str, service_option("Service that refused the record.")]
Number = Annotated[int, typer.Argument(metavar="ID", min=1, help="ID of the quarantined record, as printed by `list`.")]
RequestNumber = Annotated[
    int, typer.Argument(metavar="REQUEST", min=1, help="Number of the request, as printed by `show`.")
]
Why = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Reason for this action; it is recorded.")]


@app.command("list")
def list_records(
    service: Service = SETTLEMENT,
    everything: Annotated[bool, typer.Option("--all", help="Also list resolved records.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the open quarantined records.

    Example: pitledger quarantine list
    """
    with client_of(service) as client:
        found = list(client.pages("/quarantine", status="all" if everything else "open"))
    if as_json:
        for record in found:
            print_json(record)
    elif found:
        clocks = Clocks()
        rows = [
            [str(one["quarantine"]), _since(clocks, one), _place(one), _state(clocks, one), one["reason"]]
            for one in found
        ]
        show(table(numbers("ID") + names("Since", "Place", "State") + words("Reason"), rows))
    else:
        message(f"no record of {service} waits in quarantine")


@app.command("show")
def show_record(
    number: Number,
    service: Service = SETTLEMENT,
    only_bytes: Annotated[bool, typer.Option("--bytes", help="Print only the bytes of the record, unchanged.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a quarantined record: reason, origin, bytes, and the requests about it.

    Text is shown as text, other bytes in hexadecimal; --bytes writes the bytes unchanged, for repair.

    Example: pitledger quarantine show 17
    Example: pitledger quarantine show 17 --bytes > mended.json
    """
    with client_of(service) as client:
        record = client.read(f"/quarantine/{number}")
        waiting = [one["request"] for one in record["requests"] if one["decision"] == "asked"]
        shown = {one: client.read(f"/quarantine/{number}/requests/{one}")["sha256"] for one in waiting}
    value = bytes.fromhex(record["value_hex"]) if "value_hex" in record else record["value_text"].encode()
    if only_bytes:
        sys.stdout.buffer.write(value)
        return
    if as_json:
        print_json(record)
        return
    clocks = Clocks()
    facts = [
        ["reason", record["reason"]],
        ["place", _place(record)],
        ["stream", f"{record['source']}, sequence {record['sequence']}" if "source" in record else "unknown"],
        ["quarantined", _since(clocks, record)],
        ["key", record.get("key_text", "none")],
        ["bytes", f"{len(value):,}"],
    ]
    for one in record["requests"]:
        what = f"{one['action']} asked for by {one['asked_by']}: {one['reason']}"
        decided = f" by {one['decided_by']}" if "decided_by" in one else ""
        facts.append([f"request {one['request']}", f"{what} ({one['decision']}{decided})"])
        if one["request"] in shown:
            facts.append(["sha256", shown[one["request"]]])
    show(
        heading(f"Record {number} in quarantine of {service}: {_state(clocks, record)}"),
        table(names("") + words(""), facts),
    )
    typer.echo(shown_bytes(value))


@app.command()
def replay(
    number: Number,
    reason: Why,
    file: Annotated[
        str | None,
        typer.Option(
            metavar="MENDED", help="File of the repaired record; - for stdin (default: replay the record unchanged)."
        ),
    ] = None,
    service: Service = SETTLEMENT,
    as_json: AsJson = False,
) -> None:
    """Request the replay of a quarantined record to its topic, repaired or unchanged.

    The record is sent to its claimed stream position once another person has approved the request. Exit code 3 if its
    bytes cannot be decoded.

    Example: pitledger quarantine replay 17 --file mended.json --reason "misread card"
    """
    mended = None if file is None else _mended(file)
    _do(service, f"/quarantine/{number}/replay", {"reason": reason, "mended": mended}, as_json=as_json)


@app.command()
def dismiss(number: Number, reason: Why, service: Service = SETTLEMENT, as_json: AsJson = False) -> None:
    """Request the dismissal of a quarantined record that cannot be repaired.

    Another person must approve the dismissal, which is recorded in the journal with the reason and both people. No
    money moves: the record stays out of the books, and a gap that it left in its stream stays open.

    Example: pitledger quarantine dismiss 17 --reason "test message of the vendor"
    """
    _do(service, f"/quarantine/{number}/dismissal", {"reason": reason}, as_json=as_json)


@app.command()
def approve(
    number: Number,
    request: RequestNumber,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until the service has accepted or refused the replay.")
    ] = False,
    shown: Shown = None,
    service: Service = SETTLEMENT,
    as_json: AsJson = False,
) -> None:
    """Approve another person's request about a quarantined record.

    An approved replay is sent at once; if Kafka does not answer, approve it again. With --wait, exit code 1 if the
    service refuses the replay again.

    Example: pitledger quarantine approve 17 1 --wait
    """
    path = f"/quarantine/{number}/requests/{request}/approve"
    with client_of(service) as client:
        _print(client.approve(path, sha256=shown, key=f"pitledger.{number}.{request}.approve"), as_json=as_json)
    if wait:
        with client_of(service) as client:
            _wait(client, service, number, request)
        message(f"record {number} is resolved")


@app.command()
def reject(
    number: Number, request: RequestNumber, reason: Why, service: Service = SETTLEMENT, as_json: AsJson = False
) -> None:
    """Reject a request about a quarantined record, or withdraw one's own.

    Example: pitledger quarantine reject 17 1 --reason "the vendor sends it again"
    """
    _do(service, f"/quarantine/{number}/requests/{request}/reject", {"reason": reason}, as_json=as_json)


def _do(service: str, path: str, document: object, *, as_json: bool) -> None:
    """Send a command about a quarantined record, and print the resulting status."""
    with client_of(service) as client:
        _print(client.do(path, document), as_json=as_json)


def _print(answer: Mapping[str, Any], *, as_json: bool) -> None:
    """Print the status of a request about a quarantined record."""
    if as_json:
        print_json(answer)
        return
    number, request, decision = answer["quarantine"], answer["request"], answer["decision"]
    message(f"{answer['action']} of record {number}, request {request}: {decision}")
    if decision == "asked":
        message(f"somebody else approves it: pitledger quarantine approve {number} {request}")


def _wait(client: Client, service: str, number: int, request: int) -> None:
    """Wait until an approved replay closed its record. Raises: CheckFailed if refused again, NotFound on timeout."""

    def is_open() -> bool:
        record = client.read(f"/quarantine/{number}")
        if "resolved_at" in record:
            return False
        asked = record["requests"][request - 1]
        sent = asked.get("mended", record)
        for one in client.pages("/quarantine", topic=record["topic"]):
            is_sent = all(one.get(name) == sent.get(name) for name in ("source", "sequence"))
            if is_sent and _moment(one["quarantined_at"]) > _moment(asked["decided_at"]):
                raise CheckFailed(f"the replay was refused too and is record {one['quarantine']}: {one['reason']}")
        return True

    if wait_while(is_open, seconds_max=_WAIT_SECONDS_MAX, pause_seconds=_LOOK_SECONDS):
        what = f"{service} has not taken record {number} within {_WAIT_SECONDS_MAX:.0f} s"
        raise NotFound(f"{what}: it is behind, or has that event already; in that case dismiss the record")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _place(record: Mapping[str, Any]) -> str:
    return f"{record['topic']}/{record['partition']}, offset {record['offset']}"


def _state(clocks: Clocks, record: Mapping[str, Any]) -> str:
    return f"resolved at {_at(clocks, record, 'resolved_at')}" if "resolved_at" in record else "waits"


def _since(clocks: Clocks, record: Mapping[str, Any]) -> str:
    return _at(clocks, record, "quarantined_at")


def _at(clocks: Clocks, record: Mapping[str, Any], field: str) -> str:
    """Return a time of a record in the time zone of the property whose stream the record claims."""
    return clocks.text(record[field], property_of(record.get("source", "")))


def shown_bytes(value: bytes) -> str:
    """Return bytes for display: as text, or as a hexadecimal dump; truncated if too long."""
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


def _mended(file: str) -> object:
    try:
        return read_json(read_bytes(file))
    except ValueError as error:
        raise InputRefused(f"{file}: no JSON: {error}") from error
