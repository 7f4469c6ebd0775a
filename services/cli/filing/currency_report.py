"""The currency transaction reports due for a gaming day, read from the day's currency report."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from services.cli.client import client_of
from services.cli.exits import InputRefused
from services.cli.filing.common import section_of
from services.cli.filing.ctr_batch import Line
from shared.contracts.filings import FORM_NUMBERS
from shared.runtime.filing.filed_amounts import has_nothing_left
from shared.runtime.filing.filed_amounts import subject_of as named_in_filings

NOBODY: Final = "unknown"
"""The currency report's value for the person if none was recorded."""

_CTR: Final = FORM_NUMBERS["ctr"]
_OF_ACCOUNT: Final = "account "
"""The prefix of the currency report's value for the person if that is an account without a known patron."""

Reported = tuple[str, str]
"""A person, and the entry of the movement if the person is unknown, because unknown persons share one name."""

Reports = Mapping[Reported, Sequence[Line]]
"""The lines of each report."""


def currency_report(property_name: str, day: str) -> dict[str, Any]:
    """Return the currency report of a gaming day."""
    with client_of("reporting") as reporting:
        return reporting.read("/reports/currency", property=property_name, gaming_day=day, period="day")


def cents_moved(property_name: str, day: str, report: Mapping[str, Any], patterns: Sequence[Mapping[str, Any]]) -> int:
    """Return the sum, in cents, of the movements behind these rows of the currency report's section `patterns`.

    A movement in several patterns counts once. So does an exchange, whose two halves (in and out) are one entry. The
    entries are read as known at the report's time.
    """
    asked = {"property": property_name, "gaming_day": day, "period": "day", "known_at": report["known_at"]}
    cents: dict[tuple[str, int, int], int] = {}
    with client_of("reporting") as reporting:
        for row in patterns:
            cell = f"patterns/{row['id']}/cents"
            for entry in reporting.read("/reports/currency/entries", **asked, cell=cell)["entries"]:
                cents[entry["service"], entry["shard"], entry["seq"]] = entry["value"]
    return sum(cents.values())


def name_of(key: Reported) -> str:
    """Return a report's name for `--only` and `--corrects`: the person, or the entry if the person is unknown."""
    return key[1] or key[0]


def reports_of(report: Mapping[str, Any], corrected: Collection[str]) -> Reports:
    """Return the lines of due reports and of amendments to the reports in `corrected`, by report.

    An amendment may be below the threshold. It has no lines if no movements of the sent report remain.
    """
    found: dict[Reported, list[Line]] = {}
    for section in ("lines", "below"):
        for row in currency_rows(report, section):
            key = reported_of(row)
            if not row.get("reported_with") and (section == "lines" or name_of(key) in corrected):
                agency = row["conducted_by"] or None, tuple(filter(None, row["on_behalf_of"].split(", ")))
                line = Line(row["kind"], row["direction"], row["movements"], row["cents"], *agency, row["specified"])
                found.setdefault(key, []).append(line)
    for row in currency_rows(report, "filed"):
        if row.get("bsa_id") and name_of(reported_of(row)) in corrected:
            found.setdefault(reported_of(row), [])
    return found


def filed_as_they_are(report: Mapping[str, Any]) -> dict[Reported, str]:
    """Return the number of the filing that has each report's current content, by report.

    The filing may not have been sent yet. Reports that were rejected or changed since are omitted.
    """
    return {
        reported_of(row): row.get("amendment") or row["filing"]
        for row in currency_rows(report, "filed")
        if row["status"] in ("prepared", "released", "filed", "accepted")
        or (row["status"] == "to_correct" and row.get("amendment"))
    }


def require_amendments(report: Mapping[str, Any], initial: Reports) -> None:
    """Raise InputRefused for an initial report whose movements may have been sent already, and would be sent twice.

    They may have been in a report that this one must amend. They may also have been in an unidentified person's report
    that now has no movements, because the person has been identified since.
    """
    sent = {reported_of(row): row for row in currency_rows(report, "filed") if row["status"] == "to_correct"}
    replaced = [row for row in sent.values() if has_nothing_left(row)]
    for key, lines in initial.items():
        if key in sent:
            name, row = name_of(key), sent[key]
            way = f"say --corrects {name}={row['bsa_id']}" if row.get("bsa_id") else "record its acknowledgement first"
            raise InputRefused(
                f"{name}: filing {row['filing']} has a report that this one amends ({row['why']}): {way}"
            )
        for row in replaced:
            ways = {line.direction for line in lines}
            if any(row[f"filed_{way}_cents"] for way in ways):
                raise InputRefused(_perhaps_of(name_of(key), row))


def _perhaps_of(name: str, row: Mapping[str, Any]) -> str:
    """Return the refusal, with remedy, of an initial report that may replace a sent report without movements left."""
    sent, bsa_id = name_of(reported_of(row)), row.get("bsa_id")
    found = f"{name}: filing {row['filing']} has the report of {sent}, of which nothing is left"
    if not bsa_id:
        return f"{found}: record its acknowledgement first"
    return (
        f"{found}: if this took its place, say --corrects {name}={bsa_id} (one report alone: if others took its place, "
        f"too, theirs are initial reports); if not, first amend it to what is left of it, with --only {sent} "
        f"--corrects {sent}={bsa_id}, or as the report of whoever it was"
    )


def subject_of(key: Reported, others: Sequence[str]) -> dict[str, Any]:
    """Return a report's subject in the format of the service: a patron, an account, or the entry of a movement.

    `others` are the agents and principals that the report also names.
    """
    kind, reference = named_in_filings(*key)
    said: dict[str, Any] = {"kind": kind, "reference": reference}
    return said | ({"with_others": others} if others and kind != "entry" else {})


def people_of(report: Mapping[str, Any]) -> set[str]:
    """Return all persons whose currency is reported, logged or near a threshold, with their agents and principals."""
    rows = [row for section in ("lines", "log", "warnings") for row in section_of(report, section)]
    return {
        name
        for row in rows
        for name in (row["person"], row.get("conducted_by"), *(row.get("on_behalf_of") or "").split(", "))
        if name
    }


def others_of(key: Reported, lines: Sequence[Line]) -> list[str]:
    """Return the agents and principals in the lines of a report, other than the person reported."""
    named = {one for line in lines for one in (line.conductor, *line.on_behalf_of) if one is not None}
    return sorted(named - {key[0]})


def account_of(reference: str) -> str | None:
    """Return the account in a reference to an account without a known patron, or None for another reference."""
    return reference.removeprefix(_OF_ACCOUNT) if reference.startswith(_OF_ACCOUNT) else None


def require_reported(report: Mapping[str, Any], people: Sequence[str]) -> None:
    """Raise InputRefused for a person whose movements are all in another person's report."""
    found = {row["person"]: row["reported_with"] for row in currency_rows(report, "filed")}
    for person in people:
        if whole := found.get(person):
            raise InputRefused(f"{person}: all of it is in the report of {whole}, for whom or by whom it was moved")


def currency_rows(report: Mapping[str, Any], section: str) -> list[dict[str, Any]]:
    """Return the rows of a report's section that concern currency transaction reports (FinCEN 112)."""
    return [row for row in section_of(report, section) if row["form"] == _CTR]


def reported_of(row: Mapping[str, Any]) -> Reported:
    """Return the key of the report that a row of the currency report belongs to."""
    reference = row["person"]
    return reference, row["entry"] if reference == NOBODY else ""
