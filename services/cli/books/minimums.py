"""`pitledger minimums`: handle and theoretical win as they would have been under other table minimums."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from services.cli.amounts import cents_of
from services.cli.client import client_of
from services.cli.output import AsJson, heading, message, names, numbers, print_json, show, table
from services.cli.services import SETTLEMENT
from shared.contracts.money import dollars

_SIDES: Final = ("recorded", "raised", "left")


def minimums(
    property_name: Annotated[str, typer.Option("--property", help="The property's name.")],
    game: Annotated[str, typer.Option(help="The licensee's name for the game.")],
    first: Annotated[str, typer.Option(metavar="DATE", help="First gaming day, YYYY-MM-DD.")],
    minimum: Annotated[
        list[str],
        typer.Option(
            metavar="DOLLARS", help="Table minimum to evaluate, in dollars, such as 25 or 12.50; may be repeated."
        ),
    ],
    last: Annotated[
        str | None, typer.Option(metavar="DATE", help="Last gaming day, YYYY-MM-DD (default: the first).")
    ] = None,
    tables: Annotated[list[str] | None, typer.Option("--table", help="Only this table; may be repeated.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show handle and theoretical win as they would have been under other table minimums.

    Reads recorded rounds, and records nothing. Seats that wagered less than the minimum are evaluated under two
    assumptions: that they raise their wagers to the minimum, and that they leave. Figures are grouped by hour (local
    time of the property) and by the minimum on the tables' signs.

    Example: pitledger minimums --property riverside --game blackjack --first 2026-11-20 --minimum 25 --minimum 50
    """
    asked: dict[str, str | Sequence[str]] = {
        "property": property_name,
        "game": game,
        "first": first,
        "last": last or first,
        "minimum_cents": [str(cents_of("--minimum", text)) for text in minimum],
        **({} if tables is None else {"table": tables}),
    }
    with client_of(SETTLEMENT) as client:
        found = client.read("/minimums", **asked)
    print_json(found) if as_json else _show(found)


def _show(found: Mapping[str, Any]) -> None:
    period = found["first"] if found["first"] == found["last"] else f"{found['first']} to {found['last']}"
    show(heading(f"{found['game']} at {found['property']}, {period}: {found['rounds']:,} rounds"))
    message(found["books"])
    for said in found["assumed"].values():
        message(said)
    for one in found["minimums"]:
        rows = [[hour["hour"], dollars(hour["sign_cents"]) if hour["sign_cents"] else "", *_figures(hour)]
                for hour in one["hours"]]  # fmt: skip
        columns = [
            *names("Hour"),
            *numbers("Minimum", "Seats", "Below", "Handle", "Raised", "Left"),
            *numbers("Theoretical win", "Raised", "Left"),
        ]
        show("", heading(f"Minimum {dollars(one['minimum_cents'])}"))
        show(table(columns, [*rows, ["all", "", *_figures(one["total"])]], footer=True))
    for edge in found["edges"]:
        if edge["source"] is None:
            message(f"{edge['wager']}, version {edge['version']}: no house edge, and no part of the theoretical win")
        elif edge["source"] == "stated":
            message(f"{edge['wager']}, version {edge['version']}: house edge by the payback that the licensee states")


def _figures(one: Mapping[str, Any]) -> list[str]:
    return [
        f"{one['recorded']['seats']:,}",
        f"{one['seats_below']:,}",
        *(dollars(one[side]["handle_cents"]) for side in _SIDES),
        *(dollars(one[side]["theoretical_win_cents"]) for side in _SIDES),
    ]
