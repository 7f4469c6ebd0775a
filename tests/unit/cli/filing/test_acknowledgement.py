"""What FinCEN says of a batch, read back."""

import pytest

from services.cli.filing.acknowledgement import AcknowledgementWrong, FiledError, read_acknowledgement
from tests.support.filings import ACCEPTED, ERROR, acknowledgement


def test_each_report_has_its_identifier_or_what_is_wrong() -> None:
    """In the order of the batch; a warning leaves a report accepted."""
    warned = ACCEPTED.replace("01<", "02<") + ERROR.format(level="WARN")
    found = read_acknowledgement(acknowledgement("A", ACCEPTED, warned, ERROR.format(level="FATAL")))
    assert (True, ["31000000000001", "31000000000002", None]) == (found.is_accepted, [r.bsa_id for r in found.reports])
    assert [0, 1, 1] == [len(one.errors) for one in found.reports]
    [error] = found.reports[1].errors
    assert (
        FiledError(
            "F18",
            "EFilingBatchXML/Activity[1]/Party[6]/Address[9]/RawZIPCode",
            "The value is in no form of a ZIP code.",
            is_warning=True,
        )
        == error
    )


@pytest.mark.parametrize(("status", "is_accepted"), [("A", True), ("W", True), ("R", False)])
def test_a_batch_is_accepted_or_rejected_by_its_status(status: str, is_accepted: bool) -> None:
    """With warnings, it is accepted."""
    assert is_accepted == read_acknowledgement(acknowledgement(status, ACCEPTED)).is_accepted


@pytest.mark.parametrize("status", ["P", "a", "", "Accepted"])
def test_an_unknown_status_is_no_rejection(status: str) -> None:
    """It is refused, with those that are known."""
    with pytest.raises(AcknowledgementWrong, match=r"none that is known .* A \(accepted\), W .*, R \(rejected\)"):
        read_acknowledgement(acknowledgement(status, ACCEPTED))


def test_an_accepted_file_answers_some_report() -> None:
    """Without any identifier and error it is not the complete answer, and no report of it was rejected."""
    with pytest.raises(AcknowledgementWrong, match="not the complete answer; nothing was recorded"):
        read_acknowledgement(acknowledgement("A", "", ""))
    assert not read_acknowledgement(acknowledgement("R", "", "")).is_accepted
    assert 2 == len(read_acknowledgement(acknowledgement("A", ACCEPTED, "")).reports)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"BSAID 31000000000001", "no XML"),
        (b"<EFilingBatchXML ActivityCount='1'/>", "no acknowledgement"),
        (b'<!DOCTYPE x [<!ENTITY who "p-7">]><EFilingBatchXML StatusCode="A">&who;</EFilingBatchXML>', "no XML"),
    ],
)
def test_another_file_is_no_acknowledgement(content: bytes, why: str) -> None:
    """Neither text, nor the batch itself, nor a file with entities of its own."""
    with pytest.raises(AcknowledgementWrong, match=why):
        read_acknowledgement(content)


@pytest.mark.parametrize("numbers", [("31", "1"), ("2", "2"), ("1", "x")])
def test_answers_out_of_order_are_not_told_apart(numbers: tuple[str, str]) -> None:
    """The order of the answers says whose they are, so that identifiers are not given to the wrong reports."""
    answers = "".join(
        f"<EFilingActivityXML SeqNum='{number}'><BSAID>3100000000000{place}</BSAID></EFilingActivityXML>"
        for place, number in enumerate(numbers)
    )
    with pytest.raises(AcknowledgementWrong, match=f"their SeqNums are {', '.join(numbers)}"):
        read_acknowledgement(f"<EFilingBatchXML StatusCode='A'>{answers}</EFilingBatchXML>".encode())
