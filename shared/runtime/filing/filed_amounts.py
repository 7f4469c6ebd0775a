"""Compare a filing with the current report on which it is based: changed amounts, and reports to file again. Pure."""

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
    """An outdated report in a filing: its person, and its amounts in the file and now, as texts."""

    who: str
    filed: str
    now: str

    def __str__(self) -> str:
        return f"{self.who}: {self.filed} in the file, and {self.now} now"


def report_behind(filing: Document) -> tuple[str, dict[str, str]]:
    """Return the report on which a filing is based: its name, and the query parameters for the filing's period."""
    asked = {"property": filing["property"]}
    if filing["form"] == "ctr":
        return "currency", asked | {"gaming_day": filing["period"], "period": "day"}
    return "winnings", asked | {"gaming_day": f"{filing['period']}-12-31", "period": "year"}


def changed_since_prepared(filing: Document, report: Document) -> list[Changed]:
    """Return the differences between a filing and its `report_behind`, in the order of the filing's reports."""
    compared = _currency(filing, report) if filing["form"] == "ctr" else _winnings(filing, report)
    return [one for one in compared if one.filed != one.now]


def has_last_day(filing: Document) -> bool:
    """Return whether the deadline `file_by` applies to a filing: it contains a first report, or was rejected.

    For other amendments and corrections, the deadline of the first report applies, as in the section on filings of the
    reports.
    """
    return filing["status"] == "rejected" or not filing["only_amends"]


def is_due_again(filing: int, report: Document) -> bool:
    """Return whether `report`, on which a rejected filing is based, lists a rejected report of it to file again."""
    sections = (one for one in report["content"]["sections"] if one["name"] in ("filed", "returns"))
    return any(row.get("rejected") == str(filing) for one in sections for row in one["rows"])


def subject_of(reference: str, entry: str) -> tuple[str, str]:
    """Return the (kind, reference) by which a filing identifies a person of the currency report.

    An unknown person is identified by the `entry` of the movement, or by an account.

    >>> subject_of("p-7", ""), subject_of("account ga-2", ""), subject_of("unknown", "table-inventory/1/7")
    (('patron', 'p-7'), ('account', 'ga-2'), ('entry', 'table-inventory/1/7'))
    """
    if reference == _UNKNOWN:
        return "entry", entry
    kind, _, name = reference.rpartition(" ")
    return kind or "patron", name


def _currency(filing: Document, report: Document) -> Iterator[Changed]:
    """Yield the amounts of each currency transaction report, in the file and now, and whether it is to be withdrawn.

    If the report now has a BSA identifier, also yield the identifier that it amends; if it amends none, also each sent
    report of an unidentified person that it may take the place of, and that is not amended yet.
    """
    left = [row for row in _rows(report, "filed", "ctr") if has_nothing_left(row)]
    now = {subject_of(one["person"], one["entry"]): one for one in _rows(report, "filed", "ctr")}
    for one in filing["reports"]:
        who, row = one["reference"], now.get((one["kind"], one["reference"]), {})
        said = [one[name] * _DOLLAR_CENTS for name in ("in_dollars", "out_dollars")]
        compared = [Changed(who, _in_and_out(said), _in_and_out([row.get("in_cents", 0), row.get("out_cents", 0)]))]
        if row.get("bsa_id"):
            compared.append(Changed(who, f"amends {one.get('amends') or 'nothing'}", f"amends {row['bsa_id']}"))
        ways = [way for way in ("in", "out") if one[f"{way}_dollars"]]
        compared += [
            Changed(who, "an initial report", f"one that may be the report of {_named(row)} in filing {row['filing']}")
            for row in left
            if not one.get("amends") and any(row[f"filed_{way}_cents"] for way in ways)
        ]
        yield from compared
        if all(each.filed == each.now for each in compared) and _is_to_withdraw(filing, row):
            yield Changed(who, "a report to be sent", f"one to be withdrawn ({row['why']})")


def has_nothing_left(row: Document) -> bool:
    """Return whether a sent report of an unidentified person has no movements left, and is not being amended.

    `row` is a row of the currency report's section `filed`. The person may have been identified since, so that an
    initial report on that person would send the same movements twice. An amendment that named a person, and was
    rejected, does not count.
    """
    is_sent = row["status"] == "to_correct" and bool(row["entry"] or row.get("filed_entry"))
    return is_sent and not (row["in_cents"] or row["out_cents"] or row.get("amendment"))


def _named(row: Document) -> str:
    """Return the person of a row of the section `filed`; the entry, if the person is unidentified."""
    entry, person = str(row["entry"]), str(row["person"])
    return entry or person


def _is_to_withdraw(filing: Document, row: Document) -> bool:
    """Return whether the report in this filing is to be withdrawn.

    The row must have the status `to_withdraw`, and name this filing as the last one with the report or an amendment.
    """
    return row.get("status") == "to_withdraw" and (row.get("amendment") or row["filing"]) == str(filing["filing"])


def _winnings(filing: Document, report: Document) -> Iterator[Changed]:
    """Yield the amounts of each information return, in the file and now, and its basis if both are known.

    If the file corrects a return by two returns, the last one counts.
    """
    now = {one["account_number"]: one for one in _rows(report, "returns", filing["form"])}
    for one in {one["account_number"]: one for one in filing["reports"]}.values():
        row = now.get(one["account_number"], {})
        said, holds = ([of.get(name) or 0 for name in _WORDS] for of in (one, row))
        shown = [name in _ALWAYS or any(cents) for name, *cents in zip(_WORDS, said, holds, strict=True)]
        who = f"{one['reference']}, return {one['account_number']}"
        yield Changed(who, _amounts(said, shown), _amounts(holds, shown))
        if one.get("basis") and row.get("basis"):
            yield Changed(who, *(f"details {of['basis']} (residence, wager, rate, documents)" for of in (one, row)))


def _rows(report: Document, section: str, form: FilingForm) -> list[dict[str, Any]]:
    [rows] = [one["rows"] for one in report["content"]["sections"] if one["name"] == section]
    return [one for one in rows if one["form"] == FORM_NUMBERS[form]]


def _in_and_out(cents: Sequence[int]) -> str:
    into, out = (f"${one // _DOLLAR_CENTS:,}" for one in cents)
    return f"{into} in, {out} out"


def _amounts(cents: Sequence[int], shown: Sequence[bool]) -> str:
    """Return a text with those amounts of a return that are shown.

    >>> _amounts([250_000, 0, 0, 0], [True, True, False, False])
    '$2,500.00 won, $0.00 withheld'
    """
    named = zip(cents, _WORDS.values(), shown, strict=True)
    return ", ".join(f"{dollars(one, symbol='$')} {word}" for one, word, is_shown in named if is_shown)
