"""What the currency report says is to be reported of a gaming day, and whether a filing still says so."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from services.cli.client import client_of
from services.cli.exits import InputRefused
from services.cli.filing.common import section_of
from services.cli.filing.ctr_batch import Line
from shared.contracts.filings import FORM_NUMBERS

NOBODY: Final = "unknown"
"""The person of the currency report where none was recorded."""

_CTR: Final = FORM_NUMBERS["ctr"]
_OF_ACCOUNT: Final = "account "
"""What a person of the currency report is called before an account without a known patron."""

_DOLLAR_CENTS: Final = 100

Reported = tuple[str, str]
"""A person, and the entry where nobody is known: those cannot be told apart."""

Reports = Mapping[Reported, Sequence[Line]]
"""The lines to report."""


def currency_report(property_name: str, day: str) -> dict[str, Any]:
    """Return the currency report of a gaming day."""
    with client_of("reporting") as reporting:
        return reporting.read("/reports/currency", property=property_name, gaming_day=day, period="day")


def name_of(key: Reported) -> str:
    """Return by what `--only` and `--corrects` name a report: the person, or the entry where nobody is known."""
    return key[1] or key[0]


def reports_of(report: Mapping[str, Any], corrected: Collection[str]) -> Reports:
    """Return what is to be reported, and what amends reports that were sent: of those `corrected`, by name.

    What amends may be below the threshold, or have no lines: then nothing is left of what was sent.
    """
    found: dict[Reported, list[Line]] = {}
    for section in ("lines", "below"):
        for row in _rows(report, section):
            key = _key(row)
            if name_of(key) in corrected or (section == "lines" and not row["reported_with"]):
                agency = row["conducted_by"] or None, tuple(filter(None, row["on_behalf_of"].split(", ")))
                line = Line(row["kind"], row["direction"], row["movements"], row["cents"], *agency)
                found.setdefault(key, []).append(line)
    for row in _rows(report, "filed"):
        if row.get("bsa_id") and name_of(_key(row)) in corrected:
            found.setdefault(_key(row), [])
    return found


def subject_of(key: Reported, others: Sequence[str]) -> dict[str, Any]:
    """Return whom a report is about: of somebody not known, the entry of the movement, or the account.

    `others` are those whom it names beside a patron.
    """
    reference, entry = key
    if reference == NOBODY:
        return {"kind": "entry", "reference": entry}
    kind, _, name = reference.rpartition(" ")
    return {"kind": kind or "patron", "reference": name} | ({"with_others": others} if others else {})


def others_of(key: Reported, lines: Sequence[Line]) -> list[str]:
    """Return whom a report names beside the person that it is about: who acted for that person, and for whom else."""
    named = {one for line in lines for one in (line.conductor, *line.on_behalf_of) if one is not None}
    return sorted(named - {key[0]})


def account_of(reference: str) -> str | None:
    """Return the account of somebody who is known by nothing else, or None."""
    return reference.removeprefix(_OF_ACCOUNT) if reference.startswith(_OF_ACCOUNT) else None


def require_reported(report: Mapping[str, Any], people: Sequence[str]) -> None:
    """Raise InputRefused for somebody of whom all is in the report of somebody else, and no report was filed."""
    found = {row["person"]: row["reported_with"] for row in _rows(report, "filed")}
    for person in people:
        if whole := found.get(person):
            raise InputRefused(f"{person}: all of it is in the report of {whole}, for whom or by whom it was moved")


def require_still_so(filing: Mapping[str, Any]) -> None:
    """Raise InputRefused for a filing of currency transaction reports with other amounts than hold now.

    The service that releases it does not know what was moved: the currency report does.
    """
    if filing["form"] != "ctr":
        return
    report = currency_report(filing["property"], filing["period"])
    now = {
        (one["kind"], one["reference"]): (row["in_cents"], row["out_cents"])
        for row in _rows(report, "filed")
        for one in (subject_of(_key(row), ()),)
    }
    changed = []
    for one in filing["reports"]:
        said = tuple(one[name] * _DOLLAR_CENTS for name in ("in_dollars", "out_dollars"))
        holds = now.get((one["kind"], one["reference"]), (0, 0))
        if said != holds:
            changed.append(f"{one['reference']}: {_in_and_out(said)} in the file, and {_in_and_out(holds)} now")
    if changed:
        error = InputRefused(
            f"filing {filing['filing']} of {filing['property']} no longer holds: withdraw it, and prepare it again"
        )
        error.details = "\n".join(changed)
        raise error


def _in_and_out(cents: tuple[int, ...]) -> str:
    into, out = (f"${one // _DOLLAR_CENTS:,}" for one in cents)
    return f"{into} in, {out} out"


def _rows(report: Mapping[str, Any], section: str) -> list[dict[str, Any]]:
    return [row for row in section_of(report, section) if row["form"] == _CTR]


def _key(row: Mapping[str, Any]) -> Reported:
    reference = row["person"]
    return reference, row["entry"] if reference == NOBODY else ""
