"""A batch of currency transaction reports (FinCEN 112), as FinCEN's BSA E-Filing System takes it. Pure.

XML schema 2.0 (`EFL_CTRXBatchSchema.xsd` 1.2 of 17 December 2021) and its user guide, version 1.8 of August 2021. One
activity is the report of one person's gaming day. Amounts are whole dollars, each line of a report rounded up by
itself, and every total is the sum of lines, as the receiving system adds up.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count
from typing import Final, Literal
from xml.etree.ElementTree import Element, SubElement, indent, register_namespace, tostring

from services.wagering_accounts.domain.identity import IdentifyingDocument, PatronIdentity
from shared.contracts.properties import Filer

NAMESPACE: Final = "www.fincen.gov/base"
_SCHEMA: Final = "http://www.w3.org/2001/XMLSchema-instance"

LINE_CODES: Final[Mapping[str, str]] = {
    "buy-in": "55",
    "front money deposit": "55",
    "safekeeping deposit": "55",
    "counter check": "46",
    "chip purchase": "18",
    "chips for currency": "18",
    "cash-out": "56",
    "front money withdrawal": "56",
    "safekeeping withdrawal": "56",
    "check cashed": "13",
    "chip redemption": "28",
    "winnings paid": "31",
}
"""The type of transaction of the form, by the kind of a movement in the currency report."""

_INSTITUTIONS: Final = {"state_casino": "101", "tribal_casino": "102", "card_club": "103"}
_CASINO: Final = "1"
_EXAMINED_BY_IRS: Final = "7"
_DOCUMENTS: Final = {"drivers_license": "5", "passport": "6", "alien_registration": "7", "other": "999"}
_TAXPAYER_NUMBERS: Final = {"ssn": "1", "itin": "1", "ein": "2", "foreign": "9"}
_TCC: Final = "28"
_TIN: Final = "4"
_EIN: Final = "2"

_Fields = Iterable[tuple[str, str | None]]


@dataclass(frozen=True, slots=True)
class Line:
    """What a person moved in a gaming day by one type of transaction; `cents` of `movements` movements."""

    kind: str
    direction: Literal["in", "out"]
    movements: int
    cents: int

    @property
    def dollars(self) -> int:
        """Return the amount in whole dollars, rounded up."""
        return -(-self.cents // 100)


@dataclass(frozen=True, slots=True)
class CtrActivity:
    """The report of a person's gaming day.

    `identity` is None where nothing is known of the person. `corrects` is the BSA identifier, 14 digits, of the report
    that this one corrects or amends.
    """

    gaming_day: date
    identity: PatronIdentity | None
    lines: Sequence[Line]
    corrects: str | None = None

    def dollars(self, direction: Literal["in", "out"]) -> int:
        """Return the sum of the lines in or out, whole dollars."""
        return sum(line.dollars for line in self.lines if line.direction == direction)


def ctr_batch(filer: Filer, activities: Sequence[CtrActivity], *, filed_on: date) -> bytes:
    """Return the file of a batch; the same reports filed on the same day give the same bytes.

    Raises: ValueError without a report, for a kind of movement that the form has no type for, for a birth after the
    gaming day, and for a day of filing before it.
    """
    if not activities:
        raise ValueError("there is nothing to report")
    return _Batch(filer, filed_on).of(activities)


class _Batch:
    """The elements of a batch, numbered in the order in which they are made."""

    def __init__(self, filer: Filer, filed_on: date) -> None:
        self._filer = filer
        self._filed_on = filed_on
        self._numbers = count(1)

    def of(self, activities: Sequence[CtrActivity]) -> bytes:
        root = Element(
            _tag("EFilingBatchXML"),
            {
                f"{{{_SCHEMA}}}schemaLocation": f"{NAMESPACE} EFL_CTRXBatchSchema.xsd",
                "ActivityCount": str(len(activities)),
                "TotalAmount": str(sum(one.dollars("in") + one.dollars("out") for one in activities)),
            },
        )
        SubElement(root, _tag("FormTypeCode")).text = "CTRX"
        for one in activities:
            self._activity(root, one)
        root.set("PartyCount", str(len(root.findall(f".//{_tag('Party')}"))))
        register_namespace("fc2", NAMESPACE)
        register_namespace("xsi", _SCHEMA)
        indent(root)
        text: str = tostring(root, encoding="unicode")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()

    def _activity(self, root: Element, one: CtrActivity) -> None:
        if self._filed_on < one.gaming_day:
            raise ValueError(f"a report of {one.gaming_day} is not filed on {self._filed_on}")
        fields = (("EFilingPriorDocumentNumber", one.corrects), ("FilingDateText", _day(self._filed_on)))
        activity = self._element(root, "Activity", fields)
        self._element(
            activity,
            "ActivityAssociation",
            (
                ("CorrectsAmendsPriorReportIndicator", "Y" if one.corrects else ""),
                ("FinCENDirectBackFileIndicator", ""),
                ("InitialReportIndicator", "" if one.corrects else "Y"),
            ),
        )
        self._filers(activity, one)
        self._person(activity, one)
        self._transactions(activity, one)

    def _filers(self, activity: Element, one: CtrActivity) -> None:
        """Add the parties who file: transmitter and contact, institution, contact office, place of the transactions."""
        filer = self._filer
        transmitter = self._element(activity, "Party", (("ActivityPartyTypeCode", "35"),))
        self._name(transmitter, filer.transmitter_name or filer.legal_name)
        self._address_of_filer(transmitter)
        self._element(transmitter, "PhoneNumber", (("PhoneNumberText", filer.contact_phone),))
        self._identification(transmitter, filer.ein, _TIN)
        self._identification(transmitter, filer.transmitter_control_code, _TCC)
        self._name(self._element(activity, "Party", (("ActivityPartyTypeCode", "37"),)), filer.contact_name)
        self._institution(activity, "30")
        office = self._element(activity, "Party", (("ActivityPartyTypeCode", "8"),))
        self._name(office, filer.contact_name)
        phone = (("PhoneNumberExtensionText", filer.contact_extension), ("PhoneNumberText", filer.contact_phone))
        self._element(office, "PhoneNumber", phone)
        self._institution(activity, "34", _amounts(one))

    def _institution(self, activity: Element, code: str, amounts: _Fields = ()) -> None:
        filer = self._filer
        fields = (("ActivityPartyTypeCode", code), *amounts, ("PrimaryRegulatorTypeCode", _EXAMINED_BY_IRS))
        party = self._element(activity, "Party", fields)
        self._name(party, filer.legal_name)
        if filer.trade_name is not None:
            self._name(party, filer.trade_name, "DBA")
        self._address_of_filer(party)
        self._identification(party, filer.ein, _EIN)
        kind = (("OrganizationSubtypeID", _INSTITUTIONS[filer.institution]), ("OrganizationTypeID", _CASINO))
        self._element(party, "OrganizationClassificationTypeSubtype", kind)

    def _name(self, party: Element, name: str, kind: Literal["L", "DBA", "AKA"] = "L") -> None:
        self._element(party, "PartyName", (("PartyNameTypeCode", kind), ("RawPartyFullName", name)))

    def _address_of_filer(self, party: Element) -> None:
        filer = self._filer
        self._element(
            party,
            "Address",
            (
                ("RawCityText", filer.city),
                ("RawCountryCodeText", "US"),
                ("RawStateCodeText", filer.state_code),
                ("RawStreetAddress1Text", filer.street),
                ("RawZIPCode", filer.postal_code),
            ),
        )

    def _identification(self, party: Element, number: str, kind: str) -> None:
        fields = (("PartyIdentificationNumberText", number), ("PartyIdentificationTypeCode", kind))
        self._element(party, "PartyIdentification", fields)

    def _person(self, activity: Element, one: CtrActivity) -> None:
        who = one.identity or _NOBODY_KNOWN
        born, is_person = who.date_of_birth, who.kind == "person"
        if born is not None and born > one.gaming_day:
            raise ValueError(f"somebody born on {born} moved nothing on {one.gaming_day}")
        party = self._element(
            activity,
            "Party",
            (
                ("ActivityPartyTypeCode", "50"),
                ("BirthDateUnknownIndicator", _unknown(who, "date_of_birth")),
                ("IndividualBirthDateText", None if born is None else _day(born)),
                *_amounts(one),
                (
                    "MultipleTransactionsPersonsIndividualsIndicator",
                    "Y" if sum(line.movements for line in one.lines) > 1 else None,
                ),
                ("PartyAsEntityOrganizationIndicator", None if is_person else "Y"),
                ("UnknownGenderIndicator", "Y" if is_person else None),
            ),
        )
        self._element(
            party,
            "PartyName",
            (
                ("EntityLastNameUnknownIndicator", _unknown(who, "last_name" if is_person else "legal_name")),
                ("FirstNameUnknownIndicator", _unknown(who, "first_name")),
                ("PartyNameTypeCode", "L"),
                ("RawEntityIndividualLastName", who.last_name if is_person else who.legal_name),
                ("RawIndividualFirstName", who.first_name),
                ("RawIndividualMiddleName", who.middle_name),
                ("RawIndividualNameSuffixText", who.suffix),
            ),
        )
        if who.also_known_as is not None:
            self._name(party, who.also_known_as, "AKA" if is_person else "DBA")
        self._element(
            party,
            "Address",
            (
                ("CityUnknownIndicator", _unknown(who, "city")),
                ("CountryCodeUnknownIndicator", _unknown(who, "country")),
                ("RawCityText", who.city),
                ("RawCountryCodeText", who.country),
                ("RawStateCodeText", who.state_code),
                ("RawStreetAddress1Text", who.street),
                ("RawZIPCode", who.postal_code),
                ("StateCodeUnknownIndicator", _unknown(who, "state_code")),
                ("StreetAddressUnknownIndicator", _unknown(who, "street")),
                ("ZIPCodeUnknownIndicator", _unknown(who, "postal_code")),
            ),
        )
        if who.phone is not None:
            phone = (("PhoneNumberExtensionText", who.phone_extension), ("PhoneNumberText", who.phone))
            self._element(party, "PhoneNumber", phone)
        if who.taxpayer_number is None or who.taxpayer_number_kind is None:
            self._element(party, "PartyIdentification", (("TINUnknownIndicator", "Y"),))
        else:
            self._identification(party, who.taxpayer_number, _TAXPAYER_NUMBERS[who.taxpayer_number_kind])
        self._element(party, "PartyIdentification", _document(who.document))
        if who.occupation is not None:
            self._element(party, "PartyOccupationBusiness", (("OccupationBusinessText", who.occupation),))
        if who.email is not None:
            self._element(party, "ElectronicAddress", (("ElectronicAddressText", who.email),))

    def _transactions(self, activity: Element, one: CtrActivity) -> None:
        into, out = one.dollars("in"), one.dollars("out")
        boxes = ("AggregateTransaction", "ArmoredCarService", "ATM", "MailDepositShipment", "NightDeposit")
        moved = self._element(
            activity,
            "CurrencyTransactionActivity",
            (
                *((f"{box}Indicator", "") for box in (*boxes, "SharedBranching")),
                ("TotalCashInReceiveAmountText", str(into or "")),
                ("TotalCashOutAmountText", str(out or "")),
                ("TransactionDateText", _day(one.gaming_day)),
            ),
        )
        for line in one.lines:
            if line.kind not in LINE_CODES:
                raise ValueError(f"the form has no type of transaction for {line.kind!r}")
            fields = (
                ("CurrencyTransactionActivityDetailTypeCode", LINE_CODES[line.kind]),
                ("DetailTransactionAmountText", str(line.dollars)),
                ("OtherCurrencyTransactionActivityDetailText", ""),
                ("OtherForeignCurrencyCountryText", ""),
            )
            self._element(moved, "CurrencyTransactionActivityDetail", fields)

    def _element(self, parent: Element, name: str, fields: _Fields) -> Element:
        """Add a numbered element with fields of text; a field without a value is left out."""
        element = SubElement(parent, _tag(name), SeqNum=str(next(self._numbers)))
        for field, text in fields:
            if text is not None:
                SubElement(element, _tag(field)).text = text
        return element


_NOBODY_KNOWN: Final = PatronIdentity(unknown=tuple(sorted(PatronIdentity.model_construct().asked_for())))


def _amounts(one: CtrActivity) -> list[tuple[str, str | None]]:
    return [
        (f"IndividualEntityCash{name}AmountText", str(dollars) if dollars else None)
        for name, dollars in (("In", one.dollars("in")), ("Out", one.dollars("out")))
    ]


def _document(shown: IdentifyingDocument | None) -> _Fields:
    if shown is None:
        return [("IdentificationPresentUnknownIndicator", "Y")]
    return [
        ("OtherIssuerCountryText", shown.issuing_country),
        ("OtherIssuerStateText", shown.issuing_state),
        ("OtherPartyIdentificationTypeText", shown.description),
        ("PartyIdentificationNumberText", shown.number),
        ("PartyIdentificationTypeCode", _DOCUMENTS[shown.kind]),
    ]


def _unknown(who: PatronIdentity, name: str) -> str | None:
    return "Y" if name in who.unknown else None


def _day(day: date) -> str:
    return day.strftime("%Y%m%d")


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"
