"""`pitledger cage`: transfers between the locations of the cage, and counts of their contents."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from services.cli.cage.inventory import Document, Property, Why, approve_step, print_list, read, send_step
from services.cli.documents import read_list
from services.cli.exits import UsageWrong
from services.cli.output import AsJson, names, numbers, print_json, show, table, words
from services.cli.subjects import Shown
from shared.contracts.cage_locations import held_words
from shared.contracts.money import dollars

app = typer.Typer()

Contents = Annotated[
    str,
    typer.Argument(metavar="FILE", help="File of the contents by kind and denomination, YAML or JSON; - for stdin."),
]
Transfer = Annotated[int, typer.Argument(metavar="TRANSFER", min=1, help="Number of the transfer.")]
Count = Annotated[int, typer.Argument(metavar="COUNT", min=1, help="Number of the count.")]
Day = Annotated[str | None, typer.Option("--day", metavar="DATE", help="Show only this gaming day, YYYY-MM-DD.")]
Status = Annotated[str | None, typer.Option("--status", metavar="STATUS", help="Show only entries with this status.")]


@app.command()
def transfer(
    property_name: Property,
    giver: Annotated[
        str, typer.Argument(metavar="FROM", help="Sender: a location of the cage, or a party outside it.")
    ],
    receiver: Annotated[
        str, typer.Argument(metavar="TO", help="Recipient: a location of the cage, or a party outside it.")
    ],
    contents: Contents,
    as_json: AsJson = False,
) -> None:
    """Issue a transfer; it is in transit until another person receives it.

    Example: pitledger cage transfer riverside vault drawer-1 docs/examples/cage_contents.yaml
    """
    given = {"giver": giver, "receiver": receiver, "contents": _pieces(contents)}
    send_step(("cage", property_name, "transfers"), given, _transfer, as_json)


@app.command()
def receive(property_name: Property, number: Transfer, shown: Shown = None, as_json: AsJson = False) -> None:
    """Receive a transfer that another person issued, with exactly the issued contents.

    Example: pitledger cage receive riverside 1
    """
    approve_step(("cage", property_name, "transfers", number, "receive"), {}, _transfer, shown, as_json)


@app.command("return")
def give_back(property_name: Property, number: Transfer, reason: Why, as_json: AsJson = False) -> None:
    """Return a transfer to the person who issued it.

    Example: pitledger cage return riverside 1 --reason "a rack is short"
    """
    send_step(("cage", property_name, "transfers", number, "return"), {"reason": reason}, _transfer, as_json)


@app.command()
def transfers(property_name: Property, day: Day = None, status: Status = None, as_json: AsJson = False) -> None:
    """List transfers: issued, received and returned.

    Example: pitledger cage transfers riverside --status issued
    """
    columns = numbers("No.") + names("From", "To") + words("What") + names("Status", "Issued by")
    print_list(
        ("cage", property_name, "transfers"),
        columns,
        _transfer_row,
        f"nothing was transferred at {property_name}",
        as_json,
        gaming_day=day,
        status=status,
    )


@app.command()
def count(
    property_name: Property,
    location: Annotated[
        str, typer.Argument(metavar="LOCATION", help="Location counted: `cage`, or a cage location of the property.")
    ],
    cashier: Annotated[str, typer.Option(metavar="PERSON", help="Cashier accountable for any over or short.")],
    contents: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="File of the contents by kind and denomination, YAML or JSON; - for stdin.",
            show_default=False,
        ),
    ] = None,
    is_empty: Annotated[
        bool, typer.Option("--empty", help="The location was counted and found empty; leave out FILE.")
    ] = False,
    next_cashier: Annotated[
        str | None,
        typer.Option(metavar="PERSON", help="Cashier who takes over the drawer with the counted contents."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Enter a count of everything at a location; another person counts it again and verifies the count.

    Example: pitledger cage count riverside drawer-1 docs/examples/cage_contents.yaml --cashier ann.lee
    Example: pitledger cage count riverside drawer-2 --empty --cashier bo.kay
    """
    if is_empty is (contents is not None):
        raise UsageWrong("give FILE, or --empty if nothing is there")
    pieces = [] if contents is None else _pieces(contents)
    counted = {"location": location, "contents": pieces, "is_empty": is_empty, "cashier": cashier}
    send_step(("cage", property_name, "counts"), counted | {"next_cashier": next_cashier}, _count, as_json)


@app.command()
def verify(
    property_name: Property,
    number: Count,
    reason: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="Reason for the over or short; required if the count differs from the books."
        ),
    ] = None,
    shown: Shown = None,
    as_json: AsJson = False,
) -> None:
    """Verify a count that another person entered; over or short is posted.

    Exit code 1 if the count differs from the books and no reason is given.

    Example: pitledger cage verify riverside 1
    Example: pitledger cage verify riverside 2 --reason "a strap was short"
    """
    said = {} if reason is None else {"reason": reason}
    approve_step(("cage", property_name, "counts", number, "verify"), said, _count, shown, as_json)


@app.command()
def reject(property_name: Property, number: Count, reason: Why, as_json: AsJson = False) -> None:
    """Reject a count; the location is counted again.

    Example: pitledger cage reject riverside 1 --reason "a drawer was open"
    """
    send_step(("cage", property_name, "counts", number, "reject"), {"reason": reason}, _count, as_json)


@app.command()
def counts(property_name: Property, day: Day = None, status: Status = None, as_json: AsJson = False) -> None:
    """List counts, with over and short.

    Example: pitledger cage counts riverside --day 2026-11-20
    """
    columns = numbers("No.") + names("Location", "Status") + numbers("Counted", "Over or short")
    columns += names("Cashier", "Next cashier")
    print_list(
        ("cage", property_name, "counts"),
        columns,
        _count_row,
        f"nothing was counted at {property_name}",
        as_json,
        gaming_day=day,
        status=status,
    )


@app.command()
def locations(property_name: Property, as_json: AsJson = False) -> None:
    """List the cage's locations, each with its cashier; a retired location is listed until it is counted empty.

    Example: pitledger cage locations riverside
    """
    found = read("cage", property_name, "locations")
    if as_json:
        print_json(found)
        return
    columns = names("Location", "Kind") + numbers("Imprest") + names("Cashier") + numbers("Since count")
    show(table(columns + words("At") + names("Retired on"), map(_location_row, found["items"])))


@app.command()
def books(property_name: Property, as_json: AsJson = False) -> None:
    """Print the book contents of each location. Only revenue audit may see them, not the people who count.

    Example: pitledger cage books riverside
    """
    found = read("cage", property_name, "books")
    if as_json:
        print_json(found)
        return
    rows = [[one["location"], dollars(one["cents"]), _by_cause(one["by_cause"])] for one in found["items"]]
    show(table(names("Location") + numbers("Should hold") + words("By cause"), rows))


def _pieces(file: str) -> list[Any]:
    """Return the chips and money that a file lists. Raises: InputRefused, also for an empty list."""
    return read_list(file, such_as="- {kind: currency, cents: 10000, count: 50}")


def _what(one: Document) -> str:
    return "; ".join(held_words(pieces["kind"], pieces["cents"], pieces["count"]) for pieces in one["contents"])


def _transfer(one: Document) -> str:
    way = f"from {one['giver']} to {one['receiver']}"
    return f"transfer {one['transfer']} at {one['property']}, {way}, {_what(one)}: {one['status']}"


def _transfer_row(one: Document) -> list[str]:
    return [str(one["transfer"]), one["giver"], one["receiver"], _what(one), one["status"], one["issued_by"]]


def _count(one: Document) -> str:
    over_short = one.get("over_short_cents")
    differs = f", over or short: {dollars(over_short)}" if over_short else ""
    over = f", {one['next_cashier']} takes it over" if one.get("next_cashier") else ""
    return f"count {one['count']} of {one['location']} at {one['property']}{over}: {one['status']}{differs}"


def _count_row(one: Document) -> list[str]:
    amounts = ["" if one.get(name) is None else dollars(one[name]) for name in ("counted_cents", "over_short_cents")]
    return [str(one["count"]), one["location"], one["status"], *amounts, one["cashier"], one.get("next_cashier", "")]


def _location_row(one: Document) -> list[str]:
    imprest = "" if one.get("imprest_cents") is None else dollars(one["imprest_cents"])
    since = [str(one.get(name, "")) for name in ("cashier", "since_count", "since", "retired_on")]
    return [one["location"], one["kind"].replace("_", " "), imprest, *since]


def _by_cause(causes: Mapping[str, Any]) -> str:
    return ", ".join(f"{cause.replace('_', ' ')} {dollars(cents)}" for cause, cents in causes.items())
