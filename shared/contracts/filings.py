"""Facts about what is filed with FinCEN or the IRS, on `accounts`: prepared, released, filed, acknowledged, withdrawn.

The file itself has personal data and is in no fact: a fact has its SHA-256 and its size.
"""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Final, Literal, Self

from pydantic import AwareDatetime, Field, StringConstraints, model_validator

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import Contract, Digest, Identifier, Name, Person, Reason
from shared.contracts.facts import Fact, fact
from shared.contracts.topics import ACCOUNTS

FilingForm = Literal["ctr", "w_2g", "form_1042_s"]
"""What is filed: currency transaction reports (FinCEN 112), or information returns by their form's name in packs."""

FORM_NUMBERS: Final[Mapping[FilingForm, str]] = {"ctr": "FinCEN 112", "w_2g": "W-2G", "form_1042_s": "1042-S"}
"""What people call the forms that are filed: by their numbers."""

FilingPeriod = Annotated[str, StringConstraints(pattern="^[0-9]{4}(-[0-9]{2}-[0-9]{2})?$")]
"""What all reports of a file are about: a gaming day, such as `2026-11-20`, or a tax year, such as `2026`."""

AccountNumber = Annotated[str, StringConstraints(pattern="^[0-9]{10}$")]
"""The ten digits by which an information return is known among those of a form and tax year."""

FilingStatus = Literal["prepared", "released", "filed", "accepted", "rejected", "withdrawn"]

BsaIdentifier = Annotated[str, StringConstraints(pattern="^[0-9]{14}$")]
"""FinCEN's identifier of a report that it accepted, fourteen digits; what amends the report names it."""

TrackingId = Annotated[str, StringConstraints(pattern="^[A-Za-z0-9-]{1,64}$")]
"""The agency's identifier of a file that it received: FinCEN's tracking identifier, the IRS's receipt identifier."""

REPORTS_MAX: Final = 1000
"""Most reports in one file."""

_Dollars = Annotated[int, Field(strict=True, ge=0, le=10**12)]
_Cents = Annotated[int, Field(strict=True, ge=0, le=10**12)]
_Place = Annotated[int, Field(strict=True, ge=1, le=REPORTS_MAX)]


class FilingSubject(Contract):
    """Whom a report is about: a patron, the account of nobody known, or the entry of a movement of nobody known.

    `with_others` are the other patrons that a report on a patron names: who moved currency for that patron, and for
    whom else it was moved.
    """

    kind: Literal["patron", "account", "entry"]
    reference: Identifier
    with_others: Annotated[tuple[Identifier, ...], Field(min_length=1, max_length=200)] | None = None

    def patrons(self) -> tuple[str, ...]:
        """Return all patrons that the report names."""
        return (self.reference, *(self.with_others or ())) if self.kind == "patron" else ()

    @model_validator(mode="after")
    def _names_each_once(self) -> Self:
        named = (self.reference, *(self.with_others or ()))
        if self.with_others is not None and (self.kind != "patron" or len(set(named)) < len(named)):
            raise ValueError("'with_others' are patrons beside the patron that a report is about, each of them once")
        return self


class PreparedReport(FilingSubject):
    """A report in a file, the first of which is 1, with its amounts as the file has them.

    A currency transaction report has whole dollars in and out; `amends` is the identifier of the earlier one that it
    corrects. An information return has its account number, winnings and tax withheld, cents (federal, and of the
    state and the locality, if it says any); `corrects` is the filing
    in which the return was sent that it corrects.
    """

    report: _Place
    in_dollars: _Dollars | None = None
    out_dollars: _Dollars | None = None
    winnings_cents: _Cents | None = None
    withheld_cents: _Cents | None = None
    state_withheld_cents: _Cents | None = None
    local_withheld_cents: _Cents | None = None
    account_number: AccountNumber | None = None
    amends: BsaIdentifier | None = None
    corrects: Annotated[int, Field(strict=True, ge=1)] | None = None


class FilingError(Contract):
    """An error or a warning of the agency's: its code, and the place in the file."""

    code: Identifier
    place: Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{0,500}$", strip_whitespace=True)] = ""
    is_warning: bool = False


class AnsweredReport(Contract):
    """What became of a report in a file: whether it was accepted, and what was found in it.

    FinCEN gives each currency transaction report that it accepts an identifier, and no other report has one.
    """

    report: _Place
    accepted: Annotated[bool, Field(strict=True)]
    bsa_id: BsaIdentifier | None = None
    errors: Annotated[tuple[FilingError, ...], Field(max_length=200)] = ()


class ReleasedStep(AsShown):
    """What is filed was released by somebody else than who prepared it: it may be sent."""

    prepared_by: Person
    content_sha256: Digest


class CorrectedStep(Contract):
    """A step after its release that may be recorded again: `reason` says why what was recorded before is wrong."""

    reason: Reason | None = None


class FiledStep(CorrectedStep):
    """It was sent to the agency at a moment, which received it under an identifier that nothing else has."""

    filed_at: AwareDatetime
    tracking_id: TrackingId


class WithdrawnStep(Contract):
    """It was withdrawn before it was sent; its file was destroyed."""

    reason: Reason


class AboutFiling(Fact):
    """A person's action on a filing, numbered by property from 1."""

    property: Name
    filing: int
    by: Person


@fact("filing.prepared", ACCOUNTS)
class FilingPrepared(AboutFiling):
    """A file of reports of a gaming day or tax year awaits another person's release; it is to be filed by `file_by`.

    Whoever an information return is about has a copy by `copy_by`. `unconfirmed` are the values of law behind it whose
    review was due, and which were relied on all the same.
    """

    form: FilingForm
    period: FilingPeriod
    file_by: date
    copy_by: date | None = None
    unconfirmed: tuple[str, ...] = ()
    reports: tuple[PreparedReport, ...]
    content_sha256: Digest
    content_bytes: int


@fact("filing.withdrawn", ACCOUNTS)
class FilingWithdrawn(AboutFiling, WithdrawnStep):
    """A filing was withdrawn before it was sent; its file was destroyed."""


@fact("filing.released", ACCOUNTS)
class FilingReleased(AboutFiling, ReleasedStep):
    """A filing was released by somebody else than who prepared it: it may be sent."""


@fact("filing.filed", ACCOUNTS)
class FilingFiled(AboutFiling, FiledStep):
    """A file was sent to the agency at a moment, which received it under an identifier."""


@fact("filing.acknowledged", ACCOUNTS)
class FilingAcknowledged(AboutFiling, CorrectedStep):
    """The agency's answer to a file: whether it was accepted as a whole, and what became of each report.

    A file is rejected if one of its reports is: what was not accepted is to be filed again. Recorded again, with a
    `reason`, it replaces what was recorded before.
    """

    accepted: bool
    errors: tuple[FilingError, ...] = ()
    reports: tuple[AnsweredReport, ...] = ()
