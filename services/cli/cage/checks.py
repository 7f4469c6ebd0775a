"""`pitledger checks`: redeem, clear, replace, collect, write off and recover counter checks at the cage."""

from functools import cached_property
from typing import Annotated, Any

import typer

from services.cli.amounts import cents_of
from services.cli.cage.inventory import Amount, Document, Property, Why, approve_step, print_list, send_step
from services.cli.client import Clocks
from services.cli.output import AsJson, names, numbers, words
from services.cli.subjects import Shown
from shared.contracts.money import dollars

app = typer.Typer()

Serial = Annotated[str, typer.Argument(metavar="SERIAL", help="Serial number printed on the counter check.")]
Step = Annotated[
    int, typer.Argument(metavar="STEP", min=1, help="Number of the payment, as printed by `redeem` or `recover`.")
]
Number = Annotated[int, typer.Argument(metavar="WRITE-OFF", min=1, help="Number of the write-off.")]
PaidIn = Annotated[
    str, typer.Option("--in", metavar="MEANS", help="Means of payment: currency, chips, check or deposit.")
]
PaidBy = Annotated[
    str | None,
    typer.Option(
        "--paid-by", metavar="PATRON", help="Reference of the patron who pays (default: the patron who owes the check)."
    ),
]
OnBehalfOf = Annotated[
    list[str] | None,
    typer.Option(
        "--on-behalf-of",
        metavar="PATRON",
        help="Reference of a patron on whose behalf the payer pays; may be repeated.",
    ),
]
InstrumentType = Annotated[
    str | None,
    typer.Option("--instrument", metavar="TYPE", help="Type of the payer's own check, such as personal_check."),
]
Issuer = Annotated[
    str | None, typer.Option("--issuer", metavar="TEXT", help="Drawee or issuer of the payer's own check.")
]
References = Annotated[
    list[str] | None,
    typer.Option("--reference", metavar="TEXT", help="Reference number of the payer's own check; may be repeated."),
]


@app.command("list")
def on_hand(property_name: Property, as_json: AsJson = False) -> None:
    """List the counter checks on which an amount is still owed.

    Example: pitledger checks list riverside
    """
    columns = names("Serial", "Drawn by", "Table", "First issued") + numbers("Issued", "Owed")
    row = _CheckRow(property_name)
    print_list(("counter-checks", property_name), columns, row, f"nothing is owed at {property_name}", as_json)


@app.command()
def redeem(
    property_name: Property,
    serial: Serial,
    amount: Amount,
    paid_in: PaidIn,
    paid_by: PaidBy = None,
    on_behalf_of: OnBehalfOf = None,
    instrument_type: InstrumentType = None,
    issuer: Issuer = None,
    references: References = None,
    as_json: AsJson = False,
) -> None:
    """Redeem a counter check, in full or in part.

    If the payer pays with a check that the law requires to be listed, describe it by --instrument, --issuer and
    --reference.

    Example: pitledger checks redeem riverside CC-88 --amount 200 --in currency
    Example: pitledger checks redeem riverside CC-88 --amount 200 --in currency --paid-by p-7 --on-behalf-of p-8
    """
    paid = _paid(amount, paid_in, paid_by, on_behalf_of) | _instrument(instrument_type, issuer, references)
    send_step(("counter-checks", property_name, serial, "redeem"), paid, _redeemed, as_json)


@app.command()
def void(property_name: Property, step: Step, reason: Why, shown: Shown = None, as_json: AsJson = False) -> None:
    """Void a redemption or a recovery that another person entered by mistake.

    Example: pitledger checks void riverside 12 --reason "it was another check"
    """
    approve_step(
        ("counter-checks", property_name, "redemptions", step, "void"), {"reason": reason}, _undone, shown, as_json
    )


@app.command("return")
def give_back(property_name: Property, step: Step, reason: Why, as_json: AsJson = False) -> None:
    """Record that the bank returned a deposited counter check, or the patron's own check, unpaid.

    Example: pitledger checks return riverside 12 --reason "no funds: the bank's notice 88-1"
    """
    send_step(("counter-checks", property_name, "redemptions", step, "return"), {"reason": reason}, _undone, as_json)


@app.command()
def clear(property_name: Property, step: Step, as_json: AsJson = False) -> None:
    """Record that the bank paid a deposited counter check, or the patron's own check.

    Example: pitledger checks clear riverside 12
    """
    send_step(("counter-checks", property_name, "redemptions", step, "clear"), {}, _cleared, as_json)


@app.command()
def replace(
    property_name: Property,
    serial: Serial,
    replaces: Annotated[
        list[str],
        typer.Option(
            "--replaces", metavar="SERIAL", help="Serial number of a counter check to be replaced; may be repeated."
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Replace a patron's counter checks with a new one, to consolidate them or after a partial payment.

    Example: pitledger checks replace riverside CC-90 --replaces CC-88 --replaces CC-89
    """
    send_step(("counter-checks", property_name), {"serial": serial, "replaces": replaces}, _replaced, as_json)


@app.command()
def collect(
    property_name: Property,
    serial: Serial,
    collector: Annotated[
        str, typer.Option(metavar="TEXT", help="Who collects the debt: an agency, counsel or a department.")
    ],
    as_json: AsJson = False,
) -> None:
    """Send a counter check to collection.

    Example: pitledger checks collect riverside CC-88 --collector "Smith and Roe, counsel"
    """
    send_step(
        ("counter-checks", property_name, serial, "collection"), {"collector": collector}, _in_collection, as_json
    )


@app.command("write-off")
def write_off(
    property_name: Property,
    serial: Serial,
    amount: Amount,
    kind: Annotated[
        str,
        typer.Option(
            metavar="KIND", help="Kind of write-off: uncollectible, or settlement (the amount waived by agreement)."
        ),
    ],
    reason: Why,
    as_json: AsJson = False,
) -> None:
    """Enter a write-off of an amount owed on a counter check; another person must approve it.

    Example: pitledger checks write-off riverside CC-88 --amount 300 --kind uncollectible --reason "bankrupt, file 9"
    """
    lost = {"serial": serial, "write_off_kind": kind, "cents": cents_of("--amount", amount), "reason": reason}
    send_step(("check-write-offs", property_name), lost, _write_off, as_json)


@app.command()
def approve(property_name: Property, number: Number, shown: Shown = None, as_json: AsJson = False) -> None:
    """Approve a write-off that another person entered; the amount is then no longer owed.

    Example: pitledger checks approve riverside 1
    """
    approve_step(("check-write-offs", property_name, number, "approve"), {}, _write_off, shown, as_json)


@app.command()
def reject(property_name: Property, number: Number, reason: Why, as_json: AsJson = False) -> None:
    """Reject a write-off: the amount stays owed.

    Example: pitledger checks reject riverside 1 --reason "it is not due yet"
    """
    send_step(("check-write-offs", property_name, number, "reject"), {"reason": reason}, _write_off, as_json)


@app.command()
def recover(
    property_name: Property,
    number: Number,
    amount: Amount,
    paid_in: PaidIn,
    paid_by: PaidBy = None,
    on_behalf_of: OnBehalfOf = None,
    instrument_type: InstrumentType = None,
    issuer: Issuer = None,
    references: References = None,
    as_json: AsJson = False,
) -> None:
    """Record a payment on a counter check that was written off.

    Example: pitledger checks recover riverside 1 --amount 100 --in currency
    """
    paid = _paid(amount, paid_in, paid_by, on_behalf_of) | _instrument(instrument_type, issuer, references)
    send_step(("check-write-offs", property_name, number, "recover"), paid, _recovered, as_json)


@app.command("write-offs")
def write_offs(property_name: Property, as_json: AsJson = False) -> None:
    """List the write-offs of counter checks, with what was recovered.

    Example: pitledger checks write-offs riverside
    """
    columns = [
        *numbers("No."),
        *names("Serial", "Drawn by", "Kind", "Status"),
        *numbers("Written off", "Recovered"),
        *words("Reason"),
    ]
    print_list(
        ("check-write-offs", property_name),
        columns,
        _write_off_row,
        f"nothing was written off at {property_name}",
        as_json,
    )


def _paid(amount: str, paid_in: str, paid_by: str | None, on_behalf_of: list[str] | None) -> dict[str, Any]:
    who = {"drawer": paid_by, "on_behalf_of": on_behalf_of or None}
    given = {name: value for name, value in who.items() if value is not None}
    return {"cents": cents_of("--amount", amount), "paid_in": paid_in, **given}


def _instrument(instrument_type: str | None, issuer: str | None, references: list[str] | None) -> dict[str, Any]:
    said = {"instrument_type": instrument_type, "issuer": issuer, "references": references or None}
    given = {name: value for name, value in said.items() if value is not None}
    return {"instrument": given} if given else {}


class _CheckRow:
    """Builds the table row of a counter check, with its time of issuance in the property's time zone."""

    def __init__(self, property_name: str) -> None:
        self._property = property_name

    def __call__(self, one: Document) -> list[str]:
        amounts = [dollars(one["issued_cents"]), dollars(one["left_cents"])]
        issued_at = self._clocks.text(one["first_issued_at"], self._property)
        return [one["serial"], one.get("drawer") or "", one.get("table") or "", issued_at, *amounts]

    @cached_property
    def _clocks(self) -> Clocks:
        return Clocks()


def _redeemed(one: Document) -> str:
    paid, left = dollars(one["cents"]), dollars(one["left_cents"])
    return f"redemption {one['step']}: {paid} of counter check {one['serial']} in {one['paid_in']}, {left} left"


def _undone(one: Document) -> str:
    was, again = ("redemption", "owed") if one.get("check_write_off") is None else ("recovery", "written off")
    step, what = (one["voids"], "is void") if "voids" in one else (one["returns"], "came back unpaid")
    return f"{was} {step} {what}: {dollars(one['cents'])} of counter check {one['serial']} are {again} again"


def _cleared(one: Document) -> str:
    return f"payment {one['clears']} of counter check {one['serial']} is cleared"


def _replaced(one: Document) -> str:
    return f"{dollars(one['cents'])} are owed on counter check {one['serial']}"


def _in_collection(one: Document) -> str:
    return f"{dollars(one['left_cents'])} of counter check {one['serial']} are in collection: {one['collector']}"


def _recovered(one: Document) -> str:
    amount = f"{dollars(one['recovered_cents'])} are recovered of counter check {one['serial']}"
    return f"recovery {one['step']}: {amount}"


def _write_off(one: Document) -> str:
    what = f"{dollars(one['cents'])} of counter check {one['serial']} ({one['write_off_kind']})"
    return f"write-off {one['check_write_off']} at {one['property']}, {what}: {one['status']}"


def _write_off_row(one: Document) -> list[str]:
    amounts = [dollars(one["cents"]), dollars(one["recovered_cents"])]
    kind = one["write_off_kind"]
    return [
        str(one["check_write_off"]),
        one["serial"],
        one.get("drawer") or "",
        kind,
        one["status"],
        *amounts,
        one["reason"],
    ]
