"""Parse FinCEN's acknowledgement of a batch: accepted or rejected, for each report. No I/O."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

_STATUSES: Final = {"A": "accepted", "W": "accepted with warnings", "R": "rejected"}
"""The known statuses of a batch, by the codes in FinCEN's user guide."""

_REJECTED: Final = "R"
_WARNING: Final = "WARN"


class AcknowledgementWrong(Exception):
    """A file is not a valid acknowledgement of a batch."""


@dataclass(frozen=True, slots=True)
class FiledError:
    """An error or warning from FinCEN: its code in the user guide, its context in the batch, and its text."""

    code: str
    context: str
    text: str
    is_warning: bool


@dataclass(frozen=True, slots=True)
class AcknowledgedReport:
    """FinCEN's answer to a report: the BSA identifier (14 digits) if it was accepted, and the errors and warnings."""

    bsa_id: str | None
    errors: tuple[FiledError, ...]

    @property
    def is_accepted(self) -> bool:
        """Return whether the report was accepted (has a BSA identifier); a warning may still require a correction."""
        return self.bsa_id is not None


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """FinCEN's answer to a batch: whether it was accepted, its errors, and an answer per report in batch order."""

    is_accepted: bool
    errors: tuple[FiledError, ...]
    reports: tuple[AcknowledgedReport, ...]


def read_acknowledgement(content: bytes) -> Acknowledgement:
    """Return the acknowledgement in a file from FinCEN. Raises: AcknowledgementWrong."""
    try:
        root = fromstring(content)
    except (ParseError, DefusedXmlException) as error:
        raise AcknowledgementWrong(f"it is no XML that can be read: {error}") from error
    if _name(root) != "EFilingBatchXML" or "StatusCode" not in root.attrib:
        raise AcknowledgementWrong("it is no acknowledgement: that is an EFilingBatchXML with a StatusCode")
    status = root.attrib["StatusCode"].strip()
    if status not in _STATUSES:
        known = ", ".join(f"{code} ({words})" for code, words in _STATUSES.items())
        raise AcknowledgementWrong(
            f"its StatusCode {status!r} is none that is known of FinCEN's user guide: {known}; nothing was recorded"
        )
    found = Acknowledgement(
        is_accepted=status != _REJECTED,
        errors=tuple(_errors(root, "EFilingBatchErrorXML", "EFilingSubmissionErrorXML")),
        reports=tuple(_report(one) for one in _activities(root)),
    )
    answered = (one for one in found.reports if one.is_accepted or one.errors)
    if found.is_accepted and found.reports and not found.errors and not any(answered):
        raise AcknowledgementWrong(
            "it accepts the file, and has neither an identifier nor an error of any report: it is not the complete "
            "answer; nothing was recorded"
        )
    return found


def _activities(root: Element) -> list[Element]:
    """Return the answers to the reports. Raises: AcknowledgementWrong if their numbers, where present, do not ascend.

    The order is all that says which answer is of which report.
    """
    found = [one for one in root.iter() if _name(one) == "EFilingActivityXML"]
    said = [one.attrib["SeqNum"].strip() for one in found if "SeqNum" in one.attrib]
    numbers = [int(one) for one in said if one.isascii() and one.isdecimal()]
    if len(numbers) < len(said) or any(later <= earlier for earlier, later in pairwise(numbers)):
        raise AcknowledgementWrong(
            f"its EFilingActivityXML are not in the order of the batch: their SeqNums are {', '.join(said)}; nothing "
            "was recorded"
        )
    return found


def _report(activity: Element) -> AcknowledgedReport:
    return AcknowledgedReport(_text(activity, "BSAID") or None, tuple(_errors(activity, "EFilingActivityErrorXML")))


def _errors(within: Element, *names: str) -> Iterator[FiledError]:
    for one in within.iter():
        if _name(one) in names and (code := _text(one, "ErrorTypeCode")):
            level = _text(one, "ErrorLevelText")
            yield FiledError(code, _text(one, "ErrorContextText"), _text(one, "ErrorText"), level == _WARNING)


def _text(element: Element, name: str) -> str:
    return next((one.text or "" for one in element if _name(one) == name), "").strip()


def _name(element: Element) -> str:
    """Return an element's local name: acknowledgements have no namespace, batches have one."""
    return element.tag.rpartition("}")[2]
