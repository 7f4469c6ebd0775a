"""Files of currency transaction reports for tests, and the filer of the tests' property."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Final

from services.cli.filing.ctr_batch import CtrActivity, Line, ctr_batch
from services.wagering_accounts.domain.identity import PatronIdentity
from shared.contracts.properties import Filer
from tests.support.accounts import IDENTITY, PROPERTY

DAY: Final = date(2026, 11, 19)
"""A gaming day that has ended at noon of the next one."""
FILED_ON: Final = DAY + timedelta(days=1)
FILER: Final = Filer(
    legal_name="Riverside Casino LLC",
    trade_name="Riverside",
    ein="231234567",
    street="1 Riverside Drive",
    city="Scranton",
    state_code="PA",
    postal_code="18503",
    contact_name="Title 31 office",
    contact_phone="5705550100",
    contact_extension="31",
    transmitter_control_code="TBSATEST",
)

_REPORT: Final = "<EFilingActivityXML SeqNum='{n}'>{said}</EFilingActivityXML>"
ERROR: Final = (
    "<EFilingActivityErrorXML SeqNum='9'><ErrorContextText>EFilingBatchXML/Activity[1]/Party[6]/Address[9]/RawZIPCode"
    "</ErrorContextText><ErrorElementNameText>RawZIPCode</ErrorElementNameText><ErrorLevelText>{level}</ErrorLevelText>"
    "<ErrorText>The value is in no form of a ZIP code.</ErrorText><ErrorTypeCode>F18</ErrorTypeCode>"
    "</EFilingActivityErrorXML>"
)
ACCEPTED: Final = "<BSAID>31000000000001</BSAID><EFilingActivityErrorXML SeqNum='4'/>"
"""What FinCEN's acknowledgement says of a report that it accepted, and of an error."""


def batch_text(*corrects: str | None, day: date = DAY, cents: int = 1_000_001) -> str:
    """Return a file of one report for each identifier that it corrects, or None; all of the same patron."""
    who = PatronIdentity.model_validate(IDENTITY)
    reports = [CtrActivity(day, who, [Line("chip purchase", "in", 1, cents)], prior) for prior in corrects]
    return ctr_batch(FILER, reports, filed_on=day + timedelta(days=1)).decode()


def filing_of(*patrons: str, corrects: Sequence[str | None] = (), **more: Any) -> dict[str, Any]:
    """Return the body of the command that prepares a file of a report on each of these patrons."""
    return {
        "property": PROPERTY,
        "period": DAY.isoformat(),
        "subjects": [{"kind": "patron", "reference": patron} for patron in patrons],
        "file": batch_text(*(corrects or [None] * len(patrons))),
    } | more


def acknowledgement(status: str, *reports: str) -> bytes:
    """Return an acknowledgement with what it says of each report."""
    said = "".join(_REPORT.format(n=number, said=one) for number, one in enumerate(reports, start=3))
    return (
        f"<EFilingBatchXML StatusCode='{status}' SeqNum='1'><EFilingSubmissionXML StatusCode='{status}' SeqNum='2'>"
        f"{said}</EFilingSubmissionXML></EFilingBatchXML>"
    ).encode()
