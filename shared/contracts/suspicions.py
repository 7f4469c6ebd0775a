"""Facts about suspicious activity reports (SAR), in a journal that is never published.

The existence of a report may be disclosed only to the people who make it (31 CFR § 1021.320(e)). The file itself has
the narrative and the identity of its subject, so a fact has only its SHA-256 and its size.
"""

from datetime import date
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from shared.contracts.envelope import Digest, Name, Patron, Person
from shared.contracts.facts import Fact, fact
from shared.contracts.filings import (
    BsaIdentifier,
    CorrectedStep,
    FiledStep,
    FilingError,
    ReleasedStep,
    WithdrawnStep,
)
from shared.contracts.topics import SUSPICIONS

SarSeen = Literal["report", "file"]


class AboutSar(Fact):
    """A person's action on a suspicious activity report; reports are numbered by property, from 1."""

    property: Name
    sar: int
    by: Person


@fact("sar.prepared", SUSPICIONS)
class SarPrepared(AboutSar):
    """The file of a report awaits another person's release; it must be filed by `file_by`.

    `subject` is the patron by reference, if the subject is a patron. Days, dollars and identifiers are those of the
    file; `amends` and `continues` are the identifiers of the earlier report that it corrects or continues.
    `files_again` is the number of the rejected report that this one replaces.
    """

    subject: Patron | None = None
    is_subject_known: bool
    detected_on: date
    file_by: date
    first_day: date
    last_day: date
    dollars: Annotated[int, Field(strict=True, ge=0, le=10**12)]
    amends: BsaIdentifier | None = None
    continues: BsaIdentifier | None = None
    files_again: int | None = None
    content_sha256: Digest
    content_bytes: int


@fact("sar.withdrawn", SUSPICIONS)
class SarWithdrawn(AboutSar, WithdrawnStep):
    """A report was withdrawn: it will not be sent, or not sent again. The file of a report that was never sent is
    destroyed; the file of a rejected report is kept for its legal retention period.
    """


@fact("sar.released", SUSPICIONS)
class SarReleased(AboutSar, ReleasedStep):
    """A report was released by a different person from its preparer, so that it may be sent."""


@fact("sar.filed", SUSPICIONS)
class SarFiled(AboutSar, FiledStep):
    """A report was sent to FinCEN, which received it under a tracking identifier."""


@fact("sar.acknowledged", SUSPICIONS)
class SarAcknowledged(AboutSar, CorrectedStep):
    """FinCEN's answer to a report: the identifier of an accepted report, and the errors and warnings.

    An answer may be recorded again, with a `reason`; it then replaces the earlier one.
    """

    bsa_id: BsaIdentifier | None = None
    errors: tuple[FilingError, ...] = ()


@fact("sar.destroyed", SUSPICIONS)
class SarDestroyed(AboutSar):
    """The file of a report was destroyed after its legal retention period."""


@fact("sar.seen", SUSPICIONS)
class SarSeenBy(AboutSar):
    """A person read a report, or its file."""

    what: SarSeen
    at: AwareDatetime
