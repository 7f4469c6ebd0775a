"""`pitledger balances`: print the balance of every account."""

from datetime import date, datetime
from typing import Annotated

import typer

from services.cli.database import journal_of, with_connection
from services.cli.exits import CheckFailed
from services.cli.moments import moment_of
from services.cli.output import AsJson, names, numbers, print_json, show, table
from services.cli.services import SETTLEMENT, service_option
from shared.contracts.money import dollars
from shared.journal.reading import balances as read_balances


def balances(
    service: Annotated[str, service_option("Service whose balances are printed.")] = SETTLEMENT,
    as_of: Annotated[
        str | None,
        typer.Option(
            metavar="DATE|MOMENT",
            help="Only events up to this gaming day, YYYY-MM-DD, or this time, ISO 8601 with UTC offset.",
        ),
    ] = None,
    known_at: Annotated[
        str | None,
        typer.Option(metavar="MOMENT", help="As known at this time, ISO 8601 with UTC offset (default: now)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the balance of every account, as of a time and as known at a time.

    Debits are positive. All accounts together sum to zero; otherwise the exit code is 1. A correction recorded after
    --known-at is left out: these are the books as they were known then.

    Example: pitledger balances --as-of 2026-11-20
    Example: pitledger balances --as-of 2026-11-20 --known-at 2026-11-21T06:00:00-05:00
    """
    happened = None if as_of is None else _date_ormoment_of(as_of)
    known = None if known_at is None else moment_of("--known-at", known_at)

    tables = journal_of(service)
    found = with_connection(
        service, lambda connection: read_balances(connection, tables, as_of=happened, known_at=known)
    )
    total = sum(balance.cents for balance in found)
    if as_json:
        print_json(
            {
                "service": service,
                "as_of": happened and happened.isoformat(),
                "known_at": known and known.isoformat(),
                "balances": [{**balance.account._asdict(), "cents": balance.cents} for balance in found],
                "sum_cents": total,
            }
        )
    else:
        rows = [[*balance.account, dollars(balance.cents)] for balance in found]
        columns = names("Property", "Table", "Wager", "Leg") + numbers("Balance")
        show(table(columns, [*rows, ["", "", "", "sum", dollars(total)]], footer=True))
    if total != 0:
        raise CheckFailed(f"the accounts of {service} sum to {dollars(total)}, not to zero; run: pitledger verify")


def _date_ormoment_of(text: str) -> date | datetime:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return moment_of("--as-of", text)
