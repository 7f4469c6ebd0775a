"""What a file of currency transaction reports says about itself, read from its bytes. Pure.

The record of a filing is taken from the file, so that the two cannot differ. XML schema 2.0 of FinCEN's batches.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

_NAMESPACE: Final = "{www.fincen.gov/base}"
_FORM: Final = "CTRX"


class BatchWrong(Exception):
    """A file is no batch of currency transaction reports; the message has none of its content."""


@dataclass(frozen=True, slots=True)
class ReportInBatch:
    """A report as the file has it: its gaming day, whole dollars in and out, and the identifier that it amends."""

    reported_day: date
    in_dollars: int
    out_dollars: int
    amends: str | None


def read_batch(content: str) -> tuple[ReportInBatch, ...]:
    """Return the reports of a file, in its order. Raises: BatchWrong."""
    try:
        root = fromstring(content.encode())
    except (ParseError, DefusedXmlException):
        raise BatchWrong("the file is no XML that can be read") from None
    if root.tag != f"{_NAMESPACE}EFilingBatchXML" or _text(root, "FormTypeCode") != _FORM:
        raise BatchWrong(f"the file is no EFilingBatchXML of form {_FORM}")
    reports = tuple(_reports(root))
    if root.get("ActivityCount") != str(len(reports)):
        raise BatchWrong(f"the file has {len(reports)} reports, and its ActivityCount is another")
    return reports


def _reports(root: Element) -> Iterator[ReportInBatch]:
    for number, activity in enumerate(root.findall(f"{_NAMESPACE}Activity"), start=1):
        moved = activity.find(f"{_NAMESPACE}CurrencyTransactionActivity")
        if moved is None:
            raise BatchWrong(f"report {number} has no CurrencyTransactionActivity")
        try:
            yield ReportInBatch(
                reported_day=datetime.strptime(_text(moved, "TransactionDateText"), "%Y%m%d").date(),  # noqa: DTZ007
                in_dollars=int(_text(moved, "TotalCashInReceiveAmountText") or "0"),
                out_dollars=int(_text(moved, "TotalCashOutAmountText") or "0"),
                amends=_text(activity, "EFilingPriorDocumentNumber") or None,
            )
        except ValueError:
            raise BatchWrong(f"report {number} has a day or an amount that cannot be read") from None


def _text(element: Element, name: str) -> str:
    return (element.findtext(f"{_NAMESPACE}{name}") or "").strip()
