"""The common base of batches for FinCEN's BSA E-Filing System: elements and parties of XML schema 2.0. No I/O."""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from itertools import count
from typing import ClassVar, Final, Literal
from xml.etree.ElementTree import Element, SubElement, indent, register_namespace, tostring

from services.wagering_accounts.domain.identity import IdentifyingDocument, PatronIdentity
from shared.contracts.properties import Filer

NAMESPACE: Final = "www.fincen.gov/base"
_SCHEMA: Final = "http://www.w3.org/2001/XMLSchema-instance"

_INSTITUTIONS: Final = {"state_casino": "101", "tribal_casino": "102", "card_club": "103"}
_CASINO: Final = "1"
_EXAMINED_BY_IRS: Final = "7"
_DOCUMENTS: Final = {"drivers_license": "5", "passport": "6", "alien_registration": "7", "other": "999"}
_TAXPAYER_NUMBERS: Final = {"ssn": "1", "itin": "1", "ein": "2", "foreign": "9"}
_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that XML 1.0 does not allow."""

_TCC: Final = "28"
_TIN: Final = "4"
_EIN: Final = "2"

Fields = Iterable[tuple[str, str | None]]
"""An element's simple child elements as name and text, in schema order; elements with None are omitted."""


class Batch:
    """Builds a batch. Elements are numbered in the order in which they are added."""

    form: ClassVar[str]
    schema: ClassVar[str]
    email_kind: ClassVar[str | None] = None
    """The code for an e-mail address; None where the form has no kinds of electronic addresses."""

    def __init__(self, filer: Filer, filed_on: date) -> None:
        self.filer = filer
        self.filed_on = filed_on
        self._numbers = count(1)

    def root(self, attributes: Mapping[str, str]) -> Element:
        """Return the root element of the batch, without reports."""
        location = {f"{{{_SCHEMA}}}schemaLocation": f"{NAMESPACE} {self.schema}"}
        root = Element(tag("EFilingBatchXML"), {**location, **attributes})
        SubElement(root, tag("FormTypeCode")).text = self.form
        return root

    def text(self, root: Element) -> bytes:
        """Return the content of a batch file, with all of its reports."""
        root.set("PartyCount", str(len(root.findall(f".//{tag('Party')}"))))
        register_namespace("fc2", NAMESPACE)
        register_namespace("xsi", _SCHEMA)
        indent(root)
        text: str = tostring(root, encoding="unicode")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()

    def element(self, parent: Element, name: str, fields: Fields = ()) -> Element:
        """Add a numbered element with fields of text. Raises: ValueError for a character that XML does not allow."""
        element = SubElement(parent, tag(name), SeqNum=str(next(self._numbers)))
        for field, text in fields:
            if text is not None:
                if found := _NOT_IN_XML.search(text):
                    raise ValueError(f"{field}: a file cannot have the character U+{ord(found[0]):04X}")
                SubElement(element, tag(field)).text = text
        return element

    # --- the filer ---

    def transmitter(self, activity: Element) -> None:
        """Add the transmitter of the batch, and its contact."""
        filer = self.filer
        party = self.party(activity, "35")
        self.name(party, filer.transmitter_name or filer.legal_name)
        self.address_of_filer(party)
        self.element(party, "PhoneNumber", (("PhoneNumberText", filer.contact_phone),))
        self.identification(party, filer.ein, _TIN)
        self.identification(party, filer.transmitter_control_code, _TCC)
        self.name(self.party(activity, "37"), filer.contact_name)

    def contact_office(self, activity: Element) -> None:
        """Add the contact office for questions about the report."""
        filer = self.filer
        office = self.party(activity, "8")
        self.name(office, filer.contact_name)
        phone = (("PhoneNumberExtensionText", filer.contact_extension), ("PhoneNumberText", filer.contact_phone))
        self.element(office, "PhoneNumber", phone)

    def institution(self, activity: Element, code: str, fields: Fields = ()) -> Element:
        """Add and return the casino as a party: the filing institution, or the location of the transactions."""
        filer = self.filer
        party = self.party(activity, code, (*fields, ("PrimaryRegulatorTypeCode", _EXAMINED_BY_IRS)))
        self.name(party, filer.legal_name)
        if filer.trade_name is not None:
            self.name(party, filer.trade_name, "DBA")
        self.address_of_filer(party)
        self.identification(party, filer.ein, _EIN)
        kind = (("OrganizationSubtypeID", _INSTITUTIONS[filer.institution]), ("OrganizationTypeID", _CASINO))
        self.element(party, "OrganizationClassificationTypeSubtype", kind)
        return party

    def address_of_filer(self, party: Element) -> None:
        """Add the casino's address."""
        filer = self.filer
        fields = (
            ("RawCityText", filer.city),
            ("RawCountryCodeText", "US"),
            ("RawStateCodeText", filer.state_code),
            ("RawStreetAddress1Text", filer.street),
            ("RawZIPCode", filer.postal_code),
        )
        self.element(party, "Address", fields)

    # --- parties ---

    def party(self, activity: Element, code: str, fields: Fields = ()) -> Element:
        """Add a party with a type code of the schema, and return it."""
        return self.element(activity, "Party", (("ActivityPartyTypeCode", code), *fields))

    def name(self, party: Element, name: str, kind: Literal["L", "DBA", "AKA"] = "L") -> None:
        """Add a name of a party."""
        self.element(party, "PartyName", (("PartyNameTypeCode", kind), ("RawPartyFullName", name)))

    def identification(self, party: Element, number: str, kind: str) -> None:
        """Add an identification number of a party, with its type code."""
        fields = (("PartyIdentificationNumberText", number), ("PartyIdentificationTypeCode", kind))
        self.element(party, "PartyIdentification", fields)

    def who(self, party: Element, who: PatronIdentity) -> None:
        """Add the identity of a person or an entity, with a mark at each unknown field."""
        is_person = who.kind == "person"
        self.element(
            party,
            "PartyName",
            (
                ("EntityLastNameUnknownIndicator", unknown(who, "last_name" if is_person else "legal_name")),
                ("FirstNameUnknownIndicator", unknown(who, "first_name")),
                ("PartyNameTypeCode", "L"),
                ("RawEntityIndividualLastName", who.last_name if is_person else who.legal_name),
                ("RawIndividualFirstName", who.first_name),
                ("RawIndividualMiddleName", who.middle_name),
                ("RawIndividualNameSuffixText", who.suffix),
            ),
        )
        if who.also_known_as is not None:
            self.name(party, who.also_known_as, "AKA" if is_person else "DBA")
        self.element(
            party,
            "Address",
            (
                ("CityUnknownIndicator", unknown(who, "city")),
                ("CountryCodeUnknownIndicator", unknown(who, "country")),
                ("RawCityText", who.city),
                ("RawCountryCodeText", who.country),
                ("RawStateCodeText", who.state_code),
                ("RawStreetAddress1Text", who.street),
                ("RawZIPCode", who.postal_code),
                ("StateCodeUnknownIndicator", unknown(who, "state_code")),
                ("StreetAddressUnknownIndicator", unknown(who, "street")),
                ("ZIPCodeUnknownIndicator", unknown(who, "postal_code")),
            ),
        )
        if who.phone is not None:
            phone = (("PhoneNumberExtensionText", who.phone_extension), ("PhoneNumberText", who.phone))
            self.element(party, "PhoneNumber", phone)
        if who.taxpayer_number is None or who.taxpayer_number_kind is None:
            self.element(party, "PartyIdentification", (("TINUnknownIndicator", "Y"),))
        else:
            self.identification(party, who.taxpayer_number, _TAXPAYER_NUMBERS[who.taxpayer_number_kind])
        self.element(party, "PartyIdentification", _document(who.document))
        if who.occupation is not None:
            self.element(party, "PartyOccupationBusiness", (("OccupationBusinessText", who.occupation),))
        if who.email is not None:
            email = (("ElectronicAddressText", who.email), ("ElectronicAddressTypeCode", self.email_kind))
            self.element(party, "ElectronicAddress", email)


def unknown(who: PatronIdentity, name: str) -> str | None:
    """Return `Y`, the mark of an unknown field, if the identity lists the field as unknown; otherwise None."""
    return "Y" if name in who.unknown else None


def day_text(day: date) -> str:
    """Return a day in the format of batches, such as 20261120."""
    return day.strftime("%Y%m%d")


def tag(name: str) -> str:
    """Return the name of an element in the namespace of batches."""
    return f"{{{NAMESPACE}}}{name}"


def _document(shown: IdentifyingDocument | None) -> Fields:
    if shown is None:
        return [("IdentificationPresentUnknownIndicator", "Y")]
    return [
        ("OtherIssuerCountryText", shown.issuing_country),
        ("OtherIssuerStateText", shown.issuing_state),
        ("OtherPartyIdentificationTypeText", shown.description),
        ("PartyIdentificationNumberText", shown.number),
        ("PartyIdentificationTypeCode", _DOCUMENTS[shown.kind]),
    ]
