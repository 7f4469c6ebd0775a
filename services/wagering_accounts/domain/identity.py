"""A patron's identity, with the fields that the forms of FinCEN and of the IRS require.

Lengths are those of FinCEN's currency transaction report (XML schema 2.0, user guide 1.8 of August 2021). On the form,
each required field must be filled in or marked "unknown"; FinCEN rejects other forms. An identity is rejected in the
same way.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from shared.contracts.countries import CountryOnForms
from shared.contracts.envelope import PERSONAL, Contract, WrittenDay
from shared.contracts.taxpayer_numbers import is_made_up

ERASED: Final = "was erased"
"""The text with which the service and the command line describe an erased identity."""


def _text(length: int) -> StringConstraints:
    return StringConstraints(pattern=rf"^[^\x00-\x1f\x7f]{{1,{length}}}$", strip_whitespace=True)


_Name = Annotated[str, _text(35), PERSONAL]
_LongName = Annotated[str, _text(150), PERSONAL]
_Short = Annotated[str, _text(50), PERSONAL]
_Number = Annotated[str, _text(25), PERSONAL]
_State = Annotated[str, StringConstraints(pattern="^[A-Z]{2,3}$"), PERSONAL]

AskedFor = Literal[
    "last_name",
    "first_name",
    "legal_name",
    "date_of_birth",
    "street",
    "city",
    "state_code",
    "postal_code",
    "country",
    "taxpayer_number",
    "document",
    "occupation",
]
"""A field that forms require; it may be marked as unknown."""

_OF_PEOPLE: Final[frozenset[AskedFor]] = frozenset(("last_name", "first_name", "date_of_birth", "occupation"))
_OF_ENTITIES: Final[frozenset[AskedFor]] = frozenset(("legal_name",))
_OF_BOTH: Final[frozenset[AskedFor]] = frozenset(
    ("street", "city", "postal_code", "country", "taxpayer_number", "document")
)
_OF_PEOPLE_ONLY: Final = _OF_PEOPLE | {"middle_name", "suffix"}

_WITH_STATES: Final = ("US", "CA", "MX")
"""The countries for which forms require the state, province or territory."""

_ZIP_CODE: Final = re.compile("[0-9]{5}([0-9]{4})?")
_NINE_DIGITS: Final = re.compile("[0-9]{9}")
_WITH_HYPHENS: Final = re.compile("[0-9]{3}-[0-9]{2}-[0-9]{4}|[0-9]{2}-[0-9]{7}")
"""A taxpayer number as the agencies print it: 123-45-6789, or 12-3456789."""


def _written(number: str) -> str:
    """Return a number normalized for comparison: its letters and digits, without case, spaces and hyphens."""
    return "".join(filter(str.isalnum, number)).casefold()


class IdentifyingDocument(Contract):
    """The document that the cashier was shown; kind `other` needs a description."""

    kind: Annotated[Literal["drivers_license", "passport", "alien_registration", "other"], PERSONAL]
    description: _Short | None = None
    number: _Number
    issuing_state: _State | None = None
    issuing_country: Annotated[CountryOnForms, PERSONAL]

    @model_validator(mode="after")
    def _is_described(self) -> Self:
        if (self.kind == "other") != (self.description is not None):
            raise ValueError("a document of kind other, and no other one, has a description")
        return self


class PatronIdentity(Contract):
    """The identity of a patron, a person or an entity. Each required field is given, or listed in `unknown`.

    `also_known_as` is another name of a person, or the name under which an entity does business. A taxpayer number has
    nine digits, unless it is `foreign`; hyphens, as in 123-45-6789 or 12-3456789, are removed. A ZIP code has five or
    nine digits.
    """

    kind: Literal["person", "entity"] = "person"
    last_name: _LongName | None = None
    first_name: _Name | None = None
    middle_name: _Name | None = None
    suffix: _Name | None = None
    legal_name: _LongName | None = None
    also_known_as: _LongName | None = None
    date_of_birth: Annotated[WrittenDay | None, PERSONAL] = None
    street: Annotated[str, _text(100), PERSONAL] | None = None
    city: _Short | None = None
    state_code: _State | None = None
    postal_code: Annotated[str, _text(9), PERSONAL] | None = None
    country: Annotated[CountryOnForms | None, PERSONAL] = None
    taxpayer_number: _Number | None = None
    taxpayer_number_kind: Annotated[Literal["ssn", "itin", "ein", "foreign"] | None, PERSONAL] = None
    document: Annotated[IdentifyingDocument | None, PERSONAL] = None
    occupation: _Short | None = None
    email: (
        Annotated[str, StringConstraints(pattern=r"^[^\x00-\x20\x7f@]{1,64}@[^\x00-\x20\x7f@]{1,189}$"), PERSONAL]
        | None
    ) = None
    phone: Annotated[str, StringConstraints(pattern="^[0-9]{1,16}$"), PERSONAL] | None = None
    phone_extension: Annotated[str, StringConstraints(pattern="^[0-9]{1,6}$"), PERSONAL] | None = None
    unknown: Annotated[
        tuple[AskedFor, ...], Field(max_length=12, description="fields that forms require but whose values are unknown")
    ] = ()

    def asked_for(self) -> frozenset[AskedFor]:
        """Return the fields that forms require for this kind of patron and country."""
        of_kind = _OF_ENTITIES if self.kind == "entity" else _OF_PEOPLE
        return of_kind | _OF_BOTH | (frozenset(("state_code",)) if self.country in _WITH_STATES else frozenset())

    def taxpayer_number_text(self) -> str | None:
        """Return a key that is equal for identities with the same taxpayer number; None without a number.

        The key does not distinguish kinds of US numbers, because a clerk may have chosen the wrong kind. The key of a
        foreign number includes the country.
        """
        if self.taxpayer_number is None:
            return None
        country = self.country if self.taxpayer_number_kind == "foreign" else "US"
        return f"{country} {_written(self.taxpayer_number)}"

    def document_text(self) -> str | None:
        """Return a key that is equal for identities with the same document, in any spelling; None without one."""
        if (one := self.document) is None:
            return None
        return f"{one.kind} {one.issuing_country} {one.issuing_state} {_written(one.number)}"

    @model_validator(mode="before")
    @classmethod
    def _without_hyphens(cls, said: Any) -> Any:
        """Remove the hyphens from a US taxpayer number."""
        if not isinstance(said, Mapping) or said.get("taxpayer_number_kind") == "foreign":
            return said
        number = said.get("taxpayer_number")
        if not isinstance(number, str) or _WITH_HYPHENS.fullmatch(number.strip()) is None:
            return said
        return {**said, "taxpayer_number": number.strip().replace("-", "")}

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if wrong := [*self._wrong_fields(), *self._wrong_numbers()]:
            raise ValueError("; ".join(wrong))
        return self

    def _wrong_fields(self) -> Iterator[str]:
        given = {name for name in PatronIdentity.model_fields if getattr(self, name) is not None}
        asked_for, unknown = self.asked_for(), set(self.unknown)
        of_others = _OF_PEOPLE_ONLY if self.kind == "entity" else _OF_ENTITIES
        for what, names in (
            ("neither given nor unknown", asked_for - given - unknown),
            ("given and unknown", given & unknown),
            ("unknown, and no form asks for it", unknown - asked_for),
            (f"given, and of no {self.kind}", given & of_others),
        ):
            if names:
                yield f"{', '.join(sorted(names))}: {what}"

    def _wrong_numbers(self) -> Iterator[str]:
        number, kind = self.taxpayer_number, self.taxpayer_number_kind
        if number is not None and kind is None:
            yield "taxpayer_number: given without taxpayer_number_kind"
        elif number is None and kind is not None:
            yield "taxpayer_number_kind: given without taxpayer_number"
        elif (
            number is not None and kind != "foreign" and (_NINE_DIGITS.fullmatch(number) is None or is_made_up(number))
        ):
            yield f"taxpayer_number: no {kind}, which has nine digits, and not made-up ones: 123-45-6789 or 12-3456789"
        if self.country == "US" and self.postal_code is not None and _ZIP_CODE.fullmatch(self.postal_code) is None:
            yield "postal_code: no ZIP code"
