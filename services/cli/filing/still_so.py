"""Whether the amounts of a prepared filing still hold, by the report that they were taken from."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from services.cli.client import client_of
from services.cli.exits import InputRefused
from services.cli.filing.common import in_dollars, section_of
from services.cli.filing.currency_report import currency_report, currency_rows, reported_of, subject_of
from shared.contracts.filings import FORM_NUMBERS

Compared = tuple[str, str, str]
"""Whom a report is about, and its amounts as text: in the file, and now."""

_DOLLAR_CENTS: Final = 100
_WORDS: Final = {
    "winnings_cents": "won",
    "withheld_cents": "withheld",
    "state_withheld_cents": "for the state",
    "local_withheld_cents": "for the locality",
}
"""The words for the amounts of an information return."""
_ALWAYS: Final = ("winnings_cents", "withheld_cents")


def require_still_so(filing: Mapping[str, Any]) -> None:
    """Raise InputRefused for a filing with other amounts than hold now.

    The service that releases a filing does not have the movements and winnings behind it: the currency report and the
    winnings report have them.
    """
    compared = _currency(filing) if filing["form"] == "ctr" else _winnings(filing)
    changed = [f"{who}: {said} in the file, and {holds} now" for who, said, holds in compared if said != holds]
    if changed:
        error = InputRefused(
            f"filing {filing['filing']} of {filing['property']} no longer holds: withdraw it, and prepare it again"
        )
        error.details = "\n".join(changed)
        raise error


def _currency(filing: Mapping[str, Any]) -> Iterator[Compared]:
    """Yield the amounts of currency transaction reports, and the identifiers that amendments name."""
    now = {
        (one["kind"], one["reference"]): row
        for row in currency_rows(currency_report(filing["property"], filing["period"]), "filed")
        for one in (subject_of(reported_of(row), ()),)
    }
    for one in filing["reports"]:
        row = now.get((one["kind"], one["reference"]), {})
        said = [one[name] * _DOLLAR_CENTS for name in ("in_dollars", "out_dollars")]
        yield one["reference"], _in_and_out(said), _in_and_out([row.get("in_cents", 0), row.get("out_cents", 0)])
        if row.get("bsa_id"):
            yield one["reference"], f"amends {one.get('amends', 'nothing')}", f"amends {row['bsa_id']}"


def _winnings(filing: Mapping[str, Any]) -> Iterator[Compared]:
    """Yield the amounts of information returns: of the last one in the file, where two correct a return."""
    asked = {"gaming_day": f"{filing['period']}-12-31", "period": "year"}
    with client_of("reporting") as reporting:
        report = reporting.read("/reports/winnings", property=filing["property"], **asked)
    form = FORM_NUMBERS[filing["form"]]
    now = {one["account_number"]: one for one in section_of(report, "returns") if one["form"] == form}
    for one in {one["account_number"]: one for one in filing["reports"]}.values():
        said, holds = ([of.get(name) or 0 for name in _WORDS] for of in (one, now.get(one["account_number"], {})))
        words = [name in _ALWAYS or any(cents) for name, *cents in zip(_WORDS, said, holds, strict=True)]
        who = f"{one['reference']}, return {one['account_number']}"
        yield who, _amounts(said, words), _amounts(holds, words)


def _in_and_out(cents: Sequence[int]) -> str:
    into, out = (f"${one // _DOLLAR_CENTS:,}" for one in cents)
    return f"{into} in, {out} out"


def _amounts(cents: Sequence[int], shown: Sequence[bool]) -> str:
    """Return the amounts of a return that are shown, in words.

    >>> _amounts([250_000, 0, 0, 0], [True, True, False, False])
    '$2,500.00 won, $0.00 withheld'
    """
    named = zip(cents, _WORDS.values(), shown, strict=True)
    return ", ".join(f"${in_dollars(one)} {word}" for one, word, is_shown in named if is_shown)
