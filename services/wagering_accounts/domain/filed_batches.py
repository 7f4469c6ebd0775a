"""Read the reports in a file of currency transaction reports. Pure.

The record of a filing is read from the file itself, so that the two cannot differ. The format is FinCEN's batch XML
schema 2.0.
"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from services.wagering_accounts.domain.filed_reports import FileWrong, ReportInFile
from shared.contracts.currency_lines import (
    FOR_ANOTHER,
    FOR_WHOM,
    LINE_CODES,
    ON_OWN_BEHALF,
    DigestedLine,
    DigestedParty,
    lines_digest,
)

_NAMESPACE: Final = "{www.fincen.gov/base}"
_FORM: Final = "CTRX"
_PERSONS_INVOLVED: Final = (ON_OWN_BEHALF, FOR_ANOTHER, FOR_WHOM)
"""The codes of persons in a report: on their own behalf, for another person, and on whose behalf."""

_AMOUNTS_OF_PARTY: Final = ("IndividualEntityCashInAmountText", "IndividualEntityCashOutAmountText")

_KNOWN_BY: Final = ("PartyName", "Address", "PartyIdentification")

_FILER: Final = "30"
"""The code of the financial institution that files a report."""

_EIN: Final = "2"
"""The code of an employer identification number."""

_WAYS: Final = {code: direction for (_, direction), code in LINE_CODES.items()}
"""Code of a type of transaction -> its direction; each code has one."""


def read_batch(content: str) -> tuple[ReportInFile, ...]:
    """Return the reports of a file, in file order. Raises: FileWrong if it cannot be read."""
    try:
        root = fromstring(content.encode())
    except (ParseError, DefusedXmlException):
        raise FileWrong("the file is no XML that can be read") from None
    if root.tag != f"{_NAMESPACE}EFilingBatchXML" or _text(root, "FormTypeCode") != _FORM:
        raise FileWrong(f"the file is no EFilingBatchXML of form {_FORM}")
    reports = tuple(_reports(root))
    if root.get("ActivityCount") != str(len(reports)):
        raise FileWrong(f"the file has {len(reports)} reports, and its ActivityCount is another")
    return reports


def _reports(root: Element) -> Iterator[ReportInFile]:
    for number, activity in enumerate(root.findall(f"{_NAMESPACE}Activity"), start=1):
        moved = activity.find(f"{_NAMESPACE}CurrencyTransactionActivity")
        if moved is None:
            raise FileWrong(f"report {number} has no CurrencyTransactionActivity")
        try:
            parties, lines = _parties(activity), _lines(moved)
            _require_totals(number, moved, lines)
            filed_on = _text(activity, "FilingDateText")
            yield ReportInFile(
                period=_day(_text(moved, "TransactionDateText")).isoformat(),
                in_dollars=_dollars(moved, "TotalCashInReceiveAmountText"),
                out_dollars=_dollars(moved, "TotalCashOutAmountText"),
                lines_sha256=_digest(lines, parties),
                amends=_text(activity, "EFilingPriorDocumentNumber") or None,
                people=_people(parties),
                filed_on=_day(filed_on) if filed_on else None,
                filer_ein=_filer_ein(activity),
            )
        except ValueError:
            raise FileWrong(f"report {number} has a day or an amount that cannot be read") from None


def _day(text: str) -> date:
    """Parse a date in the format of batches, such as 20261120. Raises: ValueError if it is malformed."""
    return datetime.strptime(text, "%Y%m%d").date()  # noqa: DTZ007


def _parties(activity: Element) -> list[Element]:
    """Return the elements of the persons involved in a report, the person who is reported first."""
    found = activity.findall(f"{_NAMESPACE}Party")
    return [one for one in found if _text(one, "ActivityPartyTypeCode") in _PERSONS_INVOLVED]


def _lines(moved: Element) -> list[DigestedLine]:
    """Return the lines of a report. Raises: ValueError if an amount is malformed."""
    return [
        DigestedLine(
            _text(one, "CurrencyTransactionActivityDetailTypeCode"),
            _text(one, "OtherCurrencyTransactionActivityDetailText"),
            _text(one, "OtherForeignCurrencyCountryText"),
            _dollars(one, "DetailTransactionAmountText"),
        )
        for one in moved.findall(f"{_NAMESPACE}CurrencyTransactionActivityDetail")
    ]


def _require_totals(number: int, moved: Element, lines: Sequence[DigestedLine]) -> None:
    """Raise FileWrong if a report's totals are not the sums of its lines; lines of unknown types are not added up."""
    if any(one.code not in _WAYS for one in lines):
        return
    for way, name in (("in", "TotalCashInReceiveAmountText"), ("out", "TotalCashOutAmountText")):
        total, found = _dollars(moved, name), sum(one.dollars for one in lines if _WAYS[one.code] == way)
        if total != found:
            raise FileWrong(f"report {number} has a {name} of {total}, and lines of {found}")


def _filer_ein(activity: Element) -> str | None:
    """Return the employer identification number of the institution that files a report; None if it has none."""
    for party in activity.findall(f"{_NAMESPACE}Party"):
        if _text(party, "ActivityPartyTypeCode") == _FILER:
            for one in party.findall(f"{_NAMESPACE}PartyIdentification"):
                if _text(one, "PartyIdentificationTypeCode") == _EIN:
                    return _text(one, "PartyIdentificationNumberText") or None
    return None


def _digest(lines: Sequence[DigestedLine], parties: Sequence[Element]) -> str | None:
    """Return the digest of a report's lines and parties; None without parties. Raises: ValueError if malformed."""
    if not parties:
        return None
    parts = [
        DigestedParty(_text(one, "ActivityPartyTypeCode"), *(_dollars(one, name) for name in _AMOUNTS_OF_PARTY))
        for one in parties
    ]
    return lines_digest(lines, parts)


def _dollars(element: Element, name: str) -> int:
    return int(_text(element, name) or "0")


def _people(parts: Sequence[Element]) -> tuple[int, int]:
    """Return the number of distinct persons (by name, address and number) and the number of parties in a report."""
    known = {
        tuple(
            (field.tag, field.text) for name in _KNOWN_BY for part in one.findall(_NAMESPACE + name) for field in part
        )
        for one in parts
    }
    return len(known), len(parts)


def _text(element: Element, name: str) -> str:
    return (element.findtext(f"{_NAMESPACE}{name}") or "").strip()
