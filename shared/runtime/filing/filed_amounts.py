"""Compare a filing with the report of the books behind it: do its amounts hold, is a rejected report due. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from shared.contracts.filings import FORM_NUMBERS, FilingForm
from shared.contracts.money import dollars

Document = Mapping[str, Any]
"""A filing with its reports, or a report of the books, as the services answer them: JSON."""

_DOLLAR_CENTS: Final = 100
_UNKNOWN: Final = "unknown"
"""The person of the currency report where none was recorded."""

_WORDS: Final = {
    "winnings_cents": "won",
    "withheld_cents": "withheld",
    "state_withheld_cents": "for the state",
    "local_withheld_cents": "for the locality",
}
"""The words for the amounts of an information return."""

_ALWAYS: Final = ("winnings_cents", "withheld_cents")
"""The amounts that are shown although they are 0."""


class Changed(NamedTuple):
    """A report of a filing that no longer holds: whom it is about, and its amounts in the file and now, in words."""

    who: str
    filed: str
    now: str

    def __str__(self) -> str:
        return f"{self.who}: {self.filed} in the file, and {self.now} now"


def report_behind(filing: Document) -> tuple[str, dict[str, str]]:
    """Return the report that has what a filing says: its name, and the query of its period."""
    asked = {"property": filing["property"]}
    if filing["form"] == "ctr":
        return "currency", asked | {"gaming_day": filing["period"], "period": "day"}
    return "winnings", asked | {"gaming_day": f"{filing['period']}-12-31", "period": "year"}


def changed_since_prepared(filing: Document, report: Document) -> list[Changed]:
    """Return the reports of a filing that differ from those of `report_behind` the filing, in order."""
    compared = _currency(filing, report) if filing["form"] == "ctr" else _winnings(filing, report)
    return [one for one in compared if one.filed != one.now]


def has_last_day(filing: Document) -> bool:
    """Return whether `file_by` counts for a listed filing: it has a first report, or was rejected.

    Of amendments and corrections that were not rejected, the first report counts, as in the reports' section on what
    was filed.
    """
    return filing["status"] == "rejected" or not filing["only_amends"]


def is_due_again(filing: int, report: Document) -> bool:
    """Return whether `report_behind` a rejected filing has a report that was rejected in it and must be filed again."""
    sections = (one for one in report["content"]["sections"] if one["name"] in ("filed", "returns"))
    return any(row.get("rejected") == str(filing) for one in sections for row in one["rows"])


def subject_of(reference: str, entry: str) -> tuple[str, str]:
    """Return the kind and the reference by which filings name a person of the currency report.

    An unknown person is named by the `entry` of the movement, or by an account.

    >>> subject_of("p-7", ""), subject_of("account ga-2", ""), subject_of("unknown", "table-inventory/1/7")
    (('patron', 'p-7'), ('account', 'ga-2'), ('entry', 'table-inventory/1/7'))
    """
    if reference == _UNKNOWN:
        return "entry", entry
    kind, _, name = reference.rpartition(" ")
    return kind or "patron", name


def _currency(filing: Document, report: Document) -> Iterator[Changed]:
    """Yield currency transaction reports with their amounts, and with the identifiers that amendments name."""
    now = {subject_of(one["person"], one["entry"]): one for one in _rows(report, "filed", "ctr")}
    for one in filing["reports"]:
        who, row = one["reference"], now.get((one["kind"], one["reference"]), {})
        said = [one[name] * _DOLLAR_CENTS for name in ("in_dollars", "out_dollars")]
        compared = [Changed(who, _in_and_out(said), _in_and_out([row.get("in_cents", 0), row.get("out_cents", 0)]))]
        if row.get("bsa_id"):
            compared.append(Changed(who, f"amends {one.get('amends') or 'nothing'}", f"amends {row['bsa_id']}"))
        yield from compared
        if all(each.filed == each.now for each in compared) and _is_to_withdraw(filing, row):
            yield Changed(who, "a report to be sent", f"one to be withdrawn ({row['why']})")


def _is_to_withdraw(filing: Document, row: Document) -> bool:
    """Return whether a report is to be withdrawn, as the report or the amendment of its row."""
    return row.get("status") == "to_withdraw" and (row.get("amendment") or row["filing"]) == str(filing["filing"])


def _winnings(filing: Document, report: Document) -> Iterator[Changed]:
    """Yield information returns with their amounts: the last one in the file, where two correct a return."""
    now = {one["account_number"]: one for one in _rows(report, "returns", filing["form"])}
    for one in {one["account_number"]: one for one in filing["reports"]}.values():
        said, holds = ([of.get(name) or 0 for name in _WORDS] for of in (one, now.get(one["account_number"], {})))
        shown = [name in _ALWAYS or any(cents) for name, *cents in zip(_WORDS, said, holds, strict=True)]
        who = f"{one['reference']}, return {one['account_number']}"
        yield Changed(who, _amounts(said, shown), _amounts(holds, shown))


def _rows(report: Document, section: str, form: FilingForm) -> list[dict[str, Any]]:
    [rows] = [one["rows"] for one in report["content"]["sections"] if one["name"] == section]
    return [one for one in rows if one["form"] == FORM_NUMBERS[form]]


def _in_and_out(cents: Sequence[int]) -> str:
    into, out = (f"${one // _DOLLAR_CENTS:,}" for one in cents)
    return f"{into} in, {out} out"


def _amounts(cents: Sequence[int], shown: Sequence[bool]) -> str:
    """Return the amounts of a return that are shown, in words.

    >>> _amounts([250_000, 0, 0, 0], [True, True, False, False])
    '$2,500.00 won, $0.00 withheld'
    """
    named = zip(cents, _WORDS.values(), shown, strict=True)
    return ", ".join(f"{dollars(one, symbol='$')} {word}" for one, word, is_shown in named if is_shown)
