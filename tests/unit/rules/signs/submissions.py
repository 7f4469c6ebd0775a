"""A submission of each regulation that offers all that it can, and those of the golden rounds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from shared.rules import REGULATIONS, CaseFile, Submission, catalogue, parse_cases, parse_submission
from shared.rules.catalogue import Catalogue, Wager
from tests.support.records import read

_GOLDEN: Final = Path(__file__).parents[3] / "golden"


def everything(regulation: str, column: int = 0) -> dict[str, Any]:
    """The document of a submission that selects every option and offers every wager, each with one of its paytables.

    With another `column` each has the next one; after the last comes the first.
    """
    allowed = catalogue(regulation)
    decks = None if allowed.decks is None else max(allowed.decks.fewest, 1 if allowed.decks.default else 6)
    options: dict[str, Any] = {}
    for name, option in allowed.options.items():
        if option.type == "flag" and option.most_decks is None:
            options[name] = True
        elif option.type == "choice":
            options[name] = option.choices[-1]
        elif option.type == "whole_number":
            options[name] = 2
        elif option.between is not None:
            options[name] = option.between[-1]
        elif option.type == "text":
            options[name] = "standard"
    optional = {name: wager for name, wager in allowed.wagers.items() if wager.offered == "optional"}
    offered = {name: _offer(wager, decks, column) for name, wager in optional.items()}
    document: dict[str, Any] = {"wagers": offered, "options": options, "bets": _bets(allowed)}
    if decks is not None:
        document["decks"] = decks
    if allowed.payout_limit is not None:
        document["payout_limit"] = 10 * allowed.payout_limit.least
    return document


def _bets(allowed: Catalogue) -> dict[str, Any]:
    return {next(iter(allowed.wagers)): {"least": 1500, "most": 500_000}}


def _offer(wager: Wager, decks: int | None, column: int) -> dict[str, Any]:
    tables = [table for table in wager.paytables if table.is_for(decks) or decks is None]
    table = tables[column % len(tables)]
    offer: dict[str, Any] = {name: True for name, option in wager.options.items() if option.type == "flag"}
    offer |= {name: "0.5" for name, option in wager.options.items() if option.type == "share"}
    if table.name is not None:
        offer["paytable"] = table.name
    if wager.meter is not None and table.meter is None:
        offer["meter"] = {"rate": "0.3", "reset": table.reset or wager.meter.least_reset}
    return offer


def submission_of(regulation: str, column: int = 0) -> Submission:
    """The same as the model has it."""
    return parse_submission(everything(regulation, column))


def golden(regulation: str) -> Iterator[CaseFile]:
    """The golden rounds of a regulation that settle."""
    for path in sorted(_GOLDEN.joinpath(regulation).glob("*.yaml")):
        yield from (case for case in parse_cases(read(path)) if case.expect is not None)


ALL: Final = REGULATIONS
