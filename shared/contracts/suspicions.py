"""Facts about suspicious activity reports (SAR), in a journal that is published nowhere.

That a report exists may be disclosed to nobody but those who make it (31 CFR § 1021.320(e)). The file itself, with the
narrative and the identity of its subject, is in no fact: a fact has its SHA-256 and its size.
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
    """A person's action on a suspicious activity report, numbered by property from 1."""

    property: Name
    sar: int
    by: Person


@fact("sar.prepared", SUSPICIONS)
class SarPrepared(AboutSar):
    """The file of a report awaits another person's release; it is to be filed by `file_by`.

    `subject` is the patron by reference, where the subject is one. Days, dollars and identifiers are those of the file;
    `amends` and `continues` are identifiers of the earlier report that it corrects, or goes on from.
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
    content_sha256: Digest
    content_bytes: int


@fact("sar.withdrawn", SUSPICIONS)
class SarWithdrawn(AboutSar, WithdrawnStep):
    """A report was withdrawn before it was sent; its file was destroyed."""


@fact("sar.released", SUSPICIONS)
class SarReleased(AboutSar, ReleasedStep):
    """A report was released by somebody else than who prepared it: it may be sent."""


@fact("sar.filed", SUSPICIONS)
class SarFiled(AboutSar, FiledStep):
    """A report was sent to FinCEN at a moment, which received it under a tracking identifier."""


@fact("sar.acknowledged", SUSPICIONS)
class SarAcknowledged(AboutSar, CorrectedStep):
    """FinCEN's answer to a report: its identifier if it was accepted, and what was found in it.

    Recorded again, with a `reason`, it replaces what was recorded before.
    """

    bsa_id: BsaIdentifier | None = None
    errors: tuple[FilingError, ...] = ()


@fact("sar.destroyed", SUSPICIONS)
class SarDestroyed(AboutSar):
    """The file of a report was destroyed, after the time for which the law has it kept."""


@fact("sar.seen", SUSPICIONS)
class SarSeenBy(AboutSar):
    """A person read a report, or its file."""

    what: SarSeen
    at: AwareDatetime
