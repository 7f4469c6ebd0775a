"""Currency moved on behalf of others: reports name the conductor and those represented (31 CFR § 1021.313)."""

from typing import Annotated, ClassVar, Final, Self

from pydantic import Field, model_validator

from shared.contracts.envelope import Contract, Patron
from shared.contracts.rejection import Reason, Rejected

OTHERS_MAX: Final = 20
"""The maximum number of persons on whose behalf one transaction is conducted."""

Others = Annotated[
    tuple[Patron, ...],
    Field(min_length=1, max_length=OTHERS_MAX, description="the patrons on whose behalf it is conducted, by reference"),
]


def wrong_agency(conductor: str | None, others: tuple[str, ...] | None) -> str | None:
    """Return why a conductor cannot act on behalf of the persons `others`, or None if the conductor can.

    The conductor must be named and must not be among the others, and no person may be listed twice.

    >>> wrong_agency("p-7", ("p-8", "p-7"))
    "'on_behalf_of' has p-7, who conducts it: what is done on one's own behalf is a movement of its own"
    """
    if others is None:
        return None
    if conductor is None:
        return "'on_behalf_of' says for whom it is done, and nobody says who conducts it"
    if conductor in others:
        own = "what is done on one's own behalf is a movement of its own"
        return f"'on_behalf_of' has {conductor}, who conducts it: {own}"
    twice = sorted({one for one in others if others.count(one) > 1})
    return f"'on_behalf_of' has {', '.join(twice)} twice" if twice else None


def require_agency(conductor: str | None, others: tuple[str, ...] | None) -> None:
    """Raise Rejected if the conductor cannot act on behalf of the persons `others` (`wrong_agency`)."""
    if (wrong := wrong_agency(conductor, others)) is not None:
        raise Rejected(Reason.CONTRADICTS, wrong)


class OnBehalf(Contract):
    """A transaction, possibly on behalf of others; without `on_behalf_of`, on the conductor's own behalf.

    `CONDUCTED_BY` is the name of the field that holds the conductor.
    """

    CONDUCTED_BY: ClassVar[str]

    on_behalf_of: Others | None = None

    @model_validator(mode="after")
    def _acts_for_others(self) -> Self:
        if (wrong := wrong_agency(getattr(self, self.CONDUCTED_BY), self.on_behalf_of)) is not None:
            raise ValueError(wrong)
        return self
