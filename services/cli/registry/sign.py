"""`pitledger sign`: the payout sign and the gaming guide of a rules submission, offline."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from services.cli.documents import read_document
from services.cli.exits import InputRefused
from services.cli.output import write_bytes
from services.paytable_registry.rendering import FormName, render
from shared.rules import Refused, parse_submission
from shared.rules.signs import Sheet
from shared.rules.signs import guide as guide_of
from shared.rules.signs import sign as sign_of


def sign(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="File of the rules submission, YAML or JSON; - for stdin.")
    ],
    guide: Annotated[bool, typer.Option("--guide", help="Make the gaming guide instead of the payout sign.")] = False,
    form: Annotated[FormName, typer.Option("--as", help="Output format.")] = "html",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file instead of stdout.")
    ] = None,
) -> None:
    """Make the payout sign of a rules submission, or its gaming guide, without database or broker.

    The document lists every offered wager with its paying hands, odds or amounts, meter and Envy Bonuses, each line
    with its paragraph. The same submission always gives the same bytes.

    Example: pitledger sign submission.json -o sign.html
    Example: pitledger sign --guide --as pdf -o guide.pdf submission.json
    """
    try:
        sheet = _sheet(read_document(file), guide=guide)
    except Refused as refused:
        raise InputRefused(f"{file}: refused: {refused}") from refused
    write_bytes(render(sheet, form), output, form, readable=form == "html")


def _sheet(document: object, *, guide: bool) -> Sheet:
    """Return the payout sign or gaming guide for a document with `regulation` and `submission`."""
    if not isinstance(document, Mapping) or not isinstance(document.get("regulation"), str):
        raise Refused("a rules submission is a mapping with 'regulation' and 'submission'")
    submission = parse_submission(document.get("submission", {}))
    return (guide_of if guide else sign_of)(document["regulation"], submission)
