"""`pitledger quarantine ...-all`: bulk dismissal of quarantined records, by two people."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from services.cli.client import client_of
from services.cli.output import AsJson, heading, message, names, numbers, print_json, show, table, words
from services.cli.services import SETTLEMENT, service_option
from services.cli.subjects import Shown

app = typer.Typer()

_PATH = "/quarantine/dismissals"

Service = Annotated[str, service_option("Service that refused the records.")]
Number = Annotated[
    int,
    typer.Argument(metavar="DISMISSAL", min=1, help="Number of the dismissal request, as printed by `dismiss-all`."),
]
Why = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Reason for this action; it is recorded.")]


@app.command("dismiss-all")
def dismiss_all(
    until: Annotated[int, typer.Option(metavar="ID", min=1, help="Only records up to this ID.")],
    reason: Why,
    topic: Annotated[str | None, typer.Option(metavar="TOPIC", help="Only records of this topic.")] = None,
    containing: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only records whose quarantine reason contains this text.")
    ] = None,
    property_name: Annotated[
        str | None,
        typer.Option("--property", metavar="PROPERTY", help="Only this property."),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(metavar="MOMENT", help="Only records quarantined before this time, ISO 8601 with UTC offset."),
    ] = None,
    service: Service = SETTLEMENT,
    as_json: AsJson = False,
) -> None:
    """Request the dismissal of all open records that a filter selects, because they cannot be repaired.

    Another person approves exactly these records or none. No money moves: the records stay out of the books, and the
    gaps that they left in their streams stay open.

    Example: pitledger quarantine dismiss-all --until 98000 --containing "no JSON" --reason "load test of the vendor"
    """
    wanted = {
        "until": until,
        "topic": topic,
        "reason_contains": containing,
        "property": property_name,
        "before": before,
    }
    given = {name: value for name, value in wanted.items() if value is not None}
    with client_of(service) as client:
        answer = client.do(_PATH, given | {"reason": reason})
    _print(answer, as_json=as_json)


@app.command("show-all")
def show_all(number: Number, service: Service = SETTLEMENT, as_json: AsJson = False) -> None:
    """Show a requested bulk dismissal, with the first records that it currently selects.

    Example: pitledger quarantine show-all 1
    """
    with client_of(service) as client:
        found = client.read(f"{_PATH}/{number}")
    if as_json:
        print_json(found)
        return
    sample = found.pop("sample")
    rows = [[str(one["quarantine"]), f"{one['topic']}/{one['partition']}", one["refused"]] for one in sample]
    show(
        heading(f"Dismissal {number} of records together at {service}: {found['decision']}"),
        table(names("") + words(""), [[name, str(value)] for name, value in found.items()]),
        table(numbers("ID") + names("Place") + words("Reason"), rows),
    )


@app.command("approve-all")
def approve_all(number: Number, shown: Shown = None, service: Service = SETTLEMENT, as_json: AsJson = False) -> None:
    """Approve another person's bulk dismissal: all of its records, or none.

    Example: pitledger quarantine approve-all 1
    """
    with client_of(service) as client:
        _print(client.approve(f"{_PATH}/{number}/approve", sha256=shown), as_json=as_json)


@app.command("reject-all")
def reject_all(number: Number, reason: Why, service: Service = SETTLEMENT, as_json: AsJson = False) -> None:
    """Reject a bulk dismissal, or withdraw one's own.

    Example: pitledger quarantine reject-all 1 --reason "the vendor sends them again"
    """
    with client_of(service) as client:
        _print(client.do(f"{_PATH}/{number}/reject", {"reason": reason}), as_json=as_json)


def _print(answer: Mapping[str, Any], *, as_json: bool) -> None:
    """Print a bulk dismissal after a command, as JSON or as one line."""
    if as_json:
        print_json(answer)
        return
    number, decision = answer["dismissal"], answer["decision"]
    message(f"dismissal {number} of {answer['records']:,} records together: {decision}")
    if decision == "asked":
        message(f"somebody else approves it: pitledger quarantine approve-all {number}")
