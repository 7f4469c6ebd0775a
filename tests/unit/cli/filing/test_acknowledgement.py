"""What FinCEN says of a batch, read back."""

from pathlib import Path

import pytest

from services.cli.filing.acknowledgement import AcknowledgementWrong, FiledError, read_acknowledgement
from tests.unit.cli.calling import Caller

REPORT = "<EFilingActivityXML SeqNum='{n}'>{said}</EFilingActivityXML>"
ERROR = (
    "<EFilingActivityErrorXML SeqNum='9'><ErrorContextText>EFilingBatchXML/Activity[1]/Party[6]/Address[9]/RawZIPCode"
    "</ErrorContextText><ErrorElementNameText>RawZIPCode</ErrorElementNameText><ErrorLevelText>{level}</ErrorLevelText>"
    "<ErrorText>The value is in no form of a ZIP code.</ErrorText><ErrorTypeCode>F18</ErrorTypeCode>"
    "</EFilingActivityErrorXML>"
)
ACCEPTED = "<BSAID>31000000000001</BSAID><EFilingActivityErrorXML SeqNum='4'/>"


def acknowledgement(status: str, *reports: str) -> bytes:
    """Return an acknowledgement with what it says of each report."""
    said = "".join(REPORT.format(n=number, said=one) for number, one in enumerate(reports, start=3))
    return (
        f"<EFilingBatchXML StatusCode='{status}' SeqNum='1'><EFilingSubmissionXML StatusCode='{status}' SeqNum='2'>"
        f"{said}</EFilingSubmissionXML></EFilingBatchXML>"
    ).encode()


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


@pytest.mark.parametrize(
    ("status", "reports", "code", "shown"),
    [
        ("A", [ACCEPTED], 0, "31000000000001"),
        ("A", [ACCEPTED, ERROR.format(level="FATAL")], 1, "rejected"),
        ("R", [], 1, "the batch was rejected"),
    ],
)
def test_a_rejection_is_an_exit_code(
    pitledger: Caller, tmp_path: Path, status: str, reports: list[str], code: int, shown: str
) -> None:
    """Whoever files by a script must notice."""
    file = tmp_path / "acknowledgement.xml"
    file.write_bytes(acknowledgement(status, *reports))
    called = pitledger("filing", "acknowledged", str(file))
    assert (code, True) == (called.code, shown in called.stdout)
    [document] = pitledger("filing", "acknowledged", str(file), "--json").documents
    assert ("A" == status, len(reports)) == (document["accepted"], len(document["reports"]))
