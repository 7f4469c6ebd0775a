"""Read the data of a suspicious activity report from the bytes of its file. Pure.

The report's record is filled from the file, so that the two cannot differ. The format is XML schema 2.0 of FinCEN's
batch filing, with one report per file.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

_NAMESPACE: Final = "{www.fincen.gov/base}"
_FORM: Final = "SARX"
_SUBJECT: Final = "33"
_UNAVAILABLE: Final = "AllCriticalSubjectInformationUnavailableIndicator"


class SarFileWrong(Exception):
    """A file is not a valid suspicious activity report; the message quotes none of its content."""


@dataclass(frozen=True, slots=True)
class SarInFile:
    """A report's data in its file: days of the activity, amount in whole dollars, identifier of an earlier report.

    `filed_on` is the day of filing, if the file gives one.
    """

    first_day: date
    last_day: date
    dollars: int
    is_subject_known: bool
    amends: str | None
    continues: str | None
    filed_on: date | None = None


def read_sar(content: str) -> SarInFile:
    """Parse the report in a file. Raises: SarFileWrong if it is malformed or has no narrative."""
    try:
        root = fromstring(content.encode())
    except (ParseError, DefusedXmlException):
        raise SarFileWrong("the file is no XML that can be read") from None
    if root.tag != f"{_NAMESPACE}EFilingBatchXML" or _text(root, "FormTypeCode") != _FORM:
        raise SarFileWrong(f"the file is no EFilingBatchXML of form {_FORM}")
    activities = root.findall(f"{_NAMESPACE}Activity")
    if len(activities) != 1 or root.get("ActivityCount") != "1":
        raise SarFileWrong("a file has one report, and its ActivityCount is 1")
    [activity] = activities
    narratives = activity.findall(f"{_NAMESPACE}ActivityNarrativeInformation")
    if not any(_text(one, "ActivityNarrativeText") for one in narratives):
        raise SarFileWrong("the report has no narrative: a person writes what happened, and why it is suspicious")
    found = activity.find(f"{_NAMESPACE}SuspiciousActivity")
    association = activity.find(f"{_NAMESPACE}ActivityAssociation")
    if found is None or association is None:
        raise SarFileWrong("the report has no SuspiciousActivity, or no ActivityAssociation")
    prior = _text(activity, "EFilingPriorDocumentNumber") or None
    corrects = _text(association, "CorrectsAmendsPriorReportIndicator") == "Y"
    continues = _text(association, "ContinuingActivityReportIndicator") == "Y"
    if (corrects or continues) != (prior is not None) or (corrects and continues):
        raise SarFileWrong("a report names the earlier one that it corrects, or that it continues; an initial one none")
    try:
        first_day = _day(_text(found, "SuspiciousActivityFromDateText"))
        last_day = _day(_text(found, "SuspiciousActivityToDateText")) or first_day
        dollars = int(_text(found, "TotalSuspiciousAmountText") or "0")
        filed_on = _day(_text(activity, "FilingDateText"))
    except ValueError:
        raise SarFileWrong("the report has a day or an amount that cannot be read") from None
    if first_day is None or last_day is None or last_day < first_day or dollars < 0:
        raise SarFileWrong("the report has no first day, one behind its last, or an amount below 0")
    parties = activity.findall(f"{_NAMESPACE}Party")
    subjects = [one for one in parties if _text(one, "ActivityPartyTypeCode") == _SUBJECT]
    if not subjects:
        raise SarFileWrong("the report has no subject: of an unidentified person, say that all of it is unavailable")
    return SarInFile(
        first_day=first_day,
        last_day=last_day,
        dollars=dollars,
        is_subject_known=any(_text(one, _UNAVAILABLE) != "Y" for one in subjects),
        amends=prior if corrects else None,
        continues=prior if continues else None,
        filed_on=filed_on,
    )


def _day(text: str) -> date | None:
    return datetime.strptime(text, "%Y%m%d").date() if text else None  # noqa: DTZ007


def _text(element: Element, name: str) -> str:
    return (element.findtext(f"{_NAMESPACE}{name}") or "").strip()
