"""Facts about what is filed with FinCEN, on `accounts`: prepared, released, filed, acknowledged, or withdrawn.

The file itself has personal data and is in no fact: a fact has its SHA-256 and its size.
"""

from datetime import date
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import Contract, Digest, Identifier, Name, Person, Reason
from shared.contracts.facts import Fact, fact
from shared.contracts.topics import ACCOUNTS

FilingForm = Literal["ctr"]
"""What is filed: currency transaction reports (FinCEN 112)."""

FilingStatus = Literal["prepared", "released", "filed", "accepted", "rejected", "withdrawn"]

BsaIdentifier = Annotated[str, StringConstraints(pattern="^[0-9]{14}$")]
"""FinCEN's identifier of a report that it accepted, fourteen digits; what amends the report names it."""

TrackingId = Annotated[str, StringConstraints(pattern="^[A-Za-z0-9-]{1,64}$")]
"""FinCEN's identifier of a file that it received."""

REPORTS_MAX: Final = 1000
"""Most reports in one file."""

_Dollars = Annotated[int, Field(strict=True, ge=0, le=10**12)]
_Place = Annotated[int, Field(strict=True, ge=1, le=REPORTS_MAX)]


class FilingSubject(Contract):
    """Whom a report is about: a patron, the account of nobody known, or the entry of a movement of nobody known."""

    kind: Literal["patron", "account", "entry"]
    reference: Identifier


class PreparedReport(FilingSubject):
    """A report in a file, the first of which is 1: whole dollars in and out, as the file has them.

    `amends` is the identifier of the earlier report that it corrects or amends.
    """

    report: _Place
    in_dollars: _Dollars
    out_dollars: _Dollars
    amends: BsaIdentifier | None = None


class FilingError(Contract):
    """An error or a warning of FinCEN's: its code in the user guide, and the place in the file."""

    code: Identifier
    place: Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{0,500}$", strip_whitespace=True)] = ""
    is_warning: bool = False


class AnsweredReport(Contract):
    """What became of a report in a file: its identifier if it was accepted, and what was found in it."""

    report: _Place
    bsa_id: BsaIdentifier | None = None
    errors: Annotated[tuple[FilingError, ...], Field(max_length=200)] = ()


class AboutFiling(Fact):
    """A person's action on a filing, numbered by property from 1."""

    property: Name
    filing: int
    by: Person


@fact("filing.prepared", ACCOUNTS)
class FilingPrepared(AboutFiling):
    """A file of reports of a gaming day awaits another person's release; it is to be filed by `file_by`."""

    form: FilingForm
    reported_day: date
    file_by: date
    reports: tuple[PreparedReport, ...]
    content_sha256: Digest
    content_bytes: int


@fact("filing.withdrawn", ACCOUNTS)
class FilingWithdrawn(AboutFiling):
    """A filing was withdrawn before it was sent; its file was destroyed."""

    reason: Reason


@fact("filing.released", ACCOUNTS)
class FilingReleased(AboutFiling, AsShown):
    """A filing was released by somebody else than who prepared it: it may be sent."""

    prepared_by: Person
    content_sha256: Digest


@fact("filing.filed", ACCOUNTS)
class FilingFiled(AboutFiling):
    """A file was sent to FinCEN at a moment, which received it under a tracking identifier."""

    filed_at: AwareDatetime
    tracking_id: TrackingId


@fact("filing.acknowledged", ACCOUNTS)
class FilingAcknowledged(AboutFiling):
    """FinCEN's answer to a file: whether it was accepted as a whole, and what became of each report.

    A file is rejected if one of its reports is: what has no identifier is to be filed again.
    """

    accepted: bool
    errors: tuple[FilingError, ...] = ()
    reports: tuple[AnsweredReport, ...] = ()
