"""Read the reports in a file of currency transaction reports. Pure.

The record of a filing is taken from the file, so that the two cannot differ. XML schema 2.0 of FinCEN's batches.
"""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from services.wagering_accounts.domain.filed_reports import FileWrong, ReportInFile

_NAMESPACE: Final = "{www.fincen.gov/base}"
_FORM: Final = "CTRX"
_PERSONS_INVOLVED: Final = ("50", "17", "23")
"""The codes of persons in a report: on their own behalf, for another person, and on whose behalf."""

_KNOWN_BY: Final = ("PartyName", "Address", "PartyIdentification")


def read_batch(content: str) -> tuple[ReportInFile, ...]:
    """Return the reports of a file, in its order. Raises: FileWrong."""
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
            filed_on = _text(activity, "FilingDateText")
            yield ReportInFile(
                period=_day(_text(moved, "TransactionDateText")).isoformat(),
                in_dollars=int(_text(moved, "TotalCashInReceiveAmountText") or "0"),
                out_dollars=int(_text(moved, "TotalCashOutAmountText") or "0"),
                amends=_text(activity, "EFilingPriorDocumentNumber") or None,
                people=_people(activity),
                filed_on=_day(filed_on) if filed_on else None,
            )
        except ValueError:
            raise FileWrong(f"report {number} has a day or an amount that cannot be read") from None


def _day(text: str) -> date:
    """Return a day that batches write as 20261120. Raises: ValueError."""
    return datetime.strptime(text, "%Y%m%d").date()  # noqa: DTZ007


def _people(activity: Element) -> tuple[int, int]:
    """Return the numbers of distinct persons in a report (by name, address and number), and of parties."""
    parts = [
        one
        for one in activity.findall(f"{_NAMESPACE}Party")
        if _text(one, "ActivityPartyTypeCode") in _PERSONS_INVOLVED
    ]
    known = {
        tuple(
            (field.tag, field.text) for name in _KNOWN_BY for part in one.findall(_NAMESPACE + name) for field in part
        )
        for one in parts
    }
    return len(known), len(parts)


def _text(element: Element, name: str) -> str:
    return (element.findtext(f"{_NAMESPACE}{name}") or "").strip()
