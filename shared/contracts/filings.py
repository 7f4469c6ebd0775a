"""Facts about filings with FinCEN or the IRS (topic `accounts`): preparation, release, sending, answer, withdrawal.

The file itself contains personal data, so a fact has only its SHA-256 and its size.
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
"""The filed form: currency transaction reports (FinCEN 112), or information returns by the form's name in packs."""

FORM_NUMBERS: Final[Mapping[FilingForm, str]] = {"ctr": "FinCEN 112", "w_2g": "W-2G", "form_1042_s": "1042-S"}
"""Form -> its official number."""

FilingPeriod = Annotated[str, StringConstraints(pattern="^[0-9]{4}(-[0-9]{2}-[0-9]{2})?$")]
"""The period that all reports of a file cover: a gaming day, such as `2026-11-20`, or a tax year, such as `2026`."""

AccountNumber = Annotated[str, StringConstraints(pattern="^[0-9]{10}$")]
"""The ten digits that identify an information return among the returns of a form and tax year."""

FilingStatus = Literal["prepared", "released", "filed", "accepted", "rejected", "withdrawn"]

BsaIdentifier = Annotated[str, StringConstraints(pattern="^[0-9]{14}$")]
"""FinCEN's identifier of an accepted report, fourteen digits; a report that amends it names this identifier."""

TrackingId = Annotated[str, StringConstraints(pattern="^[A-Za-z0-9-]{1,64}$")]
"""The agency's identifier of a file that it received: FinCEN's tracking identifier, the IRS's receipt identifier."""

Basis = Annotated[str, StringConstraints(pattern="^[0-9a-f]{16}$")]
"""A digest of the details of an information return that are no amounts, such as residence and wager.

It is the column `basis` of the winnings report's section `returns`, and changes whenever one of the details does.
"""

REPORTS_MAX: Final = 1000
"""The maximum number of reports in one file."""

ERRORS_MAX: Final = 200
"""The maximum number of recorded errors of a file, and of each report."""

_Dollars = Annotated[int, Field(strict=True, ge=0, le=10**12)]
_Cents = Annotated[int, Field(strict=True, ge=0, le=10**12)]
_Place = Annotated[int, Field(strict=True, ge=1, le=REPORTS_MAX)]


class FilingSubject(Contract):
    """The subject of a report: a patron, or an account or an entry of an unidentified person.

    `with_others` are the other patrons in a report on a patron: patrons who moved currency on that patron's behalf, and
    patrons on whose behalf the same currency was moved. `basis` is given for an information return, so that a later
    change of its details is noticed; without it, only amounts are compared.
    """

    kind: Literal["patron", "account", "entry"]
    reference: Identifier
    with_others: Annotated[tuple[Identifier, ...], Field(min_length=1, max_length=200)] | None = None
    basis: Basis | None = None

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
    """A report in a file, numbered from 1, with its amounts as written to the file.

    A currency transaction report has whole dollars in and out, and the digest of its lines and parties
    (`lines_sha256`); `amends` is the identifier of the earlier report that it corrects. If the earlier report is about
    an entry of an unidentified person, and this report about another subject, `corrects` is the number of the filing
    with the earlier report.

    An information return has its account number and, in cents, its winnings and the tax withheld (federal; also state
    and local tax if it reports any); `corrects` is the number of the filing that contains the return to be corrected.
    """

    report: _Place
    in_dollars: _Dollars | None = None
    out_dollars: _Dollars | None = None
    lines_sha256: Digest | None = None
    winnings_cents: _Cents | None = None
    withheld_cents: _Cents | None = None
    state_withheld_cents: _Cents | None = None
    local_withheld_cents: _Cents | None = None
    account_number: AccountNumber | None = None
    amends: BsaIdentifier | None = None
    corrects: Annotated[int, Field(strict=True, ge=1)] | None = None


class FilingError(Contract):
    """An error or warning reported by the agency: its code, and its place in the file."""

    code: Identifier
    place: Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{0,500}$", strip_whitespace=True)] = ""
    is_warning: bool = False


class AnsweredReport(Contract):
    """The agency's answer to one report of a file: whether it was accepted, and its errors and warnings.

    FinCEN assigns a `bsa_id` to each currency transaction report that it accepts; no other report has one.
    """

    report: _Place
    accepted: Annotated[bool, Field(strict=True)]
    bsa_id: BsaIdentifier | None = None
    errors: Annotated[tuple[FilingError, ...], Field(max_length=ERRORS_MAX)] = ()


class ReleasedStep(AsShown):
    """A file was released by a different person from its preparer, so that it may be sent."""

    prepared_by: Person
    content_sha256: Digest


class CorrectedStep(Contract):
    """A step after release that may be recorded again. `reason` then explains why the previous record is wrong."""

    reason: Reason | None = None


class FiledStep(CorrectedStep):
    """A file was sent to the agency at `filed_at`, and was received under the unique identifier `tracking_id`."""

    filed_at: AwareDatetime
    tracking_id: TrackingId


class WithdrawnStep(Contract):
    """A filing was withdrawn before it was sent, and its file was destroyed; the step has a reason."""

    reason: Reason


class AboutFiling(Fact):
    """A person's action on a filing; filings are numbered by property, from 1."""

    property: Name
    filing: int
    by: Person


@fact("filing.prepared", ACCOUNTS)
class FilingPrepared(AboutFiling):
    """A file of reports of a gaming day or tax year awaits another person's release; it must be filed by `file_by`.

    The recipient of an information return must have a copy by `copy_by`. `unconfirmed` lists the legal values that the
    file uses although their review was overdue.
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
    """A filing was released by a different person from its preparer, so that it may be sent."""


@fact("filing.filed", ACCOUNTS)
class FilingFiled(AboutFiling, FiledStep):
    """A file was sent to the agency, which received it under an identifier."""


@fact("filing.acknowledged", ACCOUNTS)
class FilingAcknowledged(AboutFiling, CorrectedStep):
    """The agency's answer to a file: whether it was accepted as a whole, and the answer to each report.

    A file is rejected if one of its reports is; reports that were not accepted must be filed again. An answer may be
    recorded again, with a `reason`; it then replaces the earlier one.
    """

    accepted: bool
    errors: tuple[FilingError, ...] = ()
    reports: tuple[AnsweredReport, ...] = ()
