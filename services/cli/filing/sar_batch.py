"""Write a suspicious activity report (FinCEN 111) for FinCEN's BSA E-Filing System. No I/O.

XML schema 2.0 (`EFL_SARXBatchSchema.xsd` 1.2 of 17 December 2021) and its user guide, version 1.6 of August 2021. A
file has one report. Amounts are whole dollars, rounded up.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from textwrap import wrap
from typing import Annotated, Final, Literal, Self
from xml.etree.ElementTree import Element

from pydantic import Field, StringConstraints, model_validator

from services.cli.filing.batch import Batch, day_text, unknown
from services.wagering_accounts.domain.identity import PatronIdentity
from shared.contracts.envelope import Contract, Name, Patron
from shared.contracts.filings import BsaIdentifier
from shared.contracts.moments import Day
from shared.contracts.properties import Filer

Suspicion = Literal[
    "asks_about_reporting",
    "alters_to_avoid_ctr",
    "below_ctr_threshold",
    "source_of_funds",
    "out_of_pattern",
    "third_party",
    "no_lawful_purpose",
    "together",
    "questionable_identification",
    "chip_walking",
    "minimal_gaming",
    "counter_checks",
    "source_of_chips",
]
"""The classes of suspicious activity on the form that apply to casinos."""

_CLASSES: Final[Mapping[Suspicion, tuple[str, str]]] = {
    "asks_about_reporting": ("1", "106"),
    "alters_to_avoid_ctr": ("1", "112"),
    "below_ctr_threshold": ("1", "114"),
    "source_of_funds": ("8", "821"),
    "out_of_pattern": ("8", "812"),
    "third_party": ("8", "809"),
    "no_lawful_purpose": ("9", "925"),
    "together": ("9", "911"),
    "questionable_identification": ("4", "409"),
    "chip_walking": ("12", "1201"),
    "minimal_gaming": ("12", "1202"),
    "counter_checks": ("12", "1203"),
    "source_of_chips": ("12", "1204"),
}
"""The type and subtype codes of the form by class of suspicious activity."""

Instrument = Literal["us_currency", "gaming_instruments"]
_INSTRUMENTS: Final[Mapping[Instrument, str]] = {"us_currency": "39", "gaming_instruments": "34"}
_PAYMENT_MECHANISM: Final = "6"

NARRATIVE_MAX: Final = 17_000
"""The maximum length of a narrative in characters: FinCEN accepts four blocks of 4,000, and a fifth of 1,000."""

_BLOCK: Final = 4_000


class SarDraft(Contract):
    """A draft of a suspicious activity report, written by `pitledger sar draft` and completed by a person.

    `subject` is the patron by reference; `identity` is None for an unknown subject. `dollars` is the total amount of
    the activity. `saw` quotes the patterns that the system found, for the author of the narrative; the form omits it.
    """

    property: Name
    detected_on: Day
    subject: Patron | None = None
    identity: PatronIdentity | None = None
    first_day: Day
    last_day: Day
    dollars: Annotated[int, Field(strict=True, ge=0, le=10**12)]
    suspicions: Annotated[tuple[Suspicion, ...], Field(min_length=1, max_length=13)]
    instruments: Annotated[tuple[Instrument, ...], Field(max_length=2)] = ("us_currency",)
    corrects: BsaIdentifier | None = None
    continues: BsaIdentifier | None = None
    saw: Annotated[tuple[str, ...], Field(max_length=1000)] = ()
    narrative: Annotated[str, StringConstraints(max_length=NARRATIVE_MAX, strip_whitespace=True)] = ""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.last_day < self.first_day:
            raise ValueError("'last_day' is before 'first_day'")
        if self.detected_on < self.first_day:
            raise ValueError("'detected_on' is before 'first_day': nothing had happened yet")
        if self.corrects is not None and self.continues is not None:
            raise ValueError("a report corrects an earlier one, or continues it: give one of the two")
        if len(set(self.suspicions)) < len(self.suspicions) or len(set(self.instruments)) < len(self.instruments):
            raise ValueError("a suspicion or an instrument is given twice")
        return self


def sar_batch(filer: Filer, draft: SarDraft, *, filed_on: date) -> bytes:
    """Return the file of a report; the same draft filed on the same day gives the same bytes.

    Raises: ValueError without a narrative, for a birth date after the activity, or a filing date before the activity.
    """
    if not draft.narrative:
        raise ValueError("'narrative' is empty: write what happened, and why it is suspicious")
    if filed_on < draft.last_day:
        raise ValueError(f"activity until {draft.last_day} is not reported on {filed_on}")
    return _SarBatch(filer, filed_on).of(draft)


class _SarBatch(Batch):
    form = "SARX"
    schema = "EFL_SARXBatchSchema.xsd"
    email_kind = "E"

    def of(self, draft: SarDraft) -> bytes:
        counted = {"ActivityCount": "1", "ActivityAttachmentCount": "0", "AttachmentCount": "0"}
        root = self.root({**counted, "TotalAmount": str(draft.dollars)})
        prior = draft.corrects or draft.continues
        fields = (("EFilingPriorDocumentNumber", prior), ("FilingDateText", day_text(self.filed_on)))
        activity = self.element(root, "Activity", fields)
        association = (
            ("ContinuingActivityReportIndicator", "Y" if draft.continues else None),
            ("CorrectsAmendsPriorReportIndicator", "Y" if draft.corrects else None),
            ("InitialReportIndicator", None if prior else "Y"),
        )
        self.element(activity, "ActivityAssociation", association)
        self.transmitter(activity)
        self.institution(activity, "30")
        self.contact_office(activity)
        self.institution(activity, "34", (("NoBranchActivityInvolvedIndicator", "Y"),))
        self._subject(activity, draft)
        self._suspicion(activity, draft)
        for number, block in enumerate(_blocks(draft.narrative), start=1):
            fields = (("ActivityNarrativeSequenceNumber", str(number)), ("ActivityNarrativeText", block))
            self.element(activity, "ActivityNarrativeInformation", fields)
        return self.text(root)

    def _subject(self, activity: Element, draft: SarDraft) -> None:
        who = draft.identity
        if who is None:
            self.party(activity, "33", (("AllCriticalSubjectInformationUnavailableIndicator", "Y"),))
            return
        born, is_person = who.date_of_birth, who.kind == "person"
        if born is not None and born > draft.first_day:
            raise ValueError(f"somebody born on {born} did nothing on {draft.first_day}")
        fields = (
            ("BirthDateUnknownIndicator", unknown(who, "date_of_birth")),
            ("IndividualBirthDateText", None if born is None else day_text(born)),
            ("NoKnownAccountInvolvedIndicator", "Y"),
            ("PartyAsEntityOrganizationIndicator", None if is_person else "Y"),
            ("UnknownGenderIndicator", "Y" if is_person else None),
        )
        party = self.party(activity, "33", fields)
        self.who(party, who)
        relation = (
            ("CustomerIndicator", "Y"),
            ("SubjectRelationshipFinancialInstitutionTINText", self.filer.ein),
        )
        self.element(party, "PartyAssociation", relation)

    def _suspicion(self, activity: Element, draft: SarDraft) -> None:
        fields = (
            ("SuspiciousActivityFromDateText", day_text(draft.first_day)),
            ("SuspiciousActivityToDateText", day_text(draft.last_day)),
            ("TotalSuspiciousAmountText", str(draft.dollars)),
        )
        found = self.element(activity, "SuspiciousActivity", fields)
        for suspicion in draft.suspicions:
            kind, subtype = _CLASSES[suspicion]
            said = (("SuspiciousActivitySubtypeID", subtype), ("SuspiciousActivityTypeID", kind))
            self.element(found, "SuspiciousActivityClassification", said)
        for instrument in draft.instruments:
            asset = (("AssetSubtypeID", _INSTRUMENTS[instrument]), ("AssetTypeID", _PAYMENT_MECHANISM))
            self.element(activity, "Assets", asset)


def _blocks(narrative: str) -> Sequence[str]:
    """Return a narrative split at words into the form's blocks; line breaks, which FinCEN refuses, become spaces."""
    return wrap(narrative, _BLOCK, break_on_hyphens=False)
