"""Monetary instruments, as listed in 31 CFR § 1021.410(b)(9)."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from shared.contracts.envelope import Contract

InstrumentType = Literal[
    "personal_check", "business_check", "official_bank_check", "cashiers_check", "third_party_check", "promissory_note",
    "travelers_check", "money_order",
]  # fmt: skip
"""The listed types of instruments. A counter check is not listed, because it is evidence of a debt."""

Issuer = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,100}$", strip_whitespace=True)]
"""The drawee or issuer of an instrument: the bank or company by name, a patron by reference."""

InstrumentReference = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,64}$", strip_whitespace=True)]
"""A reference number of an instrument, after the kind of number: `check 4711`, `casino account GA-1`."""


class Instrument(Contract):
    """A monetary instrument that passed between the casino and a patron."""

    instrument_type: InstrumentType
    issuer: Annotated[
        Issuer, Field(description="the drawee or issuer: a bank or company by name, a patron by reference")
    ]
    references: Annotated[
        tuple[InstrumentReference, ...],
        Field(min_length=1, max_length=20, description="all reference numbers: check 4711, casino account GA-1"),
    ]


class PassedInstrument(Instrument):
    """The instrument of a movement; `exchanged_for` is the instrument given in exchange for it, if any."""

    exchanged_for: Annotated[
        Instrument | None, Field(description="the instrument that passed the other way, if one was given for the other")
    ] = None


class PaidByInstrument(Contract):
    """A payment on a counter check; `instrument` describes the payer's own check, if the payer paid by check.

    A subclass has `paid_in`, the means of payment.
    """

    instrument: Annotated[Instrument | None, Field(description="the payer's own check")] = None

    @model_validator(mode="after")
    def _is_by_check(self) -> Self:
        paid_in = getattr(self, "paid_in", None)
        if self.instrument is not None and paid_in != "check":
            raise ValueError(f"'instrument' is the payer's own check; this is paid in {paid_in}")
        return self
