"""`pitledger credit`: credit lines of patrons, and counter checks prepared within them."""

from typing import Annotated, Any

import typer

from services.cli.amounts import cents_of
from services.cli.cage.inventory import Amount, Document, Property, Why, approve_step, print_list, read, send_step
from services.cli.exits import UsageWrong
from services.cli.output import AsJson, heading, names, numbers, print_json, show, table
from services.cli.subjects import Shown
from shared.contracts.money import dollars

app = typer.Typer()

Patron = Annotated[str, typer.Argument(metavar="PATRON", help="Reference of the patron.")]
Number = Annotated[int, typer.Argument(metavar="REQUEST", min=1, help="Number of the credit line request.")]
Serial = Annotated[str, typer.Argument(metavar="SERIAL", help="Serial number printed on the counter check.")]
Limit = Annotated[str, typer.Option(metavar="DOLLARS", help="Credit limit in dollars, such as 5000.")]


@app.command()
def request(
    property_name: Property,
    patron: Patron,
    limit: Limit,
    reason: Why,
    until: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="Make the increase temporary, through this gaming day, YYYY-MM-DD."),
    ] = None,
    reinstate: Annotated[bool, typer.Option("--reinstate", help="Request the end of the line's suspension.")] = False,
    as_json: AsJson = False,
) -> None:
    """Request a limit for a patron, a temporary increase of it, or the end of a suspension.

    Once verified, the request needs the number of approvals that the property requires for the amount.

    Example: pitledger credit request riverside p-1001 --limit 5000 --reason "application 17"
    Example: pitledger credit request riverside p-1001 --limit 8000 --until 2026-11-22 --reason "weekend"
    """
    if reinstate and until is not None:
        raise UsageWrong("--until and --reinstate: give one of them")
    change = "reinstatement" if reinstate else "limit" if until is None else "temporary"
    asked: dict[str, Any] = {"patron": patron, "change": change, "limit_cents": cents_of("--limit", limit)}
    asked |= {"reason": reason} if until is None else {"reason": reason, "until": until}
    send_step(("credit-lines", property_name, "requests"), asked, _requested, as_json)


@app.command()
def verify(
    property_name: Property,
    number: Number,
    found: Annotated[
        str, typer.Option("--found", metavar="TEXT", help="What was verified and with whom, with file references.")
    ],
    as_json: AsJson = False,
) -> None:
    """Record the verification of a request: identity, bank, other casinos, lists of excluded persons.

    Example: pitledger credit verify riverside 1 --found "bank and bureau called, on no list; file 17"
    """
    send_step(
        ("credit-lines", property_name, "requests", number, "verify"), {"verification": found}, _requested, as_json
    )


@app.command()
def approve(property_name: Property, number: Number, shown: Shown = None, as_json: AsJson = False) -> None:
    """Approve a request that other people made and verified; the last required approval puts it in effect.

    Example: pitledger credit approve riverside 1
    """
    approve_step(("credit-lines", property_name, "requests", number, "approve"), {}, _requested, shown, as_json)


@app.command()
def decline(property_name: Property, number: Number, reason: Why, as_json: AsJson = False) -> None:
    """Decline a request; the patron's limit stays as it is.

    Example: pitledger credit decline riverside 2 --reason "no answer of the bank"
    """
    send_step(("credit-lines", property_name, "requests", number, "decline"), {"reason": reason}, _requested, as_json)


@app.command()
def requests(
    property_name: Property,
    only_open: Annotated[bool, typer.Option("--open", help="Only requests awaiting a decision.")] = False,
    as_json: AsJson = False,
) -> None:
    """List requested changes to credit lines, with their status.

    Example: pitledger credit requests riverside --open
    """
    columns = numbers("Request") + names("Patron", "Change") + numbers("Limit") + names("Until", "Status", "By")
    print_list(
        ("credit-lines", property_name, "requests"),
        columns,
        _request_row,
        "no change of a credit line is requested",
        as_json,
        only_open=str(only_open).lower(),
    )


@app.command()
def reduce(property_name: Property, patron: Patron, limit: Limit, reason: Why, as_json: AsJson = False) -> None:
    """Reduce a patron's limit at once; a temporary increase ends with it.

    Example: pitledger credit reduce riverside p-1001 --limit 1000 --reason "late payments"
    """
    cut = {"limit_cents": cents_of("--limit", limit, least_cents=0), "reason": reason}
    send_step(("credit-lines", property_name, "patrons", patron, "reduce"), cut, _cut, as_json)


@app.command()
def suspend(
    property_name: Property,
    patron: Patron,
    why: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="KIND",
            help="Cause of the suspension: patron_request, exclusion, creditworthiness or returned_check.",
        ),
    ],
    reason: Why,
    as_json: AsJson = False,
) -> None:
    """Suspend a patron's credit line at once; reinstating it takes several people.

    Example: pitledger credit suspend riverside p-1001 --for patron_request --reason "asked at the window"
    """
    suspended = {"suspended_for": why, "reason": reason}
    send_step(("credit-lines", property_name, "patrons", patron, "suspend"), suspended, _cut, as_json)


@app.command("list")
def list_lines(property_name: Property, as_json: AsJson = False) -> None:
    """List the patrons with a credit line: limit, outstanding, available.

    Example: pitledger credit list riverside
    """
    columns = names("Patron") + numbers("Limit", "Outstanding", "Available") + names("Suspended")
    print_list(
        ("credit-lines", property_name, "patrons"),
        columns,
        _line_row,
        f"nobody has a credit line at {property_name}",
        as_json,
    )


@app.command("show")
def show_line(property_name: Property, patron: Patron, as_json: AsJson = False) -> None:
    """Show a patron's credit line, and the counter checks on which the patron still owes an amount.

    Example: pitledger credit show riverside p-1001
    """
    found = read("credit-lines", property_name, "patrons", patron)
    if as_json:
        print_json(found)
        return
    _, limit, outstanding, available, suspended = _line_row(found)
    stopped = f", suspended ({suspended})" if suspended else ""
    title = f"{patron} at {property_name}: {available} available of {limit}, {outstanding} outstanding{stopped}"
    rows = [
        [one["serial"], one.get("table") or "", one["status"], dollars(one["cents"]), dollars(one["left_cents"])]
        for one in found["checks"]
    ]
    show(heading(title), table(names("Serial", "Table", "Status") + numbers("Issued", "Owed"), rows))


@app.command()
def prepare(
    property_name: Property,
    serial: Serial,
    patron: Annotated[str, typer.Option(metavar="PATRON", help="Reference of the patron who draws the check.")],
    table_name: Annotated[str, typer.Option("--table", metavar="TABLE", help="Table that issues the check.")],
    amount: Amount,
    as_json: AsJson = False,
) -> None:
    """Prepare a counter check for a patron at a table, within the available credit.

    Example: pitledger credit prepare riverside CC-88 --patron p-1001 --table BJ-07 --amount 500
    """
    check = {"serial": serial, "patron": patron, "table": table_name, "cents": cents_of("--amount", amount)}
    send_step(("credit-lines", property_name, "checks"), check, _prepared, as_json)


@app.command()
def void(property_name: Property, serial: Serial, reason: Why, shown: Shown = None, as_json: AsJson = False) -> None:
    """Void a counter check that another person prepared and no table has issued.

    Example: pitledger credit void riverside CC-88 --reason "the patron left"
    """
    approve_step(("credit-lines", property_name, "checks", serial, "void"), {"reason": reason}, _void, shown, as_json)


def _requested(one: Document) -> str:
    until = f" until {one['until']}" if one.get("until") else ""
    approved = f" ({len(one['approved_by'])} of {one['approvals']} approvals)" if one.get("approvals") else ""
    what = f"{one['change']} of {dollars(one['limit_cents'])}{until} for {one['patron']}"
    return f"request {one['request']} at {one['property']}, {what}: {one['status']}{approved}"


def _request_row(one: Document) -> list[str]:
    limit, until = dollars(one["limit_cents"]), one.get("until") or ""
    return [str(one["request"]), one["patron"], one["change"], limit, until, one["status"], one["requested_by"]]


def _cut(one: Document) -> str:
    terms = one["terms"]
    stopped = f", suspended ({terms['suspended_for']})" if terms.get("suspended_for") else ""
    return f"{one['patron']} at {one['property']} has a limit of {dollars(terms['limit_cents'])}{stopped}"


def _line_row(one: Document) -> list[str]:
    amounts = [dollars(one[f"{name}_cents"]) for name in ("limit", "outstanding", "available")]
    return [one["patron"], *amounts, (one.get("terms") or {}).get("suspended_for") or ""]


def _void(one: Document) -> str:
    return f"counter check {one['serial']} is void"


def _prepared(one: Document) -> str:
    owed = dollars(one["outstanding_cents"] + one["cents"])
    return f"counter check {one['serial']} is prepared: {one['patron']} owes {owed} of {dollars(one['limit_cents'])}"
